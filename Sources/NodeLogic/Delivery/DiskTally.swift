internal import Telemetry

/// What the spool holds, as far as the outbox knows.
struct DiskTally: Sendable {
  /// The spool has said what it holds.
  private(set) var isOpen = false
  /// Why it takes nothing just now.
  var trouble: String?
  /// Numbers of this run that are on the disk and have not reached their end.
  private(set) var own = SequenceRuns()
  /// Events of former runs.
  private(set) var formerEvents = 0
  /// When the oldest of them was measured; nil: not known.
  private(set) var oldestBorn: WallTime?
  /// Words about what was given up that are lost themselves.
  private(set) var untold = 0
  /// Places that could not be read back.
  var damaged = 0
  /// What it takes on the disk, and what of that waits, as the spool says [bytes].
  private var sizeBytes: Int?
  private var waitingBytes: Int?
  private var payloadBytes = 0
  private var ordinal: UInt32?
  private var ranks: [BootID: Int] = [:]

  var events: Int { own.count + formerEvents }
  /// What they take [bytes].
  var bytes: Int { events == 0 ? 0 : max(0, waitingBytes ?? payloadBytes) }
  /// What it takes on the disk, with what is released and not removed yet [bytes].
  var roomBytes: Int { sizeBytes ?? bytes }

  mutating func open(_ contents: SpoolContents) {
    isOpen = true
    formerEvents = contents.events
    payloadBytes += contents.bytes
    oldestBorn = contents.oldestBorn
    ordinal = contents.bootOrdinal
    for boot in contents.boots { _ = rank(boot) }
  }

  /// The place of a former run among those that are known, from now on.
  @discardableResult
  mutating func rank(_ boot: BootID) -> Int {
    if let rank = ranks[boot] { return rank }
    ranks[boot] = ranks.count
    return ranks.count - 1
  }

  func knows(_ boot: BootID) -> Bool { ranks[boot] != nil }

  /// Whether run `a` is the older; one that is not known is this one.
  func isOlder(_ a: BootID, _ b: BootID) -> Bool { (ranks[a] ?? .max) < (ranks[b] ?? .max) }

  /// Behind which place an event of this run is found.
  func mark(before sequence: UInt64) -> SpoolMark? {
    ordinal.map { SpoolMark(bootOrdinal: $0, sequence: sequence - 1) }
  }

  /// The place of an event of this run.
  func mark(of sequence: UInt64) -> SpoolMark? { ordinal.map { SpoolMark(bootOrdinal: $0, sequence: sequence) } }

  mutating func store(_ sequence: UInt64, bytes: Int) {
    own.insert(sequence)
    payloadBytes += bytes
  }

  mutating func settle(_ key: EventKey, isOwn: Bool, bytes: Int) {
    payloadBytes -= bytes
    defer { if events == 0 { payloadBytes = 0 } }
    if isOwn { own.remove(key.sequence) } else { formerEvents = max(0, formerEvents - 1) }
  }

  /// These are gone. `count`: how many of a former run they are; nil: that is not known, and the spool will tell.
  mutating func settle(_ runs: SequenceRuns, isOwn: Bool, count: Int?) {
    defer { if events == 0 { payloadBytes = 0 } }
    if isOwn { return own.subtract(runs) }
    formerEvents = max(0, formerEvents - (count ?? 0))
  }

  mutating func take(_ condition: SpoolCondition) {
    untold = condition.untold
    trouble = condition.trouble
    sizeBytes = condition.sizeBytes ?? sizeBytes
    waitingBytes = condition.bytes ?? waitingBytes
    guard let former = condition.formerEvents else { return }
    formerEvents = former
    oldestBorn = condition.oldestBorn
  }

  mutating func note(_ damage: SpoolDamage) { damaged += damage.isTorn ? 0 : 1 }

  /// An event of this run was read from here.
  mutating func learn(_ mark: SpoolMark) { ordinal = mark.bootOrdinal }
}
