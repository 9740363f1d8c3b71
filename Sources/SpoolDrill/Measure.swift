internal import Glibc
internal import Spool

/// What the spool costs, in a process of its own: `SpoolDrill costs FOLDER EVENTS BATCH` writes events in batches, and
/// `SpoolDrill drain FOLDER EVENTS CAP_BYTES` fills a spool, opens it, and fetches and releases everything.
struct Measure {
  private let folder: String
  private let events: UInt64
  private let batch: UInt64?
  private let capBytes: Int
  static let payloadBytes = 220

  init?(_ arguments: [String]) {
    guard arguments.count == 5, ["costs", "drain"].contains(arguments[1]), let events = UInt64(arguments[3]),
      let number = Int(arguments[4])
    else { return nil }
    folder = arguments[2]
    self.events = events
    batch = arguments[1] == "costs" ? UInt64(number) : nil
    capBytes = batch == nil ? number : 64 << 20
  }

  func run() {
    if let batch { costs(batch) } else { drain() }
  }

  private func core(boot: UInt32) -> SpoolCore<LinuxDisk> {
    SpoolCore(disk: LinuxDisk(folder: folder), boot: boot, limits: SpoolLimits(capBytes: capBytes, capAgeS: nil))
  }

  private func record(_ sequence: UInt64, _ lane: SpoolLane) -> SpoolRecord {
    let start = Drill.payload(1, sequence, 0)
    let payload = start + [UInt8](repeating: 0x2E, count: Measure.payloadBytes - start.count)
    return SpoolRecord(boot: 1, sequence: sequence, lane: lane, kind: 1, payload: payload)
  }

  /// One line: bytes that the kernel counts as written, bytes that the spool wrote, syncs; all of them an event.
  private func costs(_ batch: UInt64) {
    var core = core(boot: 1)
    _ = core.open(atS: 0)
    let before = Measure.writtenBytes
    let startUS = Measure.nowUS
    var state = SpoolState()
    for sequence in 1...events {
      _ = core.handle(.append(record(sequence, .routine), bornAtS: nil), atS: Double(sequence))
      guard sequence % batch == 0 else { continue }
      // The lane's deadline: all that came is brought to the disk.
      for case .state(let new) in core.tick(atS: Double(sequence) + 10) { state = new }
    }
    let us = Measure.nowUS - startUS
    for case .state(let new) in core.tick(atS: Double(events) + 20) { state = new }
    let written = Measure.writtenBytes - before
    say(
      "costs \(batch) \(written / Int(events)) \(state.writtenBytes / Int(events)) "
        + "\(state.syncs * 1000 / Int(events)) \(us / Int(events))")
  }

  private func drain() {
    var filler = core(boot: 1)
    _ = filler.open(atS: 0)
    for sequence in 1...events {
      _ = filler.handle(
        .append(record(sequence, sequence % 2 == 0 ? .shock : .routine), bornAtS: 1e9), atS: Double(sequence) / 1000)
      if sequence % 100 == 0 { _ = filler.tick(atS: Double(sequence) / 1000) }
    }
    _ = filler.handle(.stop, atS: Double(events))
    let rssBefore = Measure.residentKB
    var core = core(boot: 2)
    let startUS = Measure.nowUS
    var kept = 0
    for case .opened(let contents) in core.open(atS: 0) { kept = contents.lanes.reduce(0) { $0 + $1.events } }
    let openedUS = Measure.nowUS
    let rss = Measure.residentKB
    var count = 0
    var atS = 0.0
    var isEnd = false
    while !isEnd {
      atS += 0.01
      let fetch = SpoolFetch(id: 1, isWaveform: false, after: nil, limit: 100, limitBytes: 262_144)
      var said = core.handle(.fetch(fetch), atS: atS)
      said += core.tick(atS: atS)
      for case .fetched(let answer) in said {
        count += answer.records.count
        for record in answer.records {
          _ = core.handle(.release(boot: record.boot, record.sequence...record.sequence), atS: atS)
        }
        isEnd = answer.records.isEmpty
      }
    }
    let endUS = Measure.nowUS
    say(
      "drain \(kept) \(openedUS - startUS) \(rss - rssBefore) \(count) \(endUS - openedUS) \(Measure.residentKB)")
  }

  private static var nowUS: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  /// A field of a file in /proc/self, in the unit that it has there; 0 where there is none.
  private static func field(_ name: String, of file: String) -> Int {
    guard let stream = fopen("/proc/self/\(file)", "r") else { return 0 }
    defer { fclose(stream) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, stream) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix(name) else { continue }
      return Int(text.split { !$0.isNumber }.last ?? "") ?? 0
    }
    return 0
  }

  private static var writtenBytes: Int { field("write_bytes", of: "io") }
  private static var residentKB: Int { field("VmRSS", of: "status") }
}
