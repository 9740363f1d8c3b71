import FleetLogic
import Foundation
import Telemetry
import Testing

/// Fleets whose nodes shake independently of each other: whatever is found is false.
/// `JUDDER_TOGETHER_YEARS=20` simulates that many years of each.
@Suite("False findings by chance")
struct ChanceTests {
  struct Fleet: Sendable, CustomTestStringConvertible {
    var name: String
    var nodes: Int
    var sideM: (east: Double, north: Double)
    /// Shakes an hour of a node; the first `busy` nodes shake 30 times as often.
    var perHour: Double
    var busy = 0
    /// Simulated where the environment asks for nothing.
    var years: Double

    var testDescription: String { name }
  }

  static let asked = ProcessInfo.processInfo.environment["JUDDER_TOGETHER_YEARS"].flatMap { Double($0) }

  static let fleets = [
    Fleet(name: "50 on a bridge", nodes: 50, sideM: (600, 20), perHour: 0.1, years: 0.3),
    Fleet(name: "200 over a city", nodes: 200, sideM: (20_000, 20_000), perHour: 0.1, years: 0.06),
    Fleet(name: "2000 over a country", nodes: 2000, sideM: (600_000, 600_000), perHour: 0.02, years: 0.02),
    Fleet(name: "200, ten of them very busy", nodes: 200, sideM: (20_000, 20_000), perHour: 0.1, busy: 10, years: 0.03),
  ]

  /// Counts what is found in so many years, after a month in which the rates become known.
  private func findings(_ fleet: Fleet, years: Double, warmUpS: Double, _ settings: Together.Settings) -> Int {
    var dice = Dice(42)
    var together = Together(settings)
    let nodes = (0..<fleet.nodes).map {
      participant($0, eastM: dice.unit() * fleet.sideM.east, northM: dice.unit() * fleet.sideM.north)
    }
    for node in nodes { together.know(node, at: WallTime(seconds: 0)) }
    let tickets = fleet.nodes + 29 * fleet.busy
    let perS = Double(tickets) * fleet.perHour / 3600
    var time = 0.0
    var count = 0
    while time < warmUpS + years * 365.25 * 86400 {
      time -= log(1 - dice.unit()) / perS
      let ticket = Int(dice.next() % UInt64(tickets))
      let node = ticket < fleet.nodes ? ticket : (ticket - fleet.nodes) / 29
      let found = together.note(shake(nodes[node], at: time), at: WallTime(seconds: time))
      if time > warmUpS { count += found.count { $0.state == .began } }
    }
    return count
  }

  @Test(arguments: fleets) func areAsRareAsAsked(_ fleet: Fleet) {
    let years = Self.asked ?? fleet.years
    let count = findings(fleet, years: years, warmUpS: 3 * 86400, Together.Settings())
    // With one a year, more than this has a probability of less than 1 %.
    var most = 0
    var term = Foundation.exp(-years)
    var sum = term
    while sum < 0.99 {
      most += 1
      term *= years / Double(most)
      sum += term
    }
    if Self.asked != nil { print("\(fleet.name): \(count) false findings in \(years) years") }
    #expect(count <= most)
  }

  /// The same where chance decides rather than `leastNodes`: there are some, and no more than asked for.
  @Test func areNotKeptAwayByTheLeastNumberAlone() {
    var settings = Together.Settings()
    settings.leastNodes = 2
    settings.falsePerYear = 1000
    let fleet = Fleet(name: "", nodes: 200, sideM: (20_000, 20_000), perHour: 0.1, years: 0)
    let years = Self.asked ?? 0.06
    let count = findings(fleet, years: years, warmUpS: 3 * 86400, settings)
    if Self.asked != nil { print("asked for 1000 a year: \(count) in \(years) years") }
    #expect(Double(count) <= 1000 * years)
    #expect(Double(count) >= 10 * years)
  }
}
