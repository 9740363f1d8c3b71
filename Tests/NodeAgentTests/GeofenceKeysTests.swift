import Daemon
import NodeLogic
import Testing

@testable import NodeAgent

@Suite struct GeofenceKeysTests {
  private func load(_ text: String, _ environment: [String: String] = [:]) throws -> NodeConfiguration {
    try NodeConfiguration(
      Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml"), environment: environment,
      hostName: "pump-2")
  }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try load(text)
      return []
    } catch let failure as ConfigurationFailure {
      return failure.problems.map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  @Test func circlesAndPolygonsAreFences() throws {
    let text = """
      [[geofence]]
      name = "depot"
      lat = 47.3769
      lon = 8.5417
      radius_m = 150
      [[geofence]]
      name = "Werk Süd"
      polygon = [47, 8, 47, 8.01, 47.01, 8]
      hysteresis_m = 35
      """
    let fences = try #require(try load(text).logic.location?.fences)
    #expect(fences.map(\.name) == ["depot", "Werk Süd"])
    #expect(fences.map(\.hysteresisM) == [20, 35])
    let centre = try #require(Coordinate(latitude: 47.3769, longitude: 8.5417))
    #expect(fences[0].shape == .circle(centre: centre, radiusM: 150))
    guard case .polygon(let corners) = fences[1].shape else {
      Issue.record("no polygon")
      return
    }
    #expect(corners.map(\.latitude) == [47, 47, 47.01])
    #expect(corners.map(\.longitude) == [8, 8.01, 8])
    #expect(try load("").logic.location?.fences == [])
  }

  @Test(arguments: [
    ("name = \"a\"", "node.toml:1:1: geofence[1] needs either lat, lon and radius_m, or polygon"),
    ("name = \"a\"\nlat = 1\nlon = 2", "node.toml:1:1: geofence[1] needs radius_m for a circle"),
    ("name = \"a\"\nradius_m = 20", "node.toml:1:1: geofence[1] needs lat and lon for a circle"),
    (
      "name = \"a\"\nradius_m = 20\npolygon = [0, 0, 0, 1, 1, 0]",
      "node.toml:3:12: geofence[1].radius_m is for a circle, and this fence has a polygon; remove one of the two"
    ),
    (
      "name = \"a\"\npolygon = [0, 0, 0, 1, 1]",
      "node.toml:3:11: geofence[1].polygon has 5 numbers; it must have two for each corner: lat, lon, lat, lon, ..."
    ),
    (
      "name = \"a\"\npolygon = [[47, 8], [48, 8], [47, 9]]",
      "node.toml:3:11: geofence[1].polygon must be a list of numbers in deg; found a list in it; write all numbers one "
        + "after the other in one list"
    ),
    (
      "name = \"a\"\npolygon = [8, 47, 8, 48, 181, 47]",
      "node.toml:3:11: geofence[1].polygon has a corner that is not on the globe: corner 3 is lat 181.0, lon 47.0; "
        + "lat goes from -90 to 90 and comes first, lon from -180 to 180"
    ),
    (
      "name = \"a\"\npolygon = [0, 0, 0, 1]",
      "node.toml:3:11: geofence[1].polygon has 2 corners; it must have 3 to 200"
    ),
    (
      "name = \"a\"\npolygon = [0, 0, 0.1, 0.1, 0.1, 0, 0, 0.1]",
      "node.toml:3:11: geofence[1].polygon crosses or touches itself: the edges after corners 1 and 3 meet; put the "
        + "corners in the order of the edges"
    ),
    (
      "name = \"a\"\npolygon = [47, 8, 47.1, 8.1, 47.2, 8.2]",
      "node.toml:3:11: geofence[1].polygon encloses next to nothing: its corners lie on a line, or nearly; move its "
        + "edges apart"
    ),
    ("name = \"\"\nlat = 1\nlon = 2\nradius_m = 20", "node.toml:2:8: geofence[1].name must have 1 to 64 bytes"),
    (
      "name = \"a\"\nlat = 1\nlon = 2\nradius_m = 0",
      "node.toml:5:12: geofence[1].radius_m = 0 is out of range; it must be 1 to 500000 m"
    ),
    ("lat = 1\nlon = 2\nradius_m = 20", "node.toml:1:1: geofence[1] needs 'name' (text)"),
  ])
  func whatIsNoFenceIsRefusedInItsPlace(_ text: String, _ complaint: String) {
    #expect(problems("[[geofence]]\n" + text) == [complaint])
  }

  @Test func namesAreGivenOnceAndFencesAreBounded() {
    let one = "[[geofence]]\nname = \"a\"\nlat = 1\nlon = 2\nradius_m = 20\n"
    #expect(
      problems(one + one) == ["node.toml:7:8: geofence[2].name gives the name 'a' to a second fence; set another name"])
    let many = (1...101).map { "[[geofence]]\nname = \"\($0)\"\nlat = 1\nlon = 2\nradius_m = 20\n" }.joined()
    #expect(problems(many) == ["node.toml:501:1: geofence is there 101 times; at most 100"])
  }

  @Test func fencesWithoutLocationAreDoubtful() throws {
    let text = "[gpsd]\nenabled = false\n[[geofence]]\nname = \"a\"\nlat = 1\nlon = 2\nradius_m = 20\n"
    #expect(try load(text).warnings == ["gpsd.enabled is false: no geofence is watched"])
  }

  @Test func recordIsInTheStateDirectoryUnlessTheFileSaysOtherwise() throws {
    #expect(try load("").recordFile == nil)
    let state = ["STATE_DIRECTORY": "/var/lib/judder:/var/lib/other"]
    #expect(try load("", state).recordFile == "/var/lib/judder/location.json")
    #expect(try load("[location]\nrecord_file = \"/data/l.json\"", state).recordFile == "/data/l.json")
  }
}
