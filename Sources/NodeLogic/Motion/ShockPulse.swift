internal import Telemetry

/// One pulse of acceleration, measured.
///
/// Its duration is the time during which the acceleration along the direction of its peak is above 10 % of the peak,
/// which is how the width of a half-sine shock is commonly given, but not above less than a third of the threshold:
/// below that, what is left may be gravity, because something that falls lies differently afterwards.
struct ShockPulse: Equatable, Sendable {
  /// The rise through the level, interpolated [s].
  var start: Double
  /// The fall through the level, interpolated [s].
  var end: Double
  /// The largest sample [g].
  var peak: Vector
  /// Integral of the acceleration over the pulse [g s].
  var velocityGS: Vector
  /// A sample touched the end of the sensor's scale.
  var isClipped: Bool
  /// The longest time between two of its samples [s]: how well the duration is known.
  var spacingS: Double

  /// From `start` to `end` [s].
  var durationS: Double { end - start }

  /// Length of the largest sample [g].
  var peakG: Double { peak.length }

  /// Length of the velocity change [m/s].
  var dvMps: Double { velocityGS.length * standardGravity }
}

/// Cuts pulses out of a stream of accelerations without gravity.
///
/// A pulse is known for one when a sample is above the threshold, and has risen before that: the samples before lie in
/// a ring. The pulse's level rises with its peak, so its beginning moves on, sample by sample, and never back: each
/// sample is visited once on its way in and once on its way out. The ring never grows. Where a rise is longer than
/// it (0.1 s at 4 kHz), the beginning is what is left of it.
struct PulseTracker: Equatable, Sendable {
  private struct Point: Equatable {
    var time = 0.0
    var g = Vector.zero
  }

  /// No pulse's rise before the threshold is longer [s].
  private static let preTriggerS = 0.05
  /// Longer than this is no pulse but something that leans, turns or swings [s].
  private static let longestS = 0.25
  private static let levelShare = 0.1
  private static let thresholdShare = 1.0 / 3
  private static let capacity = 512

  private let thresholdG: Double
  private var ring: [Point]
  /// How many points were written since the last reset; the newest has this number minus one.
  private var written = 0
  private var open: Open?
  /// The number of the point that ended the last pulse: the next does not reach behind it.
  private var lastEnd = 0

  /// A pulse that is not over.
  private struct Open: Equatable {
    /// The number of its first point.
    var first: Int
    var peak: Vector
    var peakG: Double
    var direction: Vector
    var levelG: Double
    /// Integral from the first point to the newest [g s].
    var area: Vector
    var isClipped: Bool
    var spacingS: Double

    /// Leaves the first point out, and what lies between it and the next [g s].
    mutating func shorten(by lost: Vector) {
      first += 1
      area = area - lost
    }
  }

  /// What a sample decided about a pulse.
  enum Verdict: Equatable {
    case over(ShockPulse)
    /// It lasts too long to be a pulse, and is given up.
    case tooLong
  }

  init(thresholdG: Double) {
    self.thresholdG = thresholdG
    ring = [Point](repeating: Point(), count: Self.capacity)
  }

  /// A pulse has begun and is not over.
  var isOpen: Bool { open != nil }

  /// Takes the next acceleration without gravity [g] at `time` [s], later than the one before.
  ///
  /// - Parameter lengthG: its length, which the caller knows already [g].
  mutating func feed(_ g: Vector, lengthG: Double, at time: Double, isClipped: Bool) -> Verdict? {
    // The oldest point of a slow rise is about to be overwritten.
    if let first = open?.first, first + Self.capacity == written {
      let lost = area(first)
      open?.shorten(by: lost)
    }
    remember(g, at: time)
    guard open != nil else {
      if lengthG > thresholdG { begin(lengthG, isClipped) }
      return nil
    }
    return carryOn(g, lengthG, at: time, isClipped)
  }

  /// Takes an acceleration that is not above the threshold while no pulse is open: it may be the rise of the next.
  mutating func remember(_ g: Vector, at time: Double) {
    ring[written % Self.capacity] = Point(time: time, g: g)
    written += 1
  }

  /// Forgets everything: what comes next does not belong to what was.
  mutating func reset() {
    written = 0
    lastEnd = 0
    open = nil
  }
}

