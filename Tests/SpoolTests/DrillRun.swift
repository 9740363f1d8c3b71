import Foundation
import Rig

@testable import Spool

/// The drill on a real folder, and what it printed.
struct DrillRun {
  let child: ChildProcess

  static let program: String = {
    let bundle =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    // The package may be reached by a link.
    let here = URL(filePath: FileManager.default.currentDirectoryPath)
    let folders =
      [URL(filePath: bundle).deletingLastPathComponent()]
      + [here, root].map { $0.appending(path: ".build/debug") }
    let candidates = folders.map { $0.appending(path: "SpoolDrill").path(percentEncoded: false) }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
  }()

  /// - Parameter strace: its options; the drill runs under it then.
  init(
    _ folder: String, boot: UInt32, events: Int, capBytes: Int = 65_536, paceUS: Int = 0, strace: [String]? = nil,
    in workplace: Workplace
  ) throws {
    let arguments = [folder, "\(boot)", "\(capBytes)", "\(events)", "\(paceUS)"]
    let name = "drill-\(boot)-\(UUID().uuidString.prefix(6))"
    if let strace {
      child = try ChildProcess(
        "strace", ["-f", "-o", workplace.path("\(name).strace")] + strace + [Self.program] + arguments, name: name,
        in: workplace.folder, environment: ["SWIFT_BACKTRACE": "enable=no"])
    } else {
      child = try ChildProcess(
        Self.program, arguments, name: name, in: workplace.folder, environment: ["SWIFT_BACKTRACE": "enable=no"])
    }
  }

  var lines: [String] { child.outputText().split(separator: "\n").map(String.init) }
}

/// What drills promised over their lives, against what is in the folder.
struct DrillLedger {
  private(set) var stored: [UInt32: Set<UInt64>] = [:]
  private(set) var gone: [UInt32: Set<UInt64>] = [:]
  private(set) var evicted: [UInt64: [ClosedRange<UInt64>]] = [:]
  private(set) var complaints: [String] = []

  mutating func read(_ lines: [String], boot: UInt32) {
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      let numbers = words.dropFirst().compactMap(UInt64.init)
      switch words.first {
      case "stored": stored[boot, default: []].formUnion(numbers)
      case "released": gone[UInt32(numbers[0]), default: []].formUnion(numbers.dropFirst())
      case "evicted" where words.count == 4: evict(numbers[0], UInt32(numbers[1]), words[3])
      case "damaged": complaints.append(line)
      default: break
      }
    }
  }

  private mutating func evict(_ id: UInt64, _ boot: UInt32, _ text: String) {
    evict(
      id, boot,
      text.split(separator: ",").compactMap { run in
        let ends = run.split(separator: "-").compactMap { UInt64($0) }
        return ends.count == 2 ? ends[0]...ends[1] : nil
      })
  }

  private mutating func evict(_ id: UInt64, _ boot: UInt32, _ runs: [ClosedRange<UInt64>]) {
    if let known = evicted[id] {
      if known != runs { complaints.append("note \(id) was \(known) and is \(runs)") }
      return
    }
    evicted[id] = runs
    for number in runs.joined() where !gone[boot, default: []].insert(number).inserted {
      // Released and given up at the same time is possible; given up twice is not, but both look the same here.
    }
  }

  /// Reads the folder as a next run would, and answers how many events it holds.
  mutating func check(_ folder: String, boot: UInt32, capBytes: Int = 65_536) -> Int {
    let (records, contents) = contentsOfSpool(folder, boot: boot, capBytes: capBytes)
    guard let contents else {
      complaints.append("\(folder) could not be opened")
      return 0
    }
    for note in contents.notes where note.reason != .damaged { evict(note.id, note.boot, note.runs) }
    var there: [UInt32: Set<UInt64>] = [:]
    for record in records {
      if !there[record.boot, default: []].insert(record.sequence).inserted {
        complaints.append("\(record.boot) \(record.sequence) is there twice")
      }
      let start = Array("{\"boot\":\(record.boot),\"seq\":\(record.sequence)}".utf8)
      if !record.payload.starts(with: start) { complaints.append("\(record.boot) \(record.sequence) is another") }
    }
    for (boot, numbers) in stored {
      let lost = numbers.subtracting(gone[boot] ?? []).subtracting(there[boot] ?? [])
      if !lost.isEmpty { complaints.append("\(boot): \(lost.sorted().prefix(9)) of \(numbers.count) are lost") }
    }
    return records.count
  }
}

/// All events in a spool's folder, and what its opening said. Nothing stays open.
func contentsOfSpool(_ folder: String, boot: UInt32, capBytes: Int) -> ([SpoolRecord], SpoolContents?) {
  let disk = LinuxDisk(folder: folder)
  var core = SpoolCore(disk: disk, boot: boot, limits: SpoolLimits(capBytes: capBytes, capAgeS: nil))
  defer { disk.close() }
  var contents: SpoolContents?
  for case .opened(let found) in core.open(atS: 0) { contents = found }
  var records: [SpoolRecord] = []
  for isWaveform in [false, true] {
    var after: SpoolPosition?
    var isEnd = contents == nil
    while !isEnd {
      let fetch = SpoolFetch(id: 1, isWaveform: isWaveform, after: after, limit: 500, limitBytes: 1_000_000)
      for case .fetched(let answer) in core.handle(.fetch(fetch), atS: 0) {
        records += answer.records
        after = answer.last
        isEnd = answer.isEnd
      }
    }
  }
  return (records, contents)
}
