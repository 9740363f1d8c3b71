import DiskFaults

@testable import Spool

/// Whatever lies in the spool's folder: it opens, tells what it finds once and the same a second time, gives it out in
/// order, and goes on. The first byte chooses what the others are.
func checkSegment(_ bytes: [UInt8]) throws(Violation) {
  guard let choice = bytes.first else { return }
  let content = Array(bytes.dropFirst())
  let disk = SimulatedDisk()
  let name = SegmentName(number: 1, lane: .shock, ordinal: 1, boot: 0xB001)
  let header = SegmentHeader(name: name, predecessor: 0, predecessorBytes: 0).encoded
  switch choice % 4 {
  case 0: disk.overwrite(name.text, content)
  case 1: disk.overwrite(name.text, header + content)
  case 2: disk.overwrite(name.text, header + records(content, in: name))
  default:
    disk.overwrite(name.text, header + records([3, 1, 2, 3, 1, 9, 9], in: name))
    let state = Array("JSTA".utf8) + [1] + content
    disk.overwrite("state", state + bytesOf(CRC32C.of(state)))
  }
  let first = try open(disk, boot: 0xB002)
  let again = try open(disk, boot: 0xB003)
  try require(first == again, "\(first) events at first and \(again) when it is opened again")
}

/// Bytes as records whose checksums are right: a length, so many bytes of payload, and so on.
private func records(_ bytes: [UInt8], in name: SegmentName) -> [UInt8] {
  var rest = bytes[...]
  var result: [UInt8] = []
  while let length = rest.popFirst() {
    let payload = Array(rest.prefix(Int(length)))
    rest = rest.dropFirst(payload.count)
    let record = SpoolRecord(
      boot: name.boot, sequence: UInt64(length) << (UInt64(payload.first ?? 0) % 60), lane: name.lane,
      kind: payload.last ?? 0, note: length % 5 == 0 ? UInt64(length) : nil, payload: payload)
    result += RecordFrame(record, bornAtS: Double(length) * 1e7).encoded(payload, in: name)
    if length % 7 == 0 { result += payload }
  }
  return result
}

private func bytesOf(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

/// Opens it, reads everything, keeps one more event, and ends. Answers how many of the earlier events there were.
private func open(_ disk: SimulatedDisk, boot: UInt32) throws(Violation) -> Int {
  let core = SpoolCore(disk: disk, boot: boot, limits: SpoolLimits(capBytes: 1_000_000, capAgeS: nil))
  var spool = core
  var contents: SpoolContents?
  for report in spool.open(atS: 0) {
    if case .opened(let found) = report { contents = found }
  }
  guard let contents else { throw Violation(text: "does not open") }
  let events = contents.lanes.reduce(0) { $0 + $1.events }
  try require(try readAll(&spool) == events, "other events are read than counted")
  var isStored = false
  let record = SpoolRecord(boot: boot, sequence: 1, lane: .shock, kind: 1, payload: [1, 2, 3])
  for report in spool.handle(.append(record, bornAtS: nil), atS: 1) + spool.tick(atS: 2) {
    if case .stored = report { isStored = true }
  }
  try require(isStored, "takes nothing more")
  _ = spool.handle(.release(boot: boot, 1...1), atS: 3) + spool.handle(.stop, atS: 3)
  disk.restart()
  return events
}

private func readAll(_ spool: inout SpoolCore<SimulatedDisk>) throws(Violation) -> Int {
  var count = 0
  for isWaveform in [false, true] {
    var after: SpoolPosition?
    for round in 0... {
      try require(round < 10_000, "reading has no end")
      let fetch = SpoolFetch(id: 1, isWaveform: isWaveform, after: after, limit: 100, limitBytes: 100_000)
      guard case .fetched(let found)? = spool.handle(.fetch(fetch), atS: 0).first(where: { $0.isFetched }) else {
        throw Violation(text: "no answer")
      }
      count += found.records.count
      if found.isEnd || found.last == nil { break }
      if let after, let last = found.last { try require(after < last, "reading goes back") }
      after = found.last
    }
  }
  return count
}

extension SpoolReport {
  fileprivate var isFetched: Bool { if case .fetched = self { true } else { false } }
}
