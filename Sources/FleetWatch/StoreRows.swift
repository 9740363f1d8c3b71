internal import FleetLogic
internal import Store
internal import Telemetry

// Between what the fleet's state wants kept and the rows of the store.

extension StoreBatch {
  init(_ batch: HeldBatch, id: UInt64, now: WallTime?) {
    self.init(id: id, now: now)
    events = batch.events.map { EventRow($0) }
    evictions = batch.events.compactMap { EvictionRow($0) }
    latest = batch.latest.values.compactMap { LatestRow($0) }
    boots = batch.notes.map {
      BootNote(
        node: $0.node, boot: $0.boot, clock: $0.clock, interleavings: $0.interleavings, replays: $0.replays)
    }
    for (place, alert) in batch.alerts {
      let identity = AlertIdentity(rule: place.rule, subject: place.subject.description)
      if let alert {
        alerts.append(Store.KeptAlert(alert, identity))
      } else {
        forgottenAlerts.append(identity)
      }
    }
    changes = batch.decisions.map { .decision(KeptDecision($0)) }
    changes += batch.silences.values.map { .silence(KeptSilence($0)) }
    changes += batch.wishes.values.map { .wish(KeptWish($0)) }
    changes += batch.texts.values.map { .note(key: $0.key, text: $0.text) }
  }
}

extension EventRow {
  init(_ event: KeptEvent) {
    self.init(
      node: event.node, boot: event.boot, sequence: event.sequence, stream: event.stream, measured: event.measured,
      clock: event.clock, uptimeS: event.uptime, received: event.received, isLate: event.isLate, payload: event.payload)
  }
}

extension EvictionRow {
  /// Nil for an event that tells of none.
  init?(_ event: KeptEvent) {
    guard let eviction = event.eviction, event.doubt != .conflict else { return nil }
    self.init(
      node: event.node, ofBoot: eviction.boot, boot: event.boot, sequence: event.sequence, range: eviction.range,
      runs: eviction.runs ?? [], events: eviction.events.map { UInt64(clamping: $0) },
      reason: eviction.reason.rawValue, received: event.received)
  }
}

extension LatestRow {
  /// Nil for a place that this version doesn't know.
  init?(_ message: KeptMessage) {
    guard let stream = message.stream else { return nil }
    let part = message.place.dropFirst(stream.rawValue.utf8.count + 1)
    self.init(
      node: message.node, stream: stream, part: String(part), received: message.isLate ? nil : message.received,
      payload: message.payload)
  }
}

extension KeptMessage {
  init(_ row: LatestRow) {
    self.init(
      node: row.node, place: row.part.isEmpty ? row.stream.rawValue : "\(row.stream.rawValue)/\(row.part)",
      received: row.received ?? WallTime(seconds: 0), isLate: row.received == nil, payload: row.payload)
  }
}

extension Store.KeptAlert {
  /// The columns are for people who look; what counts is the line in `details`.
  init(_ alert: FleetLogic.KeptAlert, _ identity: AlertIdentity) {
    let (phase, leftS): (Phase, Double?) =
      switch alert.phase {
      case .quiet where alert.untold.isEmpty: (.quiet, nil)
      case .over, .quiet: (.resolved, nil)
      case .pending(let leftS): (.pending, leftS)
      case .firing(let leftS): (.firing, leftS)
      case .clearing(let leftS): (.clearing, leftS)
      }
    self.init(
      identity, phase: phase, since: alert.since, changed: alert.at, leftS: leftS, count: alert.count,
      value: alert.value, shakeBoot: alert.lastShake?.boot, shakeID: alert.lastShake?.id,
      telling: UInt64(alert.untold.count), isTold: alert.untold.isEmpty, details: alert.encode())
  }
}

extension FleetLogic.KeptFleet {
  init(_ kept: Store.KeptFleet) {
    let nodes = kept.nodes.map { node in
      FleetLogic.KeptNode(
        name: node.name, boots: node.boots.map { FleetLogic.KeptBoot($0) },
        latest: node.latest.map { KeptMessage($0) })
    }
    let times = kept.nodes.flatMap { node in node.boots.map(\.last) + node.latest.compactMap(\.received) }
    self.init(
      nodes: nodes, alerts: kept.alerts.compactMap { FleetLogic.KeptAlert(decoding: $0.details) },
      silences: kept.silences.compactMap { Silence($0) },
      notes: kept.notes.map { KeptText(key: $0.key, text: $0.value) }, lastReceived: times.max())
    wishes = kept.wishes.compactMap { Wish($0) }
  }
}

extension FleetLogic.KeptBoot {
  init(_ kept: Store.KeptBoot) {
    let first = kept.sequence > 0 ? [1...kept.sequence] : []
    self.init(boot: kept.boot, settled: first + kept.also, clock: kept.clock)
    interleavings = kept.interleavings
    conflicts = kept.conflicts
    replays = kept.replays
  }
}

extension KeptDecision {
  init(_ decision: Decision) {
    self.init(
      at: decision.at, AlertIdentity(rule: decision.rule, subject: decision.subject.description), alert: decision.alert,
      step: decision.step.rawValue, state: decision.told?.state.rawValue, reason: decision.reason,
      details: decision.told.map { FleetJSON.alert($0) })
  }
}

extension KeptSilence {
  init(_ silence: Silence) {
    self.init(
      id: silence.id, start: silence.start, end: silence.end, author: silence.author, comment: silence.comment,
      matchers: String(decoding: silence.matchers.encode(), as: UTF8.self), made: silence.made, ended: silence.ended)
  }
}

extension Silence {
  /// Nil for one that this version cannot read.
  init?(_ kept: KeptSilence) {
    guard let matchers = Matchers(decoding: Array(kept.matchers.utf8)), let end = kept.end else { return nil }
    self.init(
      id: kept.id, matchers, start: kept.start ?? kept.made, end: end, author: kept.author ?? "",
      comment: kept.comment ?? "", made: kept.made)
    ended = kept.ended
  }
}

extension KeptWish {
  init(_ wish: Wish) {
    self.init(
      id: wish.id, node: wish.node, command: String(decoding: wish.message.encode(), as: UTF8.self), made: wish.made,
      expires: wish.expires, author: wish.author, state: wish.state.rawValue, changed: wish.changed, reply: wish.reply)
  }
}

extension Wish {
  /// Nil for one that this version cannot read.
  init?(_ kept: KeptWish) {
    guard let message = try? CommandMessage.decode(payload: Array(kept.command.utf8)), let expires = kept.expires,
      let state = State(rawValue: kept.state)
    else { return nil }
    self.init(
      id: kept.id, kept.node, .init(message), author: kept.author ?? "", made: kept.made,
      expires: expires)
    self.state = state
    changed = kept.changed
    reply = kept.reply
  }
}
