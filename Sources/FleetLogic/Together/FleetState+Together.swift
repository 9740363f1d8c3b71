internal import Telemetry

/// One rule about nodes that shook together, at work.
struct TogetherRule: Sendable {
  var together: Together
  /// Where the findings that are open are told.
  var places: [Int: AlertPlace] = [:]
  /// Its shakes changed since they were kept.
  var isChanged = false
  /// What it found changed since then, and is kept with the alert.
  var isNews = false
  /// When its shakes were kept last.
  var shakesKept: Instant?
  /// When its rates were kept last.
  var ratesKept: Instant?

  init(_ settings: Together.Settings) {
    together = Together(settings)
  }

  /// When its shakes are to be kept, all of them at a time: at once while they are few. While a whole fleet shakes,
  /// that would be the more the more have shaken. Nil: nothing changed.
  func keepDue(at now: Instant) -> Instant? {
    guard isChanged else { return nil }
    guard !isNews, together.held.count > Self.fewShakes, let shakesKept else { return now }
    return max(now, shakesKept + Self.keptS)
  }

  private static let fewShakes = 200
  /// Between two times that many are kept [s].
  private static let keptS = 1.0
}

/// Rules about several nodes at a time.
extension FleetState {
  /// Rates are kept so often [s]: they change by a seventh in a day.
  private static let ratesKeptS = 3600.0

  /// A node became known, or is somewhere else. Only where the calendar is known: rates count from then on.
  mutating func knowPlace(node index: Int, at moment: Moment) {
    guard !togetherRules.isEmpty, clock.quality != .none else { return }
    let participant = participant(index)
    for number in togetherRules.keys where concerns(number, node: index) {
      togetherRules[number]?.together.knowAnew(participant, at: moment.wall)
    }
  }

  private func concerns(_ number: Int, node index: Int) -> Bool {
    configuration.rules[number].scope.contains(nodes[index].name, nodes[index].label)
  }

  private func participant(_ index: Int) -> Together.Participant {
    let node = nodes[index]
    let place = node.lastPlace.flatMap {
      Together.Place(latitude: $0.latitude, longitude: $0.longitude, accuracyM: $0.accuracyM)
    }
    return Together.Participant(node: index, name: node.name, place: place, site: node.label?.site)
  }

  /// Hands the beginning of a shake to the rules about several nodes.
  mutating func judgeTogether(_ shake: ShakeMessage, _ telegram: Telegram, node index: Int, at moment: Moment) {
    guard !togetherRules.isEmpty, clock.quality != .none else { return }
    let best = nodes[index].boots.clock(for: telegram.envelope)
    // By the best clock of the run, as the whole message.
    var start = shake.start
    if let measured = telegram.envelope.measured(by: best), let time = telegram.envelope.time {
      start = start + (measured - time)
    }
    let qualities = [telegram.envelope.clock, best?.quality].compactMap { $0 }
    let quality = [ClockQuality.gps, .ntp].first { qualities.contains($0) } ?? qualities.first ?? .none
    let word = Together.Shake(participant(index), start: start, clock: quality, peakG: shake.peakG)
    for number in togetherRules.keys.sorted() where concerns(number, node: index) {
      guard let findings = togetherRules[number]?.together.note(word, at: moment.wall) else { continue }
      togetherRules[number]?.isChanged = true
      take(findings, rule: number, at: moment)
    }
  }

  /// What time alone brings.
  mutating func passTogether(at moment: Moment) {
    guard clock.quality != .none else { return }
    for number in togetherRules.keys.sorted() {
      guard let due = togetherRules[number]?.together.nextDeadline, due <= moment.wall else { continue }
      guard let findings = togetherRules[number]?.together.passes(to: moment.wall) else { continue }
      togetherRules[number]?.isChanged = true
      take(findings, rule: number, at: moment)
    }
  }

  /// When that is.
  var togetherDue: Instant? {
    guard clock.quality != .none, let due = togetherRules.values.compactMap(\.together.nextDeadline).min() else {
      return nil
    }
    return Instant.start + max(0, due - clock.wall(at: .start))
  }

  /// When shakes are to be kept that were not kept at once.
  func togetherKeepDue(after now: Instant) -> Instant? {
    guard configuration.keeps else { return nil }
    return togetherRules.values.compactMap { $0.keepDue(at: now) }.min()
  }

  private mutating func take(_ findings: [Together.Finding], rule number: Int, at moment: Moment) {
    let rule = configuration.rules[number]
    if !findings.isEmpty { togetherRules[number]?.isNews = true }
    for finding in findings {
      let place = togetherRules[number]?.places[finding.id] ?? place(of: finding)
      let key = AlertKey(rule: number, place: place)
      if finding.state == .ended {
        togetherRules[number]?.places[finding.id] = nil
        guard togetherRules[number]?.places.values.contains(place) != true else { continue }
        observe(key, .clears(after: rule.clearForS), "nothing more can belong to it", at: moment)
        continue
      }
      togetherRules[number]?.places[finding.id] = place
      observe(key, .holds(after: rule.forS ?? 0), finding.reason, at: moment) { record in
        record.life.count = finding.members.count
        record.value = Double(finding.members.count)
        record.memory.finding = FindingNote(finding)
      }
    }
  }

