public import Telemetry

// What a fleet tool says it has stored.

extension Outbox {
  /// Higher numbers than this nobody counts to: JSON readers keep integers to here.
  private static let highest: UInt64 = 1 << 53

  /// Takes what a fleet tool has stored: exactly that has reached its end. Answers false, and counts it, where that
  /// names a run that is not known, or a number that was never sent; what else it names is taken.
  @discardableResult
  public mutating func confirm(_ ack: AckMessage, at now: Instant) -> Bool {
    let isOwn = ack.boot == boot
    let top = ack.also.last?.upperBound ?? ack.sequence
    guard top <= (isOwn ? handedOver.last ?? 0 : Self.highest), isOwn || disk.knows(ack.boot) else {
      strangeAcks += 1
      return false
    }
    var runs = SequenceRuns(ack.also)
    if ack.sequence > 0 { runs.insert(1...ack.sequence) }
    let isHonest = !isOwn || narrow(&runs)
    if !isHonest { strangeAcks += 1 }
    noteFleet()
    if trial.end(isHeard: true) { readAgain() }
    for run in runs.runs { end(run, of: ack.boot) }
    sendAgain(confirmation.confirm(runs, of: ack.boot, at: now), of: ack.boot)
    return isHonest
  }

  /// Leaves only what somebody outside may know. Answers whether that is all.
  private func narrow(_ runs: inout SequenceRuns) -> Bool {
    var known = SequenceRuns()
    for run in runs.runs { known.formUnion(handedOver.intersection(run)) }
    defer { runs = known }
    return known.count == runs.count
  }

  private mutating func noteFleet() {
    guard !fleetAcknowledges else { return }
    fleetAcknowledges = true
    if settings.hasSpool { wishes.append(.fleetAcknowledges) }
    notices.append(.fleet)
  }

  /// The duty to keep these has ended, wherever they are.
  mutating func end(_ run: ClosedRange<UInt64>, of boot: BootID) {
    for key in keysInMemory(run, of: boot) {
      guard let token = tokens[key] else { continue }
      if entries[token]?.phase == .underWay { entries[token]?.isSettled = true } else { settle(token) }
    }
    var rest = SequenceRuns([run])
    rest.subtract(settled[boot].intersection(run))
    settled.insert(rest, of: boot)
    guard disk.isOpen, !rest.isEmpty else { return }
    disk.settle(rest, isOwn: boot == self.boot, count: nil)
    releases.insert(rest, of: boot)
  }

  func keysInMemory(_ run: ClosedRange<UInt64>, of boot: BootID) -> [EventKey] {
    if run.upperBound - run.lowerBound < UInt64(entries.count) {
      return run.map { EventKey(boot: boot, sequence: $0) }
    }
    return tokens.keys.filter { $0.boot == boot && run.contains($0.sequence) }
  }

  /// Nothing that the fleet tool says is to be expected of an event of a former run.
  mutating func endTrial(of key: EventKey) { endTrial(of: SequenceRuns([key.sequence...key.sequence]), key.boot) }

  mutating func endTrial(of runs: SequenceRuns, _ boot: BootID) {
    if trial.remove(runs, of: boot) { readAgain() }
  }

  /// All that is on the disk is to be looked at again.
  mutating func readAgain() {
    guard disk.isOpen else { return }
    routineReader.revisit(after: nil)
    waveformReader.revisit(after: nil)
  }

  /// These are to go out once more.
  mutating func sendAgain(_ runs: SequenceRuns, of boot: BootID) {
    guard let first = runs.first, let last = runs.last else { return }
    for run in runs.runs {
      for key in keysInMemory(run, of: boot) {
        guard let token = tokens[key], var entry = entries[token], entry.phase == .unconfirmed else { continue }
        entry.phase = .waiting
        entry.isLate = true
        entries[token] = entry
        enqueue(token, entry)
      }
    }
    guard disk.isOpen else { return }
    let isOwn = boot == self.boot
    let (after, goal) = isOwn ? (disk.mark(before: first), disk.mark(of: last)) : (nil, nil)
    routineReader.revisit(after: after, through: goal)
    waveformReader.revisit(after: after, through: goal)
  }
}
