import Foundation
import Telemetry
import Testing

/// The inputs that fuzzing begins with, and those that once did harm: they must never do so again.
@Suite struct SeedTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  static func seeds(of target: FuzzTarget) throws -> [URL] {
    let folder = root.appendingPathComponent("Seeds/\(target.rawValue)")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .sorted { $0.path < $1.path }
  }

  @Test(arguments: FuzzTarget.allCases) func everySeedIsReadAsItShould(target: FuzzTarget) throws {
    let seeds = try Self.seeds(of: target)
    #expect(seeds.count >= 3)
    for seed in seeds {
      let bytes = [UInt8](try Data(contentsOf: seed))
      #expect(bytes.count <= 4096, "\(seed.lastPathComponent) is large")
      let complaint = target.complaint(about: bytes)
      #expect(complaint == nil, "\(seed.lastPathComponent)")
    }
  }

  /// What is wrong must be found, or a run finds nothing.
  @Test func aViolationIsTold() {
    #expect(throws: Violation.self) { try requirePrintable("a\u{1B}[2J") }
    #expect(throws: Violation.self) { try requirePrintable("a\u{202E}b") }
    #expect(throws: Violation.self) { try requireLine(Array("a\nb".utf8), from: 3) }
    #expect(throws: Violation.self) { try requireLine([UInt8](repeating: 0x20, count: 10_000), from: 3) }
  }

  /// Writes the seeds that are made of something else in the project: JUDDER_WRITE_SEEDS=1.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["JUDDER_WRITE_SEEDS"] != nil))
  func writeSeeds() throws {
    let project = Self.root.deletingLastPathComponent().deletingLastPathComponent()
    let document = try String(contentsOf: project.appendingPathComponent("docs/MESSAGES.md"), encoding: .utf8)
    for (target, seeds) in SeedSource.all(of: document) {
      let folder = Self.root.appendingPathComponent("Seeds/\(target.rawValue)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, bytes) in seeds { try Data(bytes).write(to: folder.appendingPathComponent(name)) }
    }
  }
}
