import NodeLogic
import Telemetry
import Testing

@testable import NodeAgent

/// What `check` says of the fences.
@Suite struct GeofenceFindingTests {
  private static func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
  }

  private static func circle(_ name: String, _ latitude: Double, _ longitude: Double) throws -> Geofence {
    try Geofence(name: name, .circle(centre: try place(latitude, longitude), radiusM: 100))
  }

  private func find(_ fences: [Geofence], _ latitude: Double, _ longitude: Double) throws -> String? {
    CheckCommand.geofence(fences, from: try Self.place(latitude, longitude)).map { "\($0)" }
  }

  @Test func theFixIsHeldAgainstThem() throws {
    let fences = [try Self.circle("customer", 47.01768, 8), try Self.circle("depot", 47, 8)]
    #expect(try find(fences, 47, 8) == "ok      geofence: 2 fences; inside depot; 1866 m from customer")
    #expect(try find([fences[0]], 47, 8) == "ok      geofence: 1 fence; 1866 m from customer")
    #expect(
      CheckCommand.geofence(fences, from: nil).map { "\($0)" }
        == "ok      geofence: 2 fences; without a fix no distance is known")
    #expect(CheckCommand.geofence([], from: nil) == nil)
  }

  @Test func onlyTheNearestAreNamed() throws {
    let far = try (1...5).map { try Self.circle("far-\($0)", 47 + Double($0), 8) }
    let near = try (1...4).map { try Self.circle("near-\($0)", 47, 8) }
    #expect(
      try find(far.reversed() + near, 47, 8)
        == "ok      geofence: 9 fences; inside near-1, near-2, near-3 and 1 more; 111.1 km from far-1, 222.3 km from "
        + "far-2, 333.5 km from far-3 and farther from 2 more")
  }

  @Test func swappedNumbersAreSeen() throws {
    let fences = [try Self.circle("depot", 8.01, 47), try Self.circle("customer", 48, 8)]
    let text = try #require(try find(fences, 47, 8))
    #expect(text.hasPrefix("warning geofence: 2 fences; 111.1 km from customer, "), "\(text)")
    #expect(text.hasSuffix(" km from depot; lat and lon of depot seem to be swapped: lat comes first"), "\(text)")
    // Beyond 90 degrees of longitude nothing can be swapped, and where both are alike nothing has to be.
    #expect(try find([try Self.circle("far", 40, -80)], 40, -120)?.hasPrefix("ok ") == true)
    #expect(try find([try Self.circle("here", 10.01, 10)], 10, 10.01)?.hasPrefix("ok ") == true)
  }
}
