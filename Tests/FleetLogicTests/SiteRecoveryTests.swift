import Telemetry
import Testing

@testable import FleetLogic

/// What people hear when a site that was told as one is back.
@Suite struct SiteRecoveryTests {
  @Test func whoIsBackAlreadyIsNotToldAsSilent() {
    var hall = Hall(4)
    for index in 0..<4 { hall.run { $0.will("n\(index)") } }
    #expect(hall.pass(40) == ["silent @hall firing 4"] || hall.told == ["silent @hall firing 3"])
    hall.told = []
    for index in 0..<4 {
      hall.run { $0.send("n\(index)", .online(healthS: 80_000)) }
      _ = hall.pass(3)
    }
    _ = hall.pass(60)
    #expect(hall.told.count == 1 && hall.told[0].hasPrefix("silent @hall resolved"), "\(hall.told)")
    #expect(hall.bench.fleet.firingCount == 0 && hall.retained.isEmpty)
  }

  @Test func whoIsBackForAMomentOnlyIsToldAfterAll() {
    var hall = Hall(4)
    for index in 0..<4 { hall.run { $0.will("n\(index)") } }
    _ = hall.pass(40)
    for index in 0..<3 { hall.run { $0.send("n\(index)", .online(healthS: 80_000)) } }
    hall.run { $0.send("n3", .online(healthS: 80_000)) }
    _ = hall.pass(5)
    hall.told = []
    hall.run { $0.will("n3") }
    _ = hall.pass(200)
    #expect(hall.told.contains { $0.hasPrefix("silent n3 firing") }, "\(hall.told)")
  }
}
