internal import Telemetry

/// From a topic and a payload to what is known about a node.
extension FleetState {
  mutating func receive(topic bytes: [UInt8], payload: [UInt8], retained: Bool, at moment: Moment) {
    tally.received += 1
    lastReceived = moment.instant
    rate.note(at: moment.instant)
    guard let topic = String(validating: bytes, as: UTF8.self) else {
      return reject(.topicNotUTF8, "topic \"\(SafeText.escaped(bytes))\" is not UTF-8", at: moment)
    }
    if let own = FleetTopic(topic, under: configuration.alertsPrefix) {
      if own == .command { return takeRequest(payload, retained: retained, at: moment) }
      guard case .alert(let rule, let subject) = own, retained, !payload.isEmpty else {
        tally.own += 1
        return
      }
      return adopt(topic: topic, rule: rule, subject: subject, payload: payload, at: moment)
    }
    guard CommandTopic(topic, under: configuration.prefix) == nil else {
      tally.commands += 1
      return
    }
    guard AckTopic(topic, under: configuration.prefix) == nil else {
      tally.own += 1
      return
    }
    do {
      receive(try Topic(topic, under: configuration.prefix), payload: payload, retained: retained, at: moment)
    } catch {
      if error.reason == .stream {
        tally.unknownStreams += 1
      } else {
        reject(.topic(error.reason), error.description, at: moment)
      }
    }
  }

  private mutating func receive(_ topic: Topic, payload: [UInt8], retained: Bool, at moment: Moment) {
    let stream = topic.stream
    if payload.isEmpty, stream.isRetained {
      tally.cleared += 1
      return
    }
    if case .notListed? = refusal(of: topic.node) { return refuse(topic, .notListed, at: moment) }
    let telegram: Telegram
    do {
      telegram = try Telegram.decode(stream: stream, payload: payload)
    } catch {
      return reject(.payload(error.reason), "\(topic): \(error)", at: moment)
    }
    guard let index = index(of: topic.node, at: moment) else { return refuse(topic, .tooManyNodes, at: moment) }
    if !retained { nodes[index].prefix = topic.prefix }
    take(telegram, payload, retained: retained, node: index, at: moment)
    attendWishes(telegram, payload, retained: retained, node: index, at: moment)
    if !retained { _ = nodes[index].boots.update(telegram.envelope.boot) { $0.prefix = topic.prefix } }
  }

  /// Counts a message that cannot be used.
  /// - Parameter what: topic and trouble, safe to show.
  mutating func reject(_ reason: Rejection, _ what: String, at moment: Moment) {
    tally.rejected[reason, default: 0] += 1
    guard let held = complaints.admit(reason, at: moment.instant) else { return }
    let more = held > 0 ? " (and \(held) more of this kind)" : ""
    log(.warning, "not used, \(reason): \(what)\(more)")
  }

  /// The place of a node, which is made when there is none, the node is admitted and there is room.
  mutating func index(of name: NodeName, at moment: Moment) -> Int? {
    if let index = indices[name] { return index }
    guard refusal(of: name) == nil else { return nil }
    var node = Node(name, at: moment, silenceReference: silenceClock.reading(at: moment.instant))
    node.label = configuration.labels[name]
    node.rules = configuration.rules.indices.filter {
      configuration.rules[$0].kind != .together && configuration.rules[$0].scope.contains(name, node.label)
    }
    if let site = node.label?.site {
      let place = self.site(site)
      node.site = place
      sites[place].nodes.append(nodes.count)
    }
    indices[name] = nodes.count
    nodes.append(node)
    knowPlace(node: nodes.count - 1, at: moment)
    return nodes.count - 1
  }

  // MARK: One telegram

