import DiskFaults
import Foundation
import Rig
import Testing

@testable import Spool

/// A segment of 64 kB through the reader with every bit turned and every length: `JUDDER_SPOOL_FLIPS=all`; a part of
/// them else.
@Suite("Damaged segments")
struct DamageTests {
  private let name = SegmentName(number: 7, lane: .shock, ordinal: 3, boot: 0xCAFE)
  private let isFull = ProcessInfo.processInfo.environment["JUDDER_SPOOL_FLIPS"] == "all"

  /// The bytes, and where each record begins.
  private func segment(bytes limit: Int) -> (bytes: [UInt8], starts: [Int]) {
    var random = SeededRandom(seed: 64)
    var bytes = SegmentHeader(name: name, predecessor: 0, predecessorBytes: 0).encoded
    var starts: [Int] = []
    while bytes.count < limit {
      starts.append(bytes.count)
      let number = UInt64(starts.count)
      let record = SpoolRecord(
        boot: name.boot, sequence: number, lane: name.lane, kind: 1, note: number % 50 == 0 ? number : nil,
        payload: payload(of: number, boot: name.boot, bytes: Int.random(in: 100...400, using: &random)))
      let frame = RecordFrame(record, bornAtS: 1_900_000_000)
      bytes += frame.encoded(record.payload, in: name)
    }
    return (bytes, starts)
  }

  /// The three records around a place, as a segment of their own: the reader sees nothing else of the rest.
  private func surroundings(_ place: Int, _ bytes: [UInt8], _ starts: [Int]) -> (bytes: [UInt8], skipped: Int, of: Int)
  {
    let index = max(0, (starts.lastIndex { $0 <= place } ?? 0) - 1)
    let end = index + 4 < starts.count ? starts[index + 4] : bytes.count
    let start = starts[index]
    return (
      Array(bytes[..<SegmentHeader.size] + bytes[start..<end]), start - SegmentHeader.size, min(4, starts.count - index)
    )
  }

  @Test("A turned bit costs its record and no other, and is reported")
  func flips() {
    let (bytes, starts) = segment(bytes: 65_536)
    var random = SeededRandom(seed: 9)
    for place in SegmentHeader.size..<bytes.count {
      // Of every record the fields, and here and there a byte of the payload.
      let start = starts.last { $0 <= place } ?? 0
      guard
        isFull || place - start < 32 && Int.random(in: 0..<8, using: &random) == 0
          || Int.random(in: 0..<64, using: &random) == 0
      else { continue }
      let part = surroundings(place, bytes, starts)
      for bit in 0..<8 {
        var damaged = part.bytes
        damaged[place - part.skipped] ^= 1 << UInt8(bit)
        let scan = SegmentScan(damaged, of: name, syncedBytes: damaged.count)
        guard scan.records.count == part.of - 1, scan.holes.map(\.records) == [1], scan.tornAt == nil,
          scan.holes[0].range.contains(place - part.skipped)
        else {
          Issue.record("bit \(bit) of byte \(place): \(scan.records.count) of \(part.of), \(scan.holes)")
          return
        }
      }
    }
  }

