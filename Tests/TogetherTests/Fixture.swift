import FleetLogic
import Telemetry

typealias Shake = Together.Shake
typealias Finding = Together.Finding

/// Random numbers that a seed determines: SplitMix64.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// Evenly from 0 to 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Nearly normal with deviation 1: the sum of twelve even ones, less 6.
  mutating func normal() -> Double { (0..<12).reduce(-6.0) { sum, _ in sum + unit() } }
}

/// A node east and north of a place in the middle of Germany [m].
func participant(_ node: Int, eastM: Double, northM: Double) -> Together.Participant {
  let place = Together.Place(latitude: 50 + northM / 111_195, longitude: 10 + eastM / (111_195 * 0.642_788))
  return Together.Participant(node: node, name: NodeName("n\(node)")!, place: place)
}

func shake(_ who: Together.Participant, at seconds: Double) -> Shake {
  Shake(who, start: WallTime(seconds: seconds), clock: .ntp, peakG: 0.1)
}

/// Feeds shakes in the order given, each a second after its start, and then lets time pass until all is told.
func run(_ shakes: [Shake], _ together: inout Together) -> [Finding] {
  var findings: [Finding] = []
  var now = WallTime(seconds: 0)
  for shake in shakes {
    now = max(now, shake.start + 1)
    findings += together.note(shake, at: now)
  }
  return findings + finish(&together, after: now)
}

/// Lets time pass from deadline to deadline until nothing is open.
func finish(_ together: inout Together, after now: WallTime) -> [Finding] {
  var findings: [Finding] = []
  while let deadline = together.nextDeadline { findings += together.passes(to: max(now, deadline)) }
  return findings
}
