/// Counts the changes of direction on one axis: a Schmitt trigger at plus and minus a level.
struct ReversalCounter: Equatable, Sendable {
  private enum Side: Equatable {
    case neither, above, below
  }

  private var side = Side.neither
  /// Reversals of the chain that is running.
  private(set) var count = 0
  /// When the chain's first swing crossed the level [s].
  private(set) var first = 0.0
  /// When its last swing crossed the level [s].
  private(set) var last = -Double.infinity
  /// The newest reversals of the chain that follow each other in a rhythm.
  private var rhythm = Rhythm()

  /// Takes the axis' value at `time` [s]. A swing to the other side within `gapS` of the swing before is a reversal; a
  /// later one starts a new chain.
  ///
  /// - Parameters:
  ///   - before: the axis' value `stepS` earlier, so that the crossing can be placed between the samples.
  ///   - ratio: how much longer than the shortest interval the longest of a rhythm may be, >= 1; below 1 there is none.
  mutating func feed(
    _ value: Double, before: Double, level: Double, at time: Double, stepS: Double, gapS: Double, ratio: Double
  ) {
    let now: Side = value > level ? .above : value < -level ? .below : .neither
    guard now != .neither, now != side else { return }
    let length = now == .above ? value : -value
    let from = now == .above ? before : -before
    // Where the straight line between the two samples meets the level. At low rates whole samples would make any
    // rhythm uneven.
    let crossing = from < level ? time - stepS * (length - level) / (length - from) : time
    if side != .neither, time - last <= gapS {
      count += 1
      rhythm.add(crossing, spacingS: stepS, ratio: ratio)
    } else {
      count = 0
      first = time
      rhythm = Rhythm(at: crossing, spacingS: stepS)
    }
    last = time
    side = now
  }

  /// Whether so many reversals, over so long a time [s], came in a rhythm just now.
  func isRhythmic(_ reversals: Int, overS: Double) -> Bool {
    rhythm.count >= reversals && rhythm.lengthS >= overS
  }

  /// Swings per second [Hz]; nil below two reversals.
  var frequencyHz: Double? {
    let span = last - first
    return count >= 2 && span > 0 ? Double(count) / (2 * span) : nil
  }
}

/// Crossings that follow each other at intervals of about one length.
private struct Rhythm: Equatable, Sendable {
  /// An interval counts as at least so many samples: what is shorter is not resolved well enough to be called uneven.
  private static let resolution = 3.0

  /// Intervals.
  private(set) var count = 0
  private var first: Double
  private var last: Double
  private var shortestS = Double.infinity
  private var longestS = 0.0
  /// The widest spacing of the samples around the crossings, as lost samples make it.
  private var spacingS: Double

  init(at crossing: Double = 0, spacingS: Double = 0) {
    first = crossing
    last = crossing
    self.spacingS = spacingS
  }

  /// From the first crossing to the last [s].
  var lengthS: Double { last - first }

  /// Takes the next crossing. One that comes too soon or too late begins a new rhythm with the interval that it ends.
  mutating func add(_ crossing: Double, spacingS step: Double, ratio: Double) {
    let intervalS = crossing - last
    spacingS = max(spacingS, step)
    let shortest = min(shortestS, intervalS)
    let longest = max(longestS, intervalS)
    if longest > ratio * max(shortest, Self.resolution * spacingS) {
      count = 1
      first = last
      spacingS = step
      shortestS = intervalS
      longestS = intervalS
    } else {
      count += 1
      shortestS = shortest
      longestS = longest
    }
    last = crossing
  }
}