  /// The site where all of it is at one place of one site; else the fleet.
  private func place(of finding: Together.Finding) -> AlertPlace {
    let sites = Set(finding.members.map { nodes.indices.contains($0.node) ? nodes[$0.node].site : nil })
    if finding.kind == .local, sites.count == 1, case let site?? = sites.first { return .site(site) }
    return .fleet
  }

  /// Says so where such rules stand still.
  mutating func noteClockForTogether() {
    guard !togetherRules.isEmpty else { return }
    let names = togetherRules.keys.sorted().map { configuration.rules[$0].name }.joined(separator: ", ")
    if clock.quality == .none {
      log(
        .warning,
        "nothing vouches for this machine's clock, so that nobody can say which nodes shook together: the "
          + "rule \(names) stands still until it is synchronised")
    } else {
      log(.information, "the clock is good enough again for the rule \(names)")
    }
  }

  // MARK: Over a restart

  /// What is to outlast the fleet tool of what the input just handled changed.
  mutating func keepTogether(at moment: Moment, isStopping: Bool = false) {
    guard configuration.keeps else { return }
    for number in togetherRules.keys.sorted() {
      guard let rule = togetherRules[number] else { continue }
      let name = configuration.rules[number].name
      let isRatesDue = isStopping || rule.ratesKept.map { moment.instant - $0 >= Self.ratesKeptS } ?? true
      guard isStopping || rule.keepDue(at: moment.instant).map({ $0 <= moment.instant }) ?? false else { continue }
      let snapshot = rule.together.snapshot
      effects.append(.keep(.note(KeptText(key: "together/\(name)", text: snapshot.encodeRecent()))))
      togetherRules[number]?.isChanged = false
      togetherRules[number]?.isNews = false
      togetherRules[number]?.shakesKept = moment.instant
      guard isRatesDue else { continue }
      effects.append(.keep(.note(KeptText(key: "together-rates/\(name)", text: snapshot.encodeRates()))))
      togetherRules[number]?.ratesKept = moment.instant
    }
  }

  /// Brings what fires and what shook the nodes together again. A finding that grew stays where it was told first,
  /// which it does not say; an alert that no finding stands for any more ends.
  mutating func settleTogether(at moment: Moment) {
    for number in togetherRules.keys.sorted() {
      let firing = records.filter { $0.key.rule == number && $0.value.life.isFiring }.map(\.key).sorted()
      var places = togetherRules[number]?.places ?? [:]
      var free = firing.filter { !places.values.contains($0.place) }
      for (id, place) in places.sorted(by: { $0.key < $1.key }) where !free.isEmpty {
        if !firing.contains(where: { $0.place == place }) { places[id] = free.removeFirst().place }
      }
      togetherRules[number]?.places = places
      let afterS = max(configuration.rules[number].clearForS, configuration.graceS, 1)
      for key in free { observe(key, .clears(after: afterS), "nothing stands for it any more", at: moment) }
    }
  }

  /// Goes on where an earlier run ended.
  mutating func restoreTogether(_ texts: [KeptText]) {
    let known = Dictionary(texts.map { ($0.key, $0.text) }) { $1 }
    for number in togetherRules.keys {
      guard case .together(let settings) = configuration.rules[number].condition else { continue }
      let name = configuration.rules[number].name
      guard let recent = known["together/\(name)"],
        let snapshot = Together.Snapshot(recent: recent, rates: known["together-rates/\(name)"])
      else { continue }
      let places = indices
      togetherRules[number]?.together = Together(settings, restoring: snapshot) { places[$0] }
      for finding in snapshot.findings {
        var told = finding.told
        for member in told.members.indices { told.members[member].node = places[told.members[member].name] ?? -1 }
        let place = place(of: told)
        togetherRules[number]?.places[told.id] = place
      }
    }
  }
}

/// What is told of nodes that shook together.
struct FindingNote: Equatable, Sendable {
  var kind: Together.Kind
  var spanS: Double
  var extentM: Double?

  init(kind: Together.Kind, spanS: Double, extentM: Double?) {
    self.kind = kind
    self.spanS = spanS
    self.extentM = extentM
  }

  init(_ finding: Together.Finding) {
    self.init(kind: finding.kind, spanS: finding.spanS, extentM: finding.extentM)
  }

  /// `: ground motion, within 51 s over 161 km`.
  var text: String {
    let cause =
      switch kind {
      case .local: "at one place"
      case .commonCause: "a common cause"
      case .groundMotion: "ground motion"
      }
    let over = extentM.map { metres in
      metres < 1000
        ? " over \(Decimal.text(metres, decimals: 0)) m" : " over \(Decimal.text(metres / 1000, decimals: 0)) km"
    }
    return ": \(cause), within \(Decimal.text(spanS, decimals: 1)) s\(over ?? "")"
  }
}
