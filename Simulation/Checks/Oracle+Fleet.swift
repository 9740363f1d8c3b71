import FleetLogic
import Telemetry

/// What the fleet tool keeps and tells.
extension Oracle {
  /// An event is on the fleet tool's disk.
  func committed(_ event: KeptEvent, of node: Int, isNew: Bool) {
    let key = EventKey(node, event.boot.value, event.sequence)
    world.expect(events[key] != nil, .i9Once, "\(key) is stored by the fleet tool, and nobody made it")
    world.expect(events[key]?.stream == event.stream, .i9Once, "\(key) is of another stream at the fleet tool")
    world.expect(events[key]?.isCommitted != isNew, .i9Once, "\(key) is stored twice")
    world.expect(event.doubt != .conflict, .i9Once, "\(key) came with another content")
    if isNew { noteCommit() }
    events[key]?.isCommitted = true
    guard isNew, let eviction = event.eviction, let runs = eviction.runs else { return }
    for run in runs {
      for number in run { told(EventKey(node, eviction.boot.value, number), by: key, eviction.reason) }
    }
  }

  private func told(_ key: EventKey, by teller: EventKey, _ reason: EvictedMessage.Reason) {
    guard events[key] != nil else {
      // What the spool does not take may be given up in memory before anybody hears of it.
      if reason == .unsaved { return noteUnheard(key, by: teller) }
      return world.violated(.i5Cap, "\(teller) tells that \(key) was given up, and nobody made it")
    }
    events[key]?.toldBy.insert(teller)
  }

  private func noteUnheard(_ key: EventKey, by teller: EventKey) {
    var fate = EventFate(stream: .evicted, madeAtS: world.nowS, life: events[teller]?.life ?? 0, size: 0)
    fate.toldBy = [teller]
    events[key] = fate
  }

  /// What the fleet tool acknowledges must be on its disk.
  func acknowledged(_ ack: AckMessage, of node: Int) {
    var numbers = ack.sequence > 0 ? Array(1...ack.sequence) : []
    for run in ack.also { numbers += Array(run) }
    for number in numbers {
      let fate = events[EventKey(node, ack.boot.value, number)]
      world.expect(
        fate?.isCommitted == true || fate?.toldEvicted == true, .i9Once,
        "event \(number) of \(ack.boot) is acknowledged, and not committed")
    }
  }

  // MARK: In the end

  /// Everything that was promised is at the fleet tool, or it knows that it will not come: delivered and told as given
  /// up make what was made.
  func judge() {
    for (key, fate) in events.sorted(by: {
      ($0.key.node, $0.key.boot, $0.key.sequence) < ($1.key.node, $1.key.boot, $1.key.sequence)
    }) {
      checkTellers(of: key, fate)
      let isPromised = fate.isStored || fate.life == lives[key.node]
      guard isPromised, !fate.isCommitted, !isToldEvicted(key), !fate.isLeftToBroker else { continue }
      guard !fate.answers.contains(.denied) else { continue }
      world.violated(
        fate.isEvicted ? .i5Cap : .endToEnd, "\(key) (\(fate.stream.rawValue)) never arrived, nor was told: \(fate)")
    }
  }

  /// Told once, but where what told it was given up itself or its run ended.
  private func checkTellers(of key: EventKey, _ fate: EventFate) {
    let valid = fate.toldBy.filter { events[$0]?.isEvicted != true && events[$0]?.toldEvicted == false }
    world.expect(
      Set(valid.map(\.boot)).count == valid.count, .i5Cap, "\(key) is told as given up by \(fate.toldBy)")
  }

  /// Told by an event that arrived, or by one whose own duty ended at the broker.
  private func isToldEvicted(_ key: EventKey) -> Bool {
    guard let fate = events[key] else { return false }
    if fate.toldEvicted { return true }
    return (publishedTellers[key] ?? []).contains { teller in
      guard let fate = events[teller] else { return false }
      return fate.isCommitted || fate.isLeftToBroker || fate.answers.contains(.denied)
    }
  }
}