  private mutating func take(
    _ telegram: Telegram, _ payload: [UInt8], retained: Bool, node index: Int, at moment: Moment
  ) {
    let envelope = telegram.envelope
    let was = nodes[index].boot
    let verdict = judge(telegram, retained: retained, node: index, at: moment)
    if verdict.kind == .staleWill { return }
    let better = verdict.receipt == nil ? nil : nodes[index].boots.learnClock(envelope)
    if let better { nodes[index].repairTimes(of: envelope.boot, by: better) }
    let mark = mark(telegram, verdict.kind, retained: retained, node: index, at: moment)
    if !retained {
      learnLag(telegram, node: index, at: moment)
      // What waited while the node was away says nothing of how much it sends.
      if mark.late == nil { countTraffic(node: index, at: moment) }
    }
    if !retained { keepEvent(telegram, payload, mark, node: index, at: moment) }
    let known = verdict.kind == .newBoot ? nodes[index].boots.clock(for: envelope) : better
    keepBoot(envelope.boot, clock: known, node: index)
    guard let receipt = verdict.receipt else { return }
    nodes[index].counts[telegram.body.stream, default: 0] += 1
    tally.taken[Tally.Taken(telegram.body.stream, receipt), default: 0] += 1
    let isLive = !retained && receipt == .newest && mark.late == nil
    let stamp = Stamp(
      envelope, heard: isLive ? moment : nil, order: verdict.order, clock: nodes[index].boots.clock(for: envelope))
    note(.message(telegram, receipt, retained: retained), node: index, telegram, mark.late, at: moment)
    if verdict.kind == .newBoot, let boot = nodes[index].boot {
      note(.boot(boot, was: was), node: index, telegram, at: moment)
      endShakes(node: index, "the node was started anew", at: moment)
    }
    noteHeard(telegram, receipt, isNewBoot: verdict.kind == .newBoot, retained: retained, node: index, at: moment)
    apply(telegram, stamp, mark, retained: retained, receipt, node: index, at: moment)
    if !retained { keepLatest(telegram, payload, stamp, isLate: mark.late != nil, node: index, at: moment) }
    watch(node: index, at: moment)
  }

  /// Where a message belongs among its node's runs, counted.
  private struct Judgement {
    var kind: BootLog.Verdict
    /// Nil for what changes nothing.
    var receipt: Receipt?
    var order: Int
  }

  private mutating func judge(_ telegram: Telegram, retained: Bool, node index: Int, at moment: Moment) -> Judgement {
    let before = nodes[index].interleavings
    let isPresent = nodes[index].presence == .online
    let (kind, order) = nodes[index].boots.judge(
      telegram.envelope, Self.evidence(telegram, retained: retained), isPresent: isPresent)
    if nodes[index].interleavings > before { noteInterleaving(telegram.envelope.boot, node: index, at: moment) }
    var judgement = Judgement(kind: kind, receipt: nil, order: order)
    switch kind {
    case .duplicate where retained: tally.repeats += 1
    case .duplicate:
      tally.duplicates += 1
      nodes[index].duplicates += 1
    case .staleWill:
      tally.staleWills += 1
      nodes[index].stale += 1
    case .newest, .newBoot:
      tally.newest += 1
      judgement.receipt = .newest
    case .late:
      tally.late += 1
      nodes[index].late += 1
      judgement.receipt = .late
    case .formerBoot:
      tally.formerBoot += 1
      nodes[index].stale += 1
      judgement.receipt = .formerBoot
    }
    return judgement
  }

  private static func evidence(_ telegram: Telegram, retained: Bool) -> BootLog.Evidence {
    switch telegram.body {
    case .status(let status) where status.state == .lost: .will
    case .status: retained ? .retainedStatus : .live
    case .acceleration, .health, .reply: retained ? .retained : .live
    case .shake, .waveform, .impact, .freeFall, .orientation, .location, .geofence, .evicted:
      retained ? .retained : .event(isBacklog: telegram.isBacklog)
    }
  }

  mutating func note(
    _ kind: Change.Kind, node index: Int, _ telegram: Telegram?, _ late: Lateness? = nil, at moment: Moment
  ) {
    effects.append(
      .change(
        Change(
          node: nodes[index].name, at: moment, measured: measured(telegram, node: index), late: late, kind: kind)))
  }

  /// When the content was measured, by the best clock that this run of the node is known to have had; nil when nothing
  /// vouches for any.
  func measured(_ telegram: Telegram?, node index: Int) -> WallTime? {
    guard let envelope = telegram?.envelope else { return nil }
    return envelope.measured(by: nodes[index].boots.clock(for: envelope))
  }
}

extension Telegram {
  /// Sent late, from what the node had kept.
  var isBacklog: Bool {
    guard case .location(let location) = body else { return false }
    switch location {
    case .fixed(let position): return position.isBacklog
    case .lost(let loss): return loss.isBacklog
    }
  }
}
