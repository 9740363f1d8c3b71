import DiskFaults
import Rig

@testable import Spool

/// A spool over a disk in memory, with what it reported, and time at hand.
struct Bench {
  let disk: SimulatedDisk
  let boot: UInt32
  var core: SpoolCore<SimulatedDisk>
  var nowS = 1000.0
  var stored: Set<UInt64> = []
  var notStored: [UInt64] = []
  var evicted: [EvictionNote] = []
  var damaged: [SpoolDamage] = []
  var contents: SpoolContents?
  var states: [SpoolState] = []
  var fetched: [SpoolFetched] = []
  var isStopped = false

  init(
    _ disk: SimulatedDisk = SimulatedDisk(), boot: UInt32 = 0xB001, owner: String = "", capBytes: Int = 1_048_576,
    capAgeS: Double? = nil,
    opens: Bool = true
  ) {
    self.disk = disk
    self.boot = boot
    core = SpoolCore(
      disk: disk, boot: boot, owner: owner, limits: SpoolLimits(capBytes: capBytes, capAgeS: capAgeS))
    if opens { take(core.open(atS: nowS)) }
  }

  var state: SpoolState { core.state }
  var events: Int { core.lanes.reduce(0) { $0 + $1.events } }

  mutating func take(_ reports: [SpoolReport]) {
    for report in reports {
      switch report {
      case .opened(let contents): self.contents = contents
      case .stored(_, let sequences): stored.formUnion(sequences)
      case .notStored(_, let sequences, _): notStored += sequences
      case .fetched(let answer): fetched.append(answer)
      case .evicted(let note): evicted.append(note)
      case .damaged(let damage): damaged.append(damage)
      case .state(let state): states.append(state)
      case .stopped: isStopped = true
      }
    }
  }

  mutating func ask(_ request: SpoolRequest) { take(core.handle(request, atS: nowS)) }

  mutating func append(
    _ sequence: UInt64, _ lane: SpoolLane = .shock, bytes: Int = 200, note: UInt64? = nil, bornAtS: Double? = nil
  ) {
    ask(.append(record(sequence, lane, bytes: bytes, note: note), bornAtS: bornAtS))
  }

  func record(_ sequence: UInt64, _ lane: SpoolLane, bytes: Int = 200, note: UInt64? = nil) -> SpoolRecord {
    SpoolRecord(
      boot: boot, sequence: sequence, lane: lane, kind: lane.rawValue + 1, note: note,
      payload: payload(of: sequence, boot: boot, bytes: bytes))
  }

  /// Lets time pass, and wakes the core whenever it wants to be.
  mutating func pass(_ seconds: Double) {
    let endS = nowS + seconds
    while let nextS = core.nextDeadlineS, nextS <= endS {
      nowS = max(nowS, nextS)
      take(core.tick(atS: nowS))
    }
    nowS = endS
    take(core.tick(atS: nowS))
  }

  /// Everything that is kept, by fetches of that size.
  mutating func everything(limit: Int = 100, isWaveform: Bool = false) -> [SpoolRecord] {
    var records: [SpoolRecord] = []
    var after: SpoolPosition?
    while true {
      fetched = []
      ask(.fetch(SpoolFetch(id: 1, isWaveform: isWaveform, after: after, limit: limit, limitBytes: 262_144)))
      guard let answer = fetched.last else { return records }
      records += answer.records
      if answer.isEnd { return records }
      after = answer.last
    }
  }

  mutating func allSequences() -> [UInt64] {
    (everything() + everything(isWaveform: true)).map(\.sequence)
  }

  /// The next run on the same disk.
  func next(boot: UInt32? = nil, capBytes: Int? = nil) -> Bench {
    Bench(
      disk, boot: boot ?? self.boot + 1, capBytes: capBytes ?? core.limits.capBytes, capAgeS: core.limits.capAgeS)
  }
}

/// A payload that belongs to one number and no other.
func payload(of sequence: UInt64, boot: UInt32, bytes: Int) -> [UInt8] {
  let text = Array("{\"boot\":\(boot),\"seq\":\(sequence),".utf8)
  return text + [UInt8](repeating: UInt8(truncatingIfNeeded: sequence) & 0x3F + 0x30, count: max(0, bytes - text.count))
}
