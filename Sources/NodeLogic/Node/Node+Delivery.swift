public import Telemetry

// What becomes of the node's events outside.

extension Node {
  /// The session's own short queue empties within moments [s].
  private static let fullS = 0.2

  /// An event is in memory alone that says on which side of a fence the node is: a power cut would take it.
  var hasUndeliveredCrossing: Bool { !outbox.crossings.isEmpty }

  mutating func disconnect(at now: Instant) {
    outbox.disconnect(isThrownOut: isThrownOut, at: now)
    isThrownOut = false
  }

  /// Takes what the broker, a fleet tool or the spool says of events.
  mutating func settle(_ input: NodeInput, at now: Instant, _ effects: inout [NodeEffect]) {
    let hadCrossing = hasUndeliveredCrossing
    switch input {
    case .delivered(let token): outbox.deliver(token, at: now)
    case .unheard(let token): outbox.leaveUnheard(token, at: now)
    case .denied(let token): outbox.deny(token, at: now)
    case .refused(let token, let isPermanent): outbox.refuse(token, isPermanent: isPermanent, at: now)
    case .full(let token): outbox.takeBack(token, retryS: Node.fullS, at: now)
    case .acknowledged(let payload): confirm(payload, at: now, &effects)
    case .spool(let word): outbox.hear(word, at: now)
    default: break
    }
    if hadCrossing, !hasUndeliveredCrossing { keepLocation(.atOnce, at: now, &effects) }
  }

  private mutating func confirm(_ payload: [UInt8], at now: Instant, _ effects: inout [NodeEffect]) {
    do throws(DecodingProblem) {
      if outbox.confirm(try AckMessage.decode(payload: payload), at: now) { return }
      let text =
        "an acknowledgement names events that were never sent; it is not heeded there: see whether another device has "
        + "this node.id"
      effects.append(.log(Note(.warning, "acknowledgement", text)))
    } catch {
      badAcks += 1
      effects.append(.log(Note(.warning, "acknowledgement", "what came on the topic of acknowledgements is none")))
    }
  }
}

extension Outbox {
  /// What a health message says of it.
  mutating func health(at now: Instant, clock: ClockState, sleeps: SleepLog) -> HealthMessage.Spool {
    var health = HealthMessage.Spool(
      events: count, bytes: bytes, oldestS: oldestAgeS(at: now, clock: clock, sleeps: sleeps).map { max(0, $0) },
      evicted: lost[.evicted] ?? 0)
    let isOnDisk = isSpoolReady && disk.trouble == nil
    health.state = isOnDisk ? .disk : .memory
    if settings.hasSpool { health.trouble = disk.trouble ?? (disk.isOpen ? nil : "not opened yet") }
    health.delivery = isFleet ? .fleet : .broker
    health.unconfirmed = isFleet ? confirmation.count : nil
    health.unsaved = settings.hasSpool ? Self.positive(unsaved) : nil
    health.setAside = Self.positive(setAsideCount)
    health.damaged = Self.positive(disk.damaged)
    let roomBytes = isOnDisk ? settings.spoolBytes - disk.roomBytes : settings.memoryBytes - memoryBytes
    health.lastsS = outlook.lastsS(room: roomBytes, at: now)
    return health
  }

  private static func positive(_ count: Int) -> Int? { count > 0 ? count : nil }

  /// The age of the oldest event [s]; nil when nothing waits, or when it is not known.
  public func oldestAgeS(at now: Instant, clock: ClockState? = nil) -> Double? {
    oldestAgeS(at: now, clock: clock, sleeps: SleepLog())
  }

  func oldestAgeS(at now: Instant, clock: ClockState?, sleeps: SleepLog) -> Double? {
    let inMemory = entries.values.filter { !$0.isFetched }.map(\.madeAt).min()
    let made = [inMemory, disk.own.first.flatMap { outlook.madeAt($0) }].compactMap { $0 }.min()
    let ownS = made.map { now - sleeps.aged($0) }
    guard disk.formerEvents > 0 else { return ownS }
    // What former runs left is older than anything of this one, and only the calendar knows by how much.
    guard let born = disk.oldestBorn, let clock, clock.quality != .none else { return nil }
    return max(clock.wall(at: now) - born, ownS ?? 0)
  }
}
