import FleetLogic
import Telemetry
import Testing

@Suite("What doesn't change what is found")
struct InvarianceTests {
  /// Strangers all the time, and now and then a wave, by their starts; 60 nodes over 80 km, within 200 s.
  private func shakes(_ seed: UInt64) -> [Shake] {
    var dice = Dice(seed)
    let nodes = (0..<60).map { participant($0, eastM: dice.unit() * 80_000, northM: dice.unit() * 80_000) }
    var shakes = (0..<25).map { _ in shake(nodes[Int(dice.next() % 60)], at: 1000 + dice.unit() * 200) }
    for wave in 0..<2 {
      let (east, north) = (dice.unit() * 80_000, dice.unit() * 80_000)
      for node in 0..<60 where dice.unit() < 0.2 {
        let (x, y) = (nodes[node].place!.longitude - 10, nodes[node].place!.latitude - 50)
        let metres = ((x * 71_475 - east) * (x * 71_475 - east) + (y * 111_195 - north) * (y * 111_195 - north))
          .squareRoot()
        shakes.append(shake(nodes[node], at: 1020 + Double(wave) * 120 + metres / 4000 + dice.normal() * 0.3))
      }
    }
    return shakes.sorted { $0.start < $1.start }
  }

  private func known(_ shakes: [Shake]) -> Together {
    var together = Together()
    for shake in shakes { together.know(shake.participant, at: WallTime(seconds: 0)) }
    return together
  }

  private func members(_ findings: [Finding]) -> Set<[Int]> {
    Set(findings.filter { $0.state == .ended && !$0.reason.contains("part of another") }.map { $0.members.map(\.node) })
  }

  @Test func theOrderOfArrivalWithinTheHorizon() {
    var found = 0
    for seed in 1...12 as ClosedRange<UInt64> {
      let shakes = shakes(seed)
      var inOrder = known(shakes)
      let expected = members(run(shakes, &inOrder))
      found += expected.count
      for again in 1...3 as ClosedRange<UInt64> {
        var dice = Dice(seed * 100 + again)
        var mixed = known(shakes)
        #expect(members(run(shakes.shuffled(using: &dice), &mixed)) == expected, "seed \(seed), order \(again)")
      }
    }
    #expect(found >= 12)
  }

  @Test func duplicates() {
    for seed in 1...8 as ClosedRange<UInt64> {
      let shakes = shakes(seed)
      var once = known(shakes)
      var twice = known(shakes)
      var (expected, findings): ([Finding], [Finding]) = ([], [])
      for shake in shakes {
        // A duplicate is a moment at which time passes.
        expected += once.note(shake, at: shake.start + 1) + once.passes(to: shake.start + 1)
        findings += twice.note(shake, at: shake.start + 1) + twice.note(shake, at: shake.start + 1)
      }
      expected += finish(&once, after: WallTime(seconds: 1000))
      #expect(findings + finish(&twice, after: WallTime(seconds: 1000)) == expected, "seed \(seed)")
      #expect(twice.tally.duplicate == shakes.count)
    }
  }

  @Test func aRestartAtAnyMomentEvenWhenNodesAreNumberedAnew() {
    for seed in 1...6 as ClosedRange<UInt64> {
      let shakes = shakes(seed)
      var through = known(shakes)
      let expected = run(shakes, &through)
      for stop in stride(from: 0, to: shakes.count, by: 3) {
        var together = known(shakes)
        var findings: [Finding] = []
        for (index, shake) in shakes.enumerated() {
          if index == stop {
            let numbers = Dictionary(
              shakes.map { ($0.participant.name, $0.participant.node) }, uniquingKeysWith: { first, _ in first })
            together = Together(Together.Settings(), restoring: together.snapshot) { numbers[$0] }
          }
          findings += together.note(shake, at: shake.start + 1)
        }
        findings += finish(&together, after: WallTime(seconds: 1000))
        #expect(findings == expected, "seed \(seed), stopped before \(stop)")
      }
    }
  }
}
