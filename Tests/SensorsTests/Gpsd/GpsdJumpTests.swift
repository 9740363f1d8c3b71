import Foundation
import NodeLogic
import Rig
import Sensors
import Telemetry
import Testing

/// gpsd 3.22 takes a sentence without a checksum, and one whose errors cancel out in it. So a line with bit errors
/// makes it report a place or a date that the receiver never said, as a fix of three dimensions, for one epoch. Of 60
/// copies of a recording with a bit flipped in 1 % of the bytes and 2 % of the lines cut, 9 came out with such a place,
/// 370 m to 9550 km away, and 2 with such a date.
@Suite("Jumps out of a real gpsd", .enabled(if: isGpsdHere, "no gpsd"))
struct GpsdJumpTests {
  enum Damage: CaseIterable, Sendable {
    /// The longitude's degrees are wrong, in all sentences of the epoch, under a valid checksum.
    case longitude
    /// In one sentence, whose end is missing with its checksum.
    case longitudeWithoutChecksum
    /// The date is two days ahead.
    case date
  }

  private static let route = NMEARoute()

  /// The sentences of an epoch, damaged.
  private static func sentences(at seconds: Double, _ damage: Damage?) -> String {
    let whole = route.sentences(at: seconds)
    guard let damage else { return whole }
    let lines = whole.split(separator: "\r\n").map(String.init)
    return lines.map { line -> String in
      let body = String(line.dropFirst().dropLast(3))
      let isPosition = body.contains("GGA") || body.contains("RMC")
      switch damage {
      case .longitude where isPosition:
        return NMEARoute.sentence(
          body.replacingOccurrences(of: ",00832.", with: ",00932.").replacingOccurrences(
            of: ",00833.", with: ",00933."))
      case .longitudeWithoutChecksum where body.contains("RMC"):
        return "$" + body.replacingOccurrences(of: ",0083", with: ",0093") + "\r\n"
      case .date where body.contains("RMC"): return NMEARoute.sentence(twoDaysLater(body))
      default: return line + "\r\n"
      }
    }.joined()
  }

  /// The tenth field of RMC is ddmmyy.
  private static func twoDaysLater(_ body: String) -> String {
    var fields = body.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "ddMMyy"
    fields[9] = format.date(from: fields[9]).map { format.string(from: $0.addingTimeInterval(2 * 86_400)) } ?? fields[9]
    return fields.joined(separator: ",")
  }

  /// What came of one damaged epoch in the middle of a route.
  private struct Outcome: Sendable {
    /// gpsd's word, to another client: the farthest report of three dimensions from the route's first place [m], and
    /// the latest time.
    var farthestToldM = 0.0
    var latestTold = ""
    var positions: [LocationMessage.Position]
    var losses: Int
    var counters: LocationTracker.Counters
  }

  private static func drive(_ damage: Damage?) throws -> Outcome {
    let rig = try GpsdRig(in: Workplace(), opensAtOnce: true)
    guard rig.waitUntilOpen() else { throw RigError("gpsd does not open") }
    let other = try Eavesdropper(rig.port)
    defer { other.stop() }
    let node = GpsdNode(port: rig.port, LocationTracker.Settings(distanceFilterM: 0))
    guard node.run(seconds: 10, until: \.isUp) else { throw RigError("gpsd is not up") }
    for step in 0..<16 {
      try rig.send(sentences(at: Double(step) * 0.5, step == 8 ? damage : nil))
      node.run(seconds: 0.5)
    }
    node.run(seconds: 1)
    var outcome = Outcome(positions: node.positions, losses: node.losses.count, counters: node.tracker.counters)
    for report in other.objects(ofClass: "TPV") where report["mode"] as? Int == 3 {
      if let latitude = report["lat"] as? Double, let longitude = report["lon"] as? Double {
        outcome.farthestToldM = max(outcome.farthestToldM, distanceM(latitude, longitude))
      }
      outcome.latestTold = max(outcome.latestTold, report["time"] as? String ?? "")
    }
    return outcome
  }

  private static func distanceM(_ latitude: Double, _ longitude: Double) -> Double {
    let first = Coordinate(latitude: route.waypoints[0].latitude, longitude: route.waypoints[0].longitude)
    return Coordinate(latitude: latitude, longitude: longitude).flatMap { first?.distanceM(to: $0) } ?? .infinity
  }

  @Test(arguments: [Damage.longitude, .longitudeWithoutChecksum]) func aPlaceFarAwayIsRejected(
    damage: Damage
  ) async throws {
    let outcome = try await onThread { try Self.drive(damage) }
    // gpsd does say so: 1 degree of longitude.
    #expect((70_000...80_000).contains(outcome.farthestToldM))
    #expect(outcome.positions.count >= 13)
    for position in outcome.positions { #expect(Self.distanceM(position.latitude, position.longitude) < 200) }
    #expect(outcome.counters.jumps >= 1)
    #expect(outcome.counters.jumpsTaken == 0)
    #expect(outcome.losses == 0)
  }

  /// The place is right, and the age is told by the time of receipt: nothing is lost for a wrong date.
  @Test func aDateFarAwayKeepsThePlace() async throws {
    let outcome = try await onThread { try Self.drive(.date) }
    let now = Date().timeIntervalSince1970
    #expect(outcome.latestTold > Date(timeIntervalSince1970: now + 86_400).ISO8601Format())
    #expect(outcome.positions.count >= 13)
    for position in outcome.positions {
      #expect(Self.distanceM(position.latitude, position.longitude) < 200)
      #expect(position.ageS < 2)
    }
    #expect(outcome.losses == 0)
  }

  @Test func aWholeRouteIsNot() async throws {
    let outcome = try await onThread { try Self.drive(nil) }
    #expect(outcome.farthestToldM < 200)
    #expect(outcome.counters.jumps == 0)
    #expect(outcome.positions.count >= 14)
  }
}
