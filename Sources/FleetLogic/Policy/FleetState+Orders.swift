internal import Telemetry

/// What people do about alerts.
extension FleetState {
  /// Silences kept at the most.
  static let mostSilences = 1000

  /// Carries an order out, and answers.
  mutating func carryOut(_ order: Order, at moment: Moment) -> OrderAnswer {
    switch order {
    case .acknowledge(let matchers, let author, let comment):
      let word = AlertAcknowledgement(author: author, comment: comment, at: moment.wall)
      return acknowledge(matchers, word, at: moment)
    case .unacknowledge(let matchers, let author): return unacknowledge(matchers, author, at: moment)
    case .silence(let silence): return add(silence, at: moment)
    case .unsilence(let id, let author): return end(id, author, at: moment)
    case .wish(let wish): return add(wish, at: moment)
    case .unwish(let id, let author): return withdraw(id, author, at: moment)
    }
  }

  /// The silences that hold or will hold, by their end.
  public var knownSilences: [Silence] { silences.values.sorted { ($0.end, $0.id) < ($1.end, $1.id) } }

  private func firing(_ matchers: Matchers) -> [AlertKey] {
    records.keys.sorted().filter { key in
      guard let record = records[key], record.life.isFiring || record.memory.flap != nil else { return false }
      return matchers.match(configuration.rules[key.rule], subject(key.place), label(key.place))
    }
  }

  private func names(_ keys: [AlertKey]) -> [String] {
    keys.prefix(100).map { "\(configuration.rules[$0.rule].name) \(subject($0.place))" }
  }

  private mutating func acknowledge(
    _ matchers: Matchers, _ word: AlertAcknowledgement, at moment: Moment
  ) -> OrderAnswer {
    let keys = firing(matchers)
    guard !keys.isEmpty else { return OrderAnswer(false, "no alert that fires is meant by that") }
    for key in keys {
      guard var record = records[key] else { continue }
      record.notice.acknowledgement = word
      put(key, record)
      let comment = word.comment.isEmpty ? "" : ": \(SafeText.escaped(word.comment, limit: 200))"
      decide(
        .acknowledged, key, record, "\(SafeText.escaped(word.author, limit: 60)) looks after it\(comment)", at: moment)
      publishFiring(key, at: moment)
    }
    return OrderAnswer(true, "\(keys.count) acknowledged", alerts: names(keys))
  }

  private mutating func unacknowledge(_ matchers: Matchers, _ author: String, at moment: Moment) -> OrderAnswer {
    let keys = firing(matchers).filter { records[$0]?.notice.acknowledgement != nil }
    guard !keys.isEmpty else { return OrderAnswer(false, "no acknowledged alert is meant by that") }
    for key in keys {
      guard var record = records[key] else { continue }
      record.notice.acknowledgement = nil
      put(key, record)
      decide(
        .acknowledged, key, record, "\(SafeText.escaped(author, limit: 60)) looks after it no more", at: moment)
      publishFiring(key, at: moment)
    }
    return OrderAnswer(true, "\(keys.count) acknowledged no more", alerts: names(keys))
  }

  private mutating func add(_ silence: Silence, at moment: Moment) -> OrderAnswer {
    guard silence.end > max(silence.start, moment.wall) else {
      return OrderAnswer(false, "a silence must end after it begins, and later than now")
    }
    guard silences[silence.id] != nil || silences.count < Self.mostSilences else {
      return OrderAnswer(false, "there are \(Self.mostSilences) silences already; end some of them first")
    }
    silences[silence.id] = silence
    keep(silence)
    isPolicyStale = true
    let keys = firing(silence.matchers)
    let meant = "\(keys.count) that fire just now are meant\(doubt(silence.matchers))"
    return OrderAnswer(true, "silenced until \(silence.end.rfc3339); \(meant)", alerts: names(keys))
  }

  /// What looks like a mistake: a silence may be made for what is not there yet.
  private func doubt(_ matchers: Matchers) -> String {
    func fits(_ rule: Rule) -> Bool {
      nodes.contains { matchers.match(rule, .node($0.name), $0.label) }
        || sites.contains { matchers.match(rule, .site($0.name), Label(site: $0.name)) }
        || matchers.match(rule, .fleet, nil)
    }
    return configuration.rules.contains(where: fits) ? "" : "; no rule and node that are known just now fit"
  }

  private mutating func end(_ id: String, _ author: String, at moment: Moment) -> OrderAnswer {
    guard var silence = silences[id] else {
      return OrderAnswer(false, "there is no silence \(SafeText.quoted(id))")
    }
    silence.ended = moment.wall
    silences[id] = nil
    keep(silence)
    isPolicyStale = true
    log(.information, "the silence \(id) was ended by \(SafeText.escaped(author, limit: 60))")
    return OrderAnswer(true, "the silence \(id) is over")
  }

  mutating func expireSilences(at moment: Moment) {
    for silence in silences.values where silence.isOver(at: moment.wall) {
      silences[silence.id] = nil
      log(.information, "the silence \(silence.id) is over")
    }
  }

  private mutating func keep(_ silence: Silence) {
    guard configuration.keeps else { return }
    effects.append(.keep(.silence(silence)))
  }
}
