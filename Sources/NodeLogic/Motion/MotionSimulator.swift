public import Telemetry

/// Makes up what an accelerometer would measure, from a seed: the same seed gives the same samples everywhere.
public struct MotionSimulator: Sendable {
  /// What the simulated node goes through.
  public let scenario: MotionScenario
  /// Samples per second [Hz], 1...10000.
  public let rateHz: Double
  private let start: Instant
  private let sensor: CheapSensor
  private var count = 0
  private var random: RandomNumbers
  private var pose: Pose
  private var walk: Walk
  private var drive: Drive
  private var shaking: Shaking
  private var drops: SimulatedDrops

  /// - Parameters:
  ///   - rateHz: samples per second [Hz]; what is outside 1...10000 is brought to its nearest end.
  ///   - start: the time of the first sample.
  public init(_ scenario: MotionScenario, rateHz: Double, seed: UInt64, start: Instant = .start) {
    self.scenario = scenario
    self.rateHz = rateHz >= 1 ? min(rateHz, 10_000) : 1
    self.start = start
    sensor = CheapSensor(rateHz: self.rateHz)
    random = RandomNumbers(seed: seed)
    pose = Pose(&random)
    walk = Walk(&random)
    drive = Drive(&random)
    shaking = Shaking(&random)
    // Apart, so that what the other scenarios draw stays as it was.
    var other = RandomNumbers(seed: ~seed)
    drops = SimulatedDrops(&other)
  }

  /// The time of the sample that `next` gives.
  public var nextAt: Instant { start + Double(count) / rateHz }

  /// The next sample.
  public mutating func next() -> Sample {
    let time = Double(count) / rateHz
    let at = nextAt
    count += 1
    let g: Vector
    switch scenario {
    case .parked: g = Vector(0.02, -0.03, 0.9993)
    case .carried: g = pose.up(at: time, &random) + walk.acceleration(at: time)
    case .driven: g = Vector(0.05, 0.02, 0.9985) + drive.acceleration(at: time, stepS: 1 / rateHz, &random)
    case .dropped: g = drops.felt(at: time, stepS: 1 / rateHz, &random)
    case .shaken: g = Vector(0.02, -0.03, 0.9993) + shaking.acceleration(at: time, &random)
    }
    return Sample(at: at, g: sensor.reading(of: g, &random))
  }
}

/// How the node is held: upright on one of its sides, and turned to another every 15 to 40 s within 1.5 s.
private struct Pose: Sendable {
  private static let turnS = 1.5
  private static let sides = [
    Vector(0, 0, 1), Vector(0, 1, 0), Vector(1, 0, 0), Vector(0, -1, 0), Vector(-1, 0, 0),
  ]
  private var from = Vector(0, 0, 1)
  private var to = Vector(0, 0, 1)
  private var turnAt: Double

  init(_ random: inout RandomNumbers) {
    turnAt = random.uniform(15...40)
  }

  mutating func up(at time: Double, _ random: inout RandomNumbers) -> Vector {
    let progress = (time - turnAt) / Self.turnS
    if progress >= 1 {
      from = to
      turnAt = time + random.uniform(15...40)
    }
    guard progress > 0, progress < 1 else { return from }
    if from == to { to = Self.sides.filter { $0 != from && $0 != -from }.randomElement(using: &random) ?? from }
    // Sides next to each other are a right angle apart, so this is a turn at even speed.
    let angle = progress * .pi / 2
    return from * cos(angle) + to * sin(angle)
  }
}

/// Two steps a second: mostly up and down, with the overtone that heels make, and a sway at half the rate.
private struct Walk: Sendable {
  private let stepHz: Double
  private let strength: Double

  init(_ random: inout RandomNumbers) {
    stepHz = random.uniform(1.8...2.1)
    strength = random.uniform(0.8...1.1)
  }

  func acceleration(at time: Double) -> Vector {
    let phase = 2 * .pi * stepHz * time
    return Vector(0.08 * sin(phase / 2), 0.10 * sin(phase + 0.8), 0.22 * sin(phase) + 0.08 * sin(2 * phase + 0.4))
      * strength
  }
}

/// A road: slow corners and brakes, and vibration that swells with the surface.
private struct Drive: Sendable {
  private var manoeuvre = Vector.zero
  private var wanted = Vector.zero
  private var nextManoeuvre: Double
  private var vibration = Vector.zero
  private var easing = Smoothing(timeS: 0.8)
  private var springs = Smoothing(cornerHz: 8)
  private let swellS: Double

  init(_ random: inout RandomNumbers) {
    nextManoeuvre = random.uniform(2...6)
    swellS = random.uniform(20...40)
  }

  mutating func acceleration(at time: Double, stepS: Double, _ random: inout RandomNumbers) -> Vector {
    if time >= nextManoeuvre {
      let wasStraight = wanted == .zero
      wanted = wasStraight ? Vector(random.uniform(-0.3...0.25), random.uniform(-0.25...0.25), 0) : .zero
      nextManoeuvre = time + random.uniform(2...6)
    }
    manoeuvre = manoeuvre + (wanted - manoeuvre) * easing.weight(after: stepS)
    let weight = springs.weight(after: stepS)
    // White noise through the springs, made up for what they take, so that the rate does not change the strength.
    let strength = 0.04 * (1 + 0.5 * sin(2 * .pi * time / swellS)) * ((2 - weight) / weight).squareRoot()
    let push = Vector(0.5 * random.normal(), 0.6 * random.normal(), random.normal()) * strength
    vibration = vibration + (push - vibration) * weight
    return manoeuvre + vibration
  }
}

/// Shakes at 4 to 5 swings a second, in some direction, now and then.
private struct Shaking: Sendable {
  private var start: Double
  private var lengthS = 0.0
  private var swingHz = 0.0
  private var swing = Vector.zero

  init(_ random: inout RandomNumbers) {
    start = random.uniform(4...10)
    plan(&random)
  }

  mutating func acceleration(at time: Double, _ random: inout RandomNumbers) -> Vector {
    if time >= start + lengthS {
      start = time + random.uniform(8...20)
      plan(&random)
    }
    guard time >= start else { return .zero }
    return swing * sin(2 * .pi * swingHz * (time - start))
  }

  private mutating func plan(_ random: inout RandomNumbers) {
    let isLong = random.uniform(0...1) < 0.25
    lengthS = isLong ? random.uniform(1.7...2.5) : random.uniform(0.6...0.9)
    swingHz = random.uniform(4...5)
    swing = Vector(random.uniform(1.6...2.2), random.uniform(0.2...0.6), random.uniform(0.1...0.4))
  }
}
