import FleetLogic
import Foundation
import Telemetry
import Testing

@Suite("Waves over a fleet")
struct DetectionTests {
  /// 200 nodes over a city, waves of 2.5 to 8 km/s from anywhere, clocks 0.3 s and picks 0.3 s off, a fifth of the
  /// nodes asleep, strangers all the while.
  @Test func areFound() {
    var dice = Dice(7)
    let places = (0..<200).map { _ in (dice.unit() * 20_000, dice.unit() * 20_000) }
    let nodes = places.indices.map { participant($0, eastM: places[$0].0, northM: places[$0].1) }
    let waves = ProcessInfo.processInfo.environment["JUDDER_TOGETHER_YEARS"] == nil ? 10 : 100
    var found = 0
    var shares: [Double] = []
    var delays: [Double] = []
    for _ in 0..<waves {
      var together = Together()
      for node in nodes { together.know(node, at: WallTime(seconds: 0)) }
      let (east, north) = (dice.unit() * 60_000 - 20_000, dice.unit() * 60_000 - 20_000)
      let speed = 2500 + dice.unit() * 5500
      var shakes: [Shake] = []
      for node in nodes.indices where dice.unit() < 0.8 {
        let (x, y) = (places[node].0 - east, places[node].1 - north)
        let error = dice.normal() * 0.3 + dice.normal() * 0.3
        shakes.append(shake(nodes[node], at: 1000 + (x * x + y * y).squareRoot() / speed + error))
      }
      shakes.sort { $0.start < $1.start }
      var began: Double?
      var findings: [Finding] = []
      for shake in shakes {
        let told = together.note(shake, at: shake.start + 1)
        if began == nil, told.contains(where: { $0.state == .began }) { began = shake.start - shakes[0].start }
        findings += told
      }
      findings += finish(&together, after: WallTime(seconds: 1060))
      guard let began, findings.filter({ $0.state == .began }).count == 1 else { continue }
      found += 1
      delays.append(began)
      shares.append(Double(findings.last?.members.count ?? 0) / Double(shakes.count))
    }
    #expect(found == waves)
    #expect((shares.min() ?? 0) > 0.97)
    print(
      "\(found) of \(waves) waves found, at worst \(shares.min() ?? 0) of their nodes, after",
      "\(delays.sorted()[delays.count / 2]) s (median), \(delays.max() ?? 0) s at most")
  }

  /// The rule must keep up with a quake under ten thousand nodes, and with ten thousand strangers.
  @Test(.timeLimit(.minutes(5))) func areHandledWhereTenThousandShakeInAMinute() {
    let nodes = ProcessInfo.processInfo.environment["JUDDER_TOGETHER_YEARS"] == nil ? 1000 : 10_000
    var dice = Dice(3)
    var together = Together()
    var shakes: [Shake] = []
    for node in 0..<nodes {
      let (east, north) = (dice.unit() * 140_000, dice.unit() * 140_000)
      let who = participant(node, eastM: east, northM: north)
      together.know(who, at: WallTime(seconds: 0))
      shakes.append(shake(who, at: 1000 + (east * east + north * north).squareRoot() / 3500 + dice.normal() * 0.3))
    }
    shakes.sort { $0.start < $1.start }
    let clock = ContinuousClock()
    var findings: [Finding] = []
    let took = clock.measure { findings = run(shakes, &together) }
    #expect(findings.filter { $0.state == .began }.count == 1)
    #expect(findings.last?.members.count == nodes)
    print("\(nodes) shakes in a minute took \(took)")
  }
}
