import Foundation
import NodeLogic
import Telemetry
import Testing

@testable import NodeAgent

/// What `check` says of the file that keeps the odometer and the fences.
@Suite struct LocationRecordCheckTests {
  /// A folder of its own.
  private final class Place {
    let folder = FileManager.default.temporaryDirectory.appending(path: "judder-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func makeFolder(_ name: String) throws -> String {
      try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
      return path(name)
    }
  }

  private let place: Place

  init() throws { place = try Place() }

  private func find(_ file: String?) -> String { "\(LocationRecordCheck.finding(file))" }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: place.folder.path).sorted() }
  }

  @Test func placeWithoutARecordIsGoodAndStaysEmpty() throws {
    let file = place.path("location.json")
    #expect(find(file) == "ok      record: \(file): can be written, no record yet")
    #expect(LocationRecordCheck.warning(file) == nil)
    #expect(try names == [])
    #expect(find(nil).hasPrefix("ok      record: odometer and fences are not kept over a restart: "))
  }

  @Test func recordThatIsThereIsSummedUpAndLeftAlone() throws {
    let file = place.path("location.json")
    let centre = try #require(Coordinate(latitude: 47, longitude: 8))
    let fences = try ["depot", "yard"].map {
      LocationRecord.Fence(try Geofence(name: $0, .circle(centre: centre, radiusM: 50)), since: nil)
    }
    for (inside, words) in [
      ([], "inside no fence"), (fences.suffix(1), "inside yard"), (fences[...], "inside depot and 1 more"),
    ] {
      let record = LocationRecord(boot: BootID(7), odometer: Odometer(totalM: 12_345), fences: Array(inside))
      try Data(record.encode()).write(to: URL(filePath: file))
      #expect(find(file) == "ok      record: \(file): odometer 12.3 km, \(words)")
      #expect(try Data(contentsOf: URL(filePath: file)) == Data(record.encode()))
    }
    #expect(try names == ["location.json"])
  }

  @Test func missingFolderIsAProblem() {
    let file = place.path("none/location.json")
    let text =
      "\(file): \(place.path("none")) cannot be written to: No such file or directory; make the folder, and let this "
      + "user write to it"
    #expect(find(file) == "problem record: \(text)")
    #expect(LocationRecordCheck.warning(file) == "\(text): nothing is kept over a restart meanwhile")
  }

  @Test func folderThatCannotBeWrittenToIsAProblem() {
    // The kernel's own: nobody may write there, root included.
    let text = find("/proc/location.json")
    #expect(text.hasPrefix("problem record: /proc/location.json: /proc cannot be written to: "), "\(text)")
    #expect(text.contains("; "), "no remedy: \(text)")
    #expect(LocationRecordCheck.warning("/proc/location.json") != nil)
  }

  @Test func folderInItsPlaceIsAProblem() throws {
    let folder = try place.makeFolder("location.json")
    let text = "\(folder) cannot be written: Is a directory; set location.record_file to a file, not a folder"
    #expect(find(folder) == "problem record: \(text)")
    #expect(LocationRecordCheck.warning(folder)?.hasPrefix(text) == true)
  }

  @Test func whatANewFileIsWrittenToFirstMayBeInTheWay() throws {
    let folder = try place.makeFolder("l.json.new")
    let text = find(place.path("l.json"))
    #expect(text.hasPrefix("problem record: \(folder) cannot be written: Is a directory"), "\(text)")
  }

  @Test func damagedRecordIsAWarning() throws {
    let file = place.path("location.json")
    try "{\"version\":9}".write(toFile: file, atomically: true, encoding: .utf8)
    let text = find(file)
    #expect(text.hasPrefix("warning record: \(file) is of version 9, and this software knows 1: "), "\(text)")
    #expect(LocationRecordCheck.warning(file) == nil, "it can be written over")
  }
}