extension PulseTracker {
  private var newest: Int { written - 1 }
  private var oldest: Int { max(0, written - Self.capacity) }

  private func point(_ number: Int) -> Point { ring[number % Self.capacity] }

  /// Opens a pulse at the newest point, and walks back along its rise.
  private mutating func begin(_ lengthG: Double, _ isClipped: Bool) {
    let peak = point(newest)
    let direction = peak.g * (1 / lengthG)
    let levelG = level(for: lengthG)
    var pulse = Open(
      first: newest, peak: peak.g, peakG: lengthG, direction: direction, levelG: levelG, area: .zero,
      isClipped: isClipped, spacingS: newest > oldest ? peak.time - point(newest - 1).time : 0)
    while pulse.first > max(oldest, lastEnd) {
      let before = point(pulse.first - 1)
      guard before.g.dot(direction) >= levelG, peak.time - before.time <= Self.preTriggerS else { break }
      pulse.first -= 1
      pulse.area = pulse.area + area(pulse.first)
    }
    open = pulse
  }

  private mutating func carryOn(_ g: Vector, _ lengthG: Double, at time: Double, _ isClipped: Bool) -> Verdict? {
    guard var pulse = open else { return nil }
    let last = point(newest - 1)
    guard g.dot(pulse.direction) >= pulse.levelG else {
      let shock = close(pulse)
      open = nil
      lastEnd = newest
      // A case that rings swings back through zero: the next half of it begins with the sample that ends this one.
      if lengthG > thresholdG { begin(lengthG, isClipped) }
      return .over(shock)
    }
    pulse.area = pulse.area + (last.g + g) * (0.5 * (time - last.time))
    pulse.isClipped = pulse.isClipped || isClipped
    pulse.spacingS = max(pulse.spacingS, time - last.time)
    if lengthG > pulse.peakG {
      pulse.peak = g
      pulse.peakG = lengthG
      pulse.direction = g * (1 / lengthG)
      pulse.levelG = level(for: lengthG)
      while pulse.first < newest, point(pulse.first).g.dot(pulse.direction) < pulse.levelG {
        pulse.shorten(by: area(pulse.first))
      }
    }
    guard time - point(pulse.first).time <= Self.longestS else {
      open = nil
      return .tooLong
    }
    open = pulse
    return nil
  }

  private func level(for peakG: Double) -> Double {
    max(Self.levelShare * peakG, Self.thresholdShare * thresholdG)
  }

  /// The trapezoid from a point to the next [g s].
  private func area(_ number: Int) -> Vector {
    let (a, b) = (point(number), point(number + 1))
    return (a.g + b.g) * (0.5 * (b.time - a.time))
  }

  /// Adds what lies between the samples: from the rise through the level to the first point, and from the last point,
  /// the one before the newest, to the fall through it.
  private func close(_ pulse: Open) -> ShockPulse {
    let first = point(pulse.first)
    let last = point(newest - 1)
    var shock = ShockPulse(
      start: first.time, end: last.time, peak: pulse.peak, velocityGS: pulse.area, isClipped: pulse.isClipped,
      spacingS: max(pulse.spacingS, point(newest).time - last.time))
    if pulse.first > oldest {
      let edge = crossing(from: first, to: point(pulse.first - 1), pulse)
      shock.start = edge.time
      shock.velocityGS = shock.velocityGS + (first.g + edge.g) * (0.5 * (first.time - edge.time))
    }
    let edge = crossing(from: last, to: point(newest), pulse)
    shock.end = edge.time
    shock.velocityGS = shock.velocityGS + (last.g + edge.g) * (0.5 * (edge.time - last.time))
    return shock
  }

  /// Where the acceleration along the peak comes down to the level between a point of the pulse and one beside it.
  private func crossing(from inside: Point, to outside: Point, _ pulse: Open) -> Point {
    let above = inside.g.dot(pulse.direction)
    let below = outside.g.dot(pulse.direction)
    guard above > below, below < pulse.levelG else { return inside }
    let share = min(1, max(0, (above - pulse.levelG) / (above - below)))
    return Point(
      time: inside.time + share * (outside.time - inside.time), g: inside.g + (outside.g - inside.g) * share)
  }
}