  @Test("A turned bit of the head costs no record, and is noticed")
  func head() {
    let (bytes, starts) = segment(bytes: 4096)
    for place in 0..<SegmentHeader.size {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(bit)
        let scan = SegmentScan(damaged, of: name)
        #expect(scan.header == nil)
        #expect(scan.records.count == starts.count)
        #expect(scan.holes.isEmpty)
      }
    }
  }

  @Test("A segment cut anywhere keeps what is before, and the missing is reported where it had been synced")
  func truncations() {
    let (bytes, starts) = segment(bytes: 65_536)
    let step = isFull ? 1 : 97
    for length in stride(from: 0, through: bytes.count - 1, by: step) {
      let complete = max(0, (starts + [bytes.count]).filter { $0 <= length }.count - 1)
      let scan = SegmentScan(Array(bytes[..<length]), of: name, syncedBytes: bytes.count)
      guard scan.records.count == complete, scan.holes.count == 1, scan.holes[0].range.upperBound == bytes.count else {
        Issue.record("cut at \(length): \(scan.records.count) of \(complete), \(scan.holes)")
        return
      }
      let unknown = SegmentScan(Array(bytes[..<length]), of: name)
      #expect(unknown.records.count == complete)
      #expect(unknown.holes.isEmpty)
    }
  }

  @Test("Bytes of any kind are read in bounded time, and give no record")
  func noise() {
    var random = SeededRandom(seed: 5)
    let magic = RecordFrame.magic
    let patterns: [[UInt8]] = [
      [0], [0xFF], magic, magic + [0, 0, 0xFF, 0xFF, 0, 0], magic + [0, 1, 10, 0, 0, 0], magic + [1, 1, 0, 0, 1, 0],
      (0..<997).map { _ in UInt8.random(in: 0...255, using: &random) },
    ]
    for pattern in patterns {
      let bytes = Array((0..<32_768 / pattern.count).map { _ in pattern }.joined())
      #expect(SegmentScan(bytes, of: name).records.isEmpty)
      #expect(SegmentHeader(bytes[...], of: name) == nil)
      #expect(SavedState(bytes) == nil)
    }
  }

  @Test("A record of another segment is none, though it is whole")
  func strangers() {
    let (bytes, _) = segment(bytes: 4096)
    let other = SegmentName(number: 8, lane: .shock, ordinal: 3, boot: 0xCAFE)
    #expect(SegmentScan(bytes, of: other).records.isEmpty)
  }

  @Test("Every turned bit of the state file is noticed, and the spool does without the file")
  func state() throws {
    var bench = Bench()
    for sequence in 1...20 { bench.append(UInt64(sequence)) }
    bench.ask(.release(boot: bench.boot, 3...7))
    bench.ask(.stop)
    let bytes = try #require(bench.disk.bytes(of: "state"))
    #expect(SavedState(bytes)?.encoded == bytes)
    for place in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[place / 8] ^= 1 << UInt8(place % 8)
      #expect(SavedState(damaged) == nil)
    }
    for length in 0..<bytes.count { #expect(SavedState(Array(bytes.prefix(length))) == nil) }
    bench.disk.overwrite("state", Array(bytes.reversed()))
    var next = bench.next()
    #expect(next.contents?.damage.map(\.kind) == [.state])
    #expect(next.allSequences() == Array(1...20))
    #expect(next.disk.fileNames.contains("damaged/state"))
  }

  @Test("That a fleet tool acknowledges outlasts a damaged state file")
  func fleetFlag() {
    var bench = Bench()
    bench.ask(.fleetAcknowledges)
    bench.append(1)
    bench.ask(.stop)
    bench.disk.overwrite("state", [1, 2, 3])
    let next = bench.next()
    #expect(next.contents?.damage.map(\.kind) == [.state])
    #expect(next.contents?.fleetAcknowledges == true)
  }

  @Test("A folder of a newer format is left alone, and the node works in memory", arguments: ["state", "seg"])
  func newer(ending: String) throws {
    var bench = Bench()
    for sequence in 1...200 { bench.append(UInt64(sequence)) }
    bench.ask(.stop)
    let file = try #require(bench.disk.fileNames.first { $0.hasSuffix(ending) })
    var bytes = try #require(bench.disk.bytes(of: file))
    bytes[4] = 2
    let size = ending == "state" ? bytes.count : SegmentHeader.size
    let crc = CRC32C.of(bytes.prefix(size - 4))
    for index in 0..<4 { bytes[size - 4 + index] = UInt8(truncatingIfNeeded: crc >> (8 * UInt32(index))) }
    bench.disk.overwrite(file, bytes)
    let names = bench.disk.fileNames.filter { $0 != "lock" }
    var next = bench.next()
    next.append(1)
    next.pass(120)
    #expect(next.contents == nil && next.notStored == [1])
    #expect(next.state.trouble?.text == "\(file) was written by a newer version; the folder is left alone")
    #expect(next.disk.fileNames.filter { $0 != "lock" } == names)
    #expect(next.disk.bytes(of: file) == bytes)
  }

  @Test("Damage in the middle of a segment is told once, kept for inspection, and costs nothing else")
  func told() throws {
    var bench = Bench()
    for sequence in 1...40 { bench.append(UInt64(sequence)) }
    bench.ask(.stop)
    let name = try #require(bench.disk.fileNames.first { $0.hasSuffix(".seg") })
    var bytes = try #require(bench.disk.bytes(of: name))
    bytes[SegmentHeader.size + 10 * 224 + 50] ^= 4
    bytes[SegmentHeader.size + 11 * 224 + 50] ^= 4
    bench.disk.overwrite(name, bytes)
    var next = bench.next()
    let note = try #require(next.contents?.notes.first)
    #expect(next.contents?.notes.count == 1)
    #expect(note.reason == .damaged)
    #expect(note.runs == [11...12])
    #expect(note.bytes == 448)
    #expect(next.contents?.damage.map(\.records) == [2])
    #expect(next.allSequences() == Array(1...10) + Array(13...40))
    #expect(next.disk.fileNames.contains("damaged/\(name)"))
    next.disk.restart()
    // Not told yet: the same note comes again, and nothing new.
    var third = next.next()
    #expect(third.contents?.notes == [note])
    #expect(third.contents?.damage == [])
    third.append(1, note: note.id)
    third.pass(1)
    third.disk.restart()
    #expect(third.next().contents?.notes == [])
  }

  @Test("A segment in which nothing can be read is put aside, and told where it had been synced")
  func wholeSegment() throws {
    var bench = Bench()
    for sequence in 1...10 { bench.append(UInt64(sequence)) }
    for sequence in 11...20 { bench.append(UInt64(sequence), .routine) }
    bench.ask(.stop)
    let name = try #require(bench.disk.fileNames.first { $0.contains("-1-") })
    let size = try #require(bench.disk.bytes(of: name)).count
    bench.disk.overwrite(name, [UInt8](repeating: 0, count: size))
    var next = bench.next()
    #expect(next.allSequences() == Array(1...10))
    #expect(next.contents?.notes.map(\.runs) == [[1...10]] || next.contents?.notes.map(\.reason) == [.damaged])
    #expect(!next.disk.fileNames.contains(name))
    #expect(next.disk.fileNames.contains("damaged/\(name)"))
  }

  @Test("Sectors that can't be read cost their records, and no start")
  func badSectors() throws {
    var bench = Bench()
    for sequence in 1...100 { bench.append(UInt64(sequence)) }
    bench.ask(.stop)
    let bad = 8192..<12_288
    bench.disk.badBytes = bad
    var next = bench.next()
    let lost = next.contents?.damage.first
    #expect(lost?.kind == .records)
    #expect(lost.map { $0.offset <= bad.lowerBound && $0.offset + $0.bytes >= bad.upperBound } == true)
    let left = next.allSequences()
    #expect(left.count >= 100 - bad.count / 224 - 2)
    #expect(next.contents?.lanes.first?.events == left.count)
  }

  @Test("Few damaged files are kept")
  func quarantine() throws {
    var bench = Bench(capBytes: 1_048_576)
    for _ in 0..<12 {
      for sequence in 1...20 { bench.append(UInt64(sequence), bytes: 300) }
      bench.ask(.stop)
      let name = try #require(bench.disk.fileNames.last { $0.hasSuffix(".seg") && !$0.contains("/") })
      var bytes = try #require(bench.disk.bytes(of: name))
      bytes[2000] ^= 1
      bench.disk.overwrite(name, bytes)
      bench = bench.next()
    }
    let kept = bench.disk.fileNames.filter { $0.hasPrefix("damaged/") }
    #expect((1...Quarantine.files).contains(kept.count))
  }

  @Test("Files that are not the spool's are left alone")
  func foreign() {
    let disk = SimulatedDisk()
    let names = ["README", "00000001-0-00000001-0000cafe.seg2", "0000000G-0-00000001-0000cafe.seg", "lost+found.seg"]
    for name in names { disk.overwrite(name, [1, 2, 3]) }
    let bench = Bench(disk)
    #expect(bench.contents?.damage == [])
    #expect(names.allSatisfy { disk.bytes(of: $0) == [1, 2, 3] })
  }
}
