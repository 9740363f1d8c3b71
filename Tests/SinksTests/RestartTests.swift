import FleetLogic
import Foundation
import Telemetry
import Testing

@testable import Sinks

/// Alerts that a process may have told just before it ended without warning.
@Suite struct RestartTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "judder-sinks-\(UUID().uuidString)")

  private func file(_ text: String) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "\(UUID().uuidString).log")
    try Data(text.utf8).write(to: file)
    return file.path(percentEncoded: false)
  }

  private func lines(_ file: String) throws -> [String] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(
      String.init)
  }

  private func sink(_ kind: SinkSettings.Kind, _ file: String) throws -> any Sink {
    try #require(makeSink(SinkSettings(name: "s", kind: kind, file: file)))
  }

  @Test(arguments: [SinkSettings.Kind.console, .json])
  func aLineThatIsThereIsNotWrittenAgain(_ kind: SinkSettings.Kind) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try file("")
    var told = try alert()
    try sink(kind, file).deliver(told)
    told.mayHaveBeenTold = true
    let next = try sink(kind, file)
    try next.deliver(told)
    #expect(try lines(file).count == 2, "one line and its end")
    var other = try alert(.resolved)
    other.mayHaveBeenTold = true
    try next.deliver(other)
    try next.deliver(other)
    #expect(try lines(file).count == 3, "one that is not there is written, once")
  }

  @Test func aLineThatIsNewIsWrittenHoweverItReads() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try file("")
    let sink = try sink(.console, file)
    try sink.deliver(try alert())
    try sink.deliver(try alert())
    #expect(try lines(file).count == 3)
  }

  @Test func aLineThatWasCutDoesNotSpoilTheNext() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try file("2026-11-30T00:53:2")
    try sink(.console, file).deliver(try alert())
    let lines = try lines(file)
    #expect(lines[0] == "2026-11-30T00:53:2")
    #expect(lines[1].hasPrefix("2026-11-30T00:53:20.000Z pallet-7 alert shake firing"))
  }

  @Test func onlyWholeLinesOfRegularFilesCount() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try file("one\ntwo three\n")
    #expect(FileTail.holds(Array("one".utf8), file: file))
    #expect(!FileTail.holds(Array("two".utf8), file: file))
    #expect(!FileTail.holds(Array("one".utf8), file: "/dev/null"))
    #expect(!FileTail.holds(Array("one".utf8), file: "/nowhere/at/all"))
    #expect(!FileTail.isCut(file))
    #expect(!FileTail.isCut("/nowhere/at/all"))
  }
}
