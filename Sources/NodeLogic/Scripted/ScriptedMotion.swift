internal import Telemetry

/// Makes up what the accelerometer of a scripted node would measure: rest, and whatever it is told to go through. The
/// same seed and the same orders at the same samples give the same samples everywhere.
struct ScriptedMotion: Sendable {
  /// A shake to and fro.
  private struct Swing {
    var from: Double
    var forS: Double
    var hz: Double
    var g: Vector
  }

  /// Orders that wait or go on, at the most: the oldest goes.
  private static let mostSwings = 1000
  /// How long a turn to another side takes [s].
  private static let turnS = 1.0
  /// Half a swing of a hand; at low rates a pulse is one sample.
  private static let blowS = 0.02

  let rateHz: Double
  private let sensor: CheapSensor
  private let start: Instant
  private var count = 0
  private var random: RandomNumbers
  private var swings: [Swing] = []
  /// The sample that a blow is in, and how hard it is.
  private var blow: (from: Double, g: Double)?
  private var from: Vector
  private var to: Vector
  private var turnAt = -ScriptedMotion.turnS

  /// - Parameters:
  ///   - rateHz: samples per second [Hz]; what is outside 1...1000 is brought to its nearest end.
  ///   - start: the time of the first sample.
  init(rateHz: Double, seed: UInt64, start: Instant) {
    self.rateHz = min(max(rateHz, 1), 1000)
    self.start = start
    sensor = CheapSensor(rateHz: self.rateHz)
    random = RandomNumbers(seed: seed)
    from = Vector(0.02, -0.03, 0.9993)
    to = from
  }

  /// The time of the sample that `next` gives.
  var nextAt: Instant { start + Double(count) / rateHz }

  /// Leaves out the samples before a moment: nobody asked for them in time.
  mutating func skip(to moment: Instant) {
    count = max(count, Int(((moment - start) * rateHz).rounded(.up)))
  }

  /// Shakes, from `moment` on for so long [s], with so much at the most [g].
  mutating func shake(peakG: Double, forS: Double, from moment: Instant) {
    if swings.count == Self.mostSwings { swings.removeFirst() }
    let direction = Vector(1, random.uniform(0.1...0.3), random.uniform(0.05...0.2))
    let swing = direction * (peakG / direction.length)
    swings.append(Swing(from: moment - start, forS: forS, hz: random.uniform(4...5), g: swing))
  }

  /// Strikes the node once, along x, with so much at the most [g].
  mutating func strike(peakG: Double, at moment: Instant) {
    blow = (max(moment, nextAt) - start, peakG)
  }

  /// Turns the node so that this side is up, within a second. An unknown side changes nothing.
  mutating func tip(to face: Face, at moment: Instant) {
    guard face != .unknown else { return }
    from = heading(at: moment - start)
    to = face.up
    turnAt = moment - start
  }

  /// The next sample.
  mutating func next() -> Sample {
    let time = Double(count) / rateHz
    let at = nextAt
    count += 1
    var g = heading(at: time)
    swings.removeAll { $0.from + $0.forS < time }
    for swing in swings where swing.from <= time {
      g = g + swing.g * sin(2 * .pi * swing.hz * (time - swing.from))
    }
    if let blow, time >= blow.from {
      let progress = (time - blow.from) / max(Self.blowS, 1 / rateHz)
      // Its first sample is the peak, so that a low rate does not miss it.
      if progress < 0.5 { g = g + Vector(blow.g * cos(.pi * progress), 0, 0) } else { self.blow = nil }
    }
    return Sample(at: at, g: sensor.reading(of: g, &random))
  }

  /// Which way is up. Opposite sides lie two right angles apart: the way between goes over a third one.
  private func heading(at time: Double) -> Vector {
    let progress = (time - turnAt) / Self.turnS
    guard progress < 1 else { return to }
    let between = from.dot(to) < -0.9 ? Vector(from.y, from.z, from.x) : from + to
    let middle = between * (1 / max(between.length, 0.01))
    let (a, b, part) = progress < 0.5 ? (from, middle, progress * 2) : (middle, to, progress * 2 - 1)
    let mixed = a * (1 - part) + b * part
    return mixed * (1 / max(mixed.length, 0.01))
  }
}
