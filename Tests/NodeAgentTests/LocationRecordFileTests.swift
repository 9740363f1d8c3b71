import Daemon
import Foundation
import NodeLogic
import Telemetry
import Testing

@testable import NodeAgent

@Suite struct LocationRecordFileTests {
  /// A folder of its own, and a log in a file.
  private final class Place {
    let folder = FileManager.default.temporaryDirectory.appending(path: "judder-\(UUID().uuidString)")
    let log: Log
    private let descriptor: Int32

    init() throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      descriptor = open(folder.appending(path: "log").path, O_RDWR | O_CREAT, 0o600)
      log = Log(environment: [:], descriptor: descriptor)
    }

    deinit {
      close(descriptor)
      try? FileManager.default.removeItem(at: folder)
    }

    var path: String { folder.appending(path: "location.json").path }

    var lines: [String] {
      let text = (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? ""
      return text.split(separator: "\n").map { String($0.drop { $0 != " " }.dropFirst()) }
    }
  }

  private func record(_ metres: Double) -> LocationRecord {
    LocationRecord(boot: BootID(7), odometer: Odometer(totalM: metres, tripM: 1))
  }

  @Test func newestRecordIsThereAfterAStop() throws {
    let place = try Place()
    let file = LocationRecordFile(place.path, log: place.log)
    #expect(file.read() == nil)
    for metres in 1...50 { file.keep(record(Double(metres))) }
    file.stop(deadlineS: 5)
    #expect(LocationRecordFile(place.path, log: place.log).read() == record(50))
    #expect(place.lines == [], "a file that is missing is normal")
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: place.folder.path)) == ["location.json", "log"])
  }

  @Test(arguments: [
    ("{\"version\":1,\"bo", "is damaged"), ("{\"version\":9}", "is of version 9, and this software knows 1"),
  ])
  func fileThatCannotBeUsedIsBegunAnew(text: String, complaint: String) throws {
    let place = try Place()
    try text.write(toFile: place.path, atomically: false, encoding: .utf8)
    let file = LocationRecordFile(place.path, log: place.log)
    #expect(file.read() == nil)
    #expect(
      place.lines == [
        "warning: \(place.path) \(complaint): the odometer and the fences are begun anew, and it is written over"
      ])
    file.keep(record(3))
    file.stop(deadlineS: 5)
    #expect(LocationRecordFile(place.path, log: place.log).read() == record(3))
  }

  @Test func folderThatIsMissingIsSaidOnce() throws {
    let place = try Place()
    let missing = place.folder.appending(path: "none/location.json").path
    let file = LocationRecordFile(missing, log: place.log)
    for metres in 1...3 {
      file.keep(record(Double(metres)))
      file.stop(deadlineS: 5)
    }
    #expect(
      place.lines == [
        "warning: \(missing) cannot be written: No such file or directory; make the folder, and let this user write to "
          + "it: nothing is kept over a restart meanwhile"
      ])
    try FileManager.default.createDirectory(
      at: place.folder.appending(path: "none"), withIntermediateDirectories: true)
    // Nothing new has come: what could not be written is tried once more.
    file.stop(deadlineS: 5)
    #expect(place.lines.last == "notice: \(missing) is written again")
    #expect(LocationRecordFile(missing, log: place.log).read() == record(3))
  }
}
