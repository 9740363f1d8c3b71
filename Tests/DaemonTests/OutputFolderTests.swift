import Foundation
import Rig
import Testing

@testable import Daemon

@Suite struct OutputFolderTests {
  private func names(_ place: Workplace) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.folder.path).sorted()
  }

  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func filesAreThereWithAllTheirBytesAndNothingElseIs() throws {
    let place = try Workplace("output")
    let folder = OutputFolder(place.folder.path)
    #expect(folder.problem() == nil)
    let bytes = Array(repeating: UInt8(ascii: "x"), count: 300_000)
    let paths = try folder.write("a", [(".csv", Array("1,2".utf8)), (".mseed", bytes)], .refuse)
    #expect(paths == [place.path("a.csv"), place.path("a.mseed")])
    #expect(try names(place) == ["a.csv", "a.mseed"])
    #expect(try text(paths[0]) == "1,2")
    #expect(try Data(contentsOf: URL(filePath: paths[1])) == Data(bytes))
  }

  @Test func whatIsThereIsNeverOverwritten() throws {
    let place = try Workplace("output")
    let folder = OutputFolder(place.folder.path)
    try place.write("a.mseed", "old")
    let error = #expect(throws: FileError.self) {
      try folder.write("a", [(".csv", [1]), (".mseed", [2])], .refuse)
    }
    #expect(error?.text == "\(place.path("a.mseed")) is there already; choose another folder or delete it")
    #expect(error?.exitCode == .unavailable)
    #expect(try names(place) == ["a.mseed"] && text(place.path("a.mseed")) == "old")
  }

  @Test func filesThatBelongTogetherHaveTheSameNumber() throws {
    let place = try Workplace("output")
    let folder = OutputFolder(place.folder.path)
    try place.write("a.mseed", "old")
    try FileManager.default.createSymbolicLink(atPath: place.path("a.2.csv"), withDestinationPath: "/nowhere")
    let paths = try folder.write("a", [(".csv", [49]), (".mseed", [50])], .number)
    #expect(paths == [place.path("a.3.csv"), place.path("a.3.mseed")])
  }

  @Test func thereAreOnlySoManyNumbers() throws {
    let place = try Workplace("output")
    let folder = OutputFolder(place.folder.path)
    for _ in 1...99 { _ = try folder.write("a", [(".csv", [])], .number) }
    #expect(throws: FileError.self) { try folder.write("a", [(".csv", [])], .number) }
    #expect(try names(place).count == 99)
  }

  @Test func aFolderThatIsNotThereIsSaidInOneLine() throws {
    let place = try Workplace("output")
    let folder = OutputFolder(place.path("nowhere"))
    #expect(folder.problem()?.text == "\(place.path("nowhere")) cannot be written to: No such file or directory")
    #expect(folder.problem()?.exitCode == .unavailable)
    #expect(folder.problem()?.folderRemedy == "make the folder, and let this user write to it")
    try place.write("file", "")
    #expect(OutputFolder(place.path("file")).problem()?.text.contains("Not a directory") == true)
  }

  @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
  func aFolderThatMayNotBeWrittenToIsAMatterOfPermission() throws {
    let place = try Workplace("output")
    chmod(place.folder.path, 0o500)
    defer { chmod(place.folder.path, 0o700) }
    #expect(OutputFolder(place.folder.path).problem()?.exitCode == .permission)
  }

  @Test(arguments: [ENOSPC, EDQUOT])
  func aFullDiskMayHaveRoomAgain(code: Int32) {
    #expect(FileError(code: code, action: "x").exitCode == .temporary)
    #expect(FileError(code: code, action: "x").folderRemedy == nil, "another folder would be as full")
  }
}
