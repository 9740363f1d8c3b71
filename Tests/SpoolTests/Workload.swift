import DiskFaults
import Rig

@testable import Spool

/// A node's life in short: events of all lanes, an outage, deliveries, evictions, notes told. The same for a seed.
struct Workload {
  var bench: Bench
  var witness = Witness()
  private var random: SeededRandom
  private var sequence: UInt64 = 0
  private var runs: [UInt32]
  /// What the caller keeps since it is not stored.
  private var pending: [UInt64: SpoolRecord] = [:]
  private var handled = 0
  private(set) var largestBytes = 0
  /// What told of losses, was given up, and was told by something else.
  private(set) var toldAgain = 0

  static let capBytes = 65_536

  /// Nothing is of less account than what tells of losses.
  private let isAllShocks: Bool

  init(seed: UInt64, disk: SimulatedDisk = SimulatedDisk(), boot: UInt32 = 0x100, isAllShocks: Bool = false) {
    self.isAllShocks = isAllShocks
    random = SeededRandom(seed: seed)
    runs = [boot]
    bench = Bench(disk, boot: boot, capBytes: Workload.capBytes)
    hear()
  }

  /// Goes on until `steps` are done or the disk is dead.
  mutating func run(steps: Int) {
    for _ in 0..<steps where !bench.disk.isDead {
      step()
      hear()
      largestBytes = max(largestBytes, bench.disk.sizeBytes)
    }
  }

  private mutating func step() {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<8: append(lane(), bytes: Int.random(in: 20...1500, using: &random))
    case 8..<10: append(.waveform, bytes: Int.random(in: 2000...6000, using: &random))
    case 10..<13: bench.pass(Double.random(in: 0.01...1, using: &random))
    case 13: bench.pass(6)
    case 14..<17: releaseSome()
    case 17: offerAgain()
    case 18: _ = bench.everything(limit: 20)
    default:
      bench.ask(.fleetAcknowledges)
      appendUnnoted()
    }
  }

  /// Tells of losses that the caller had itself.
  private mutating func appendUnnoted() {
    sequence += 1
    var record = bench.record(sequence, .shock, note: 0)
    record.payload = withUnsafeBytes(of: UInt64(bench.boot) << 32 | sequence | 1 << 63, Array.init)
    witness.append(record)
    pending[sequence] = record
    bench.ask(.append(record, bornAtS: nil))
  }

  private mutating func lane() -> SpoolLane { Bool.random(using: &random) ? .shock : .routine }

  private mutating func append(_ lane: SpoolLane, bytes: Int = 0, note: EvictionNote? = nil) {
    sequence += 1
    var record = bench.record(sequence, isAllShocks ? .shock : lane, bytes: bytes, note: note?.id)
    if let note {
      record.payload = Witness.telling(of: note)
      toldAgain += note.tellings.count
    }
    witness.append(record)
    pending[sequence] = record
    bench.ask(.append(record, bornAtS: nil))
  }

  /// Mostly what is new, as deliveries are.
  private mutating func releaseSome() {
    let boot = Bool.random(using: &random) ? bench.boot : runs.randomElement(using: &random) ?? bench.boot
    let end = boot == bench.boot ? sequence : 400
    guard end > 0 else { return }
    let first = UInt64.random(in: 1...end, using: &random)
    let range = first...min(end, first + UInt64.random(in: 0..<4, using: &random))
    witness.release(boot, range)
    if boot == bench.boot { for number in range { pending[number] = nil } }
    bench.ask(.release(boot: boot, range))
  }

  private mutating func offerAgain() {
    for record in pending.values.sorted(by: { $0.sequence < $1.sequence })
    where bench.notStored.contains(record.sequence) {
      bench.notStored.removeAll { $0 == record.sequence }
      bench.ask(.append(record, bornAtS: nil))
    }
  }

  /// Takes in what the spool said, and tells of what was given up.
  private mutating func hear() {
    witness.hear(stored: bench.stored, of: bench.boot)
    for sequence in bench.stored { pending[sequence] = nil }
    bench.stored = []
    while handled < bench.evicted.count {
      let note = bench.evicted[handled]
      handled += 1
      witness.hear(note)
      if note.boot == bench.boot { for number in note.runs.joined() { pending[number] = nil } }
      if !bench.disk.isDead { append(.shock, note: note) }
    }
  }

  /// The next run, after what has happened to the disk.
  mutating func startAgain(checks: Bool = true) {
    bench = bench.next(boot: bench.boot + 1)
    sequence = 0
    pending = [:]
    handled = 0
    guard !bench.disk.isDead, let contents = bench.contents else { return }
    runs.append(bench.boot)
    if checks { check(contents) }
    for note in contents.notes where !bench.disk.isDead { append(.shock, note: note) }
    hear()
  }

  private mutating func check(_ contents: SpoolContents) {
    let found = bench.everything() + bench.everything(isWaveform: true)
    guard !bench.disk.isDead else { return }
    witness.check(found, contents)
  }

  mutating func powerCut() { bench.disk.powerCut(using: &random) }
}
