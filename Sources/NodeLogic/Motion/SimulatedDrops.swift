internal import Telemetry

/// A thing that is dropped now and then, from 0.35 to 1.2 m, bounces once and comes to lie on another side.
///
/// Each landing is a half-sine pulse of 8 to 15 ms that takes the velocity of the fall away and gives some of it back.
/// A sample is the mean over the time since the one before, as of a sensor whose bandwidth goes with its rate: a slow
/// one sees a lower peak and the same change of velocity.
struct SimulatedDrops: Sendable {
  private static let sides = [Vector(0, 0, 1), Vector(0, 1, 0), Vector(1, 0, 0), Vector(0, -1, 0), Vector(-1, 0, 0)]

  private var from = Vector(0, 0, 1)
  private var to = Vector(0, 0, 1)
  private var releaseAt: Double
  private var landings: [Landing] = []
  /// What its turning makes it feel on the way.
  private var spin = Vector.zero

  /// A pulse, and the flight before it.
  private struct Landing {
    var start: Double
    var lengthS: Double
    var peakG: Double

    var end: Double { start + lengthS }

    /// The mean over the time between two moments [g].
    func meanG(from begin: Double, to now: Double) -> Double {
      let a = min(max(begin - start, 0), lengthS)
      let b = min(max(now - start, 0), lengthS)
      guard b > a, now > begin else { return 0 }
      let share = lengthS / .pi * (cos(.pi * a / lengthS) - cos(.pi * b / lengthS))
      return peakG * share / (now - begin)
    }
  }

  init(_ random: inout RandomNumbers) {
    releaseAt = random.uniform(5...12)
    plan(&random)
  }

  /// What is felt at `time` [s], gravity included [g]; `stepS` after the sample before.
  mutating func felt(at time: Double, stepS: Double, _ random: inout RandomNumbers) -> Vector {
    if let last = landings.last, time > last.end + stepS {
      from = to
      releaseAt = time + random.uniform(12...30)
      plan(&random)
    }
    guard time >= releaseAt, let first = landings.first, let last = landings.last else { return from }
    let push = landings.reduce(0) { $0 + $1.meanG(from: time - stepS, to: time) }
    if push > 0 || time >= last.end { return to * (push + 1) }
    return time < first.start ? spin : spin * 0.5
  }

  private mutating func plan(_ random: inout RandomNumbers) {
    to = Self.sides.filter { $0 != from && $0 != -from }.randomElement(using: &random) ?? from
    spin = Vector(random.uniform(-0.1...0.1), random.uniform(-0.1...0.1), random.uniform(-0.05...0.05))
    let heightM = random.uniform(0.35...1.2)
    let speedMps = (2 * standardGravity * heightM).squareRoot()
    let bounce = random.uniform(0.1...0.18)
    let first = landing(
      at: releaseAt + speedMps / standardGravity, dvMps: speedMps * (1 + bounce), lengthS: random.uniform(0.008...0.015)
    )
    let second = landing(
      at: first.end + 2 * bounce * speedMps / standardGravity, dvMps: speedMps * bounce,
      lengthS: random.uniform(0.008...0.015))
    landings = [first, second]
  }

  private func landing(at start: Double, dvMps: Double, lengthS: Double) -> Landing {
    Landing(start: start, lengthS: lengthS, peakG: dvMps * .pi / (2 * lengthS * standardGravity))
  }
}
