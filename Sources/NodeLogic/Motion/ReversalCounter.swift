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

  /// Takes the axis' value at `time` [s]. A swing to the other side within `gapS` of the swing before is a reversal; a
  /// later one starts a new chain.
  mutating func feed(_ value: Double, level: Double, at time: Double, gapS: Double) {
    let now: Side = value > level ? .above : value < -level ? .below : .neither
    guard now != .neither, now != side else { return }
    if side != .neither, time - last <= gapS {
      count += 1
    } else {
      count = 0
      first = time
    }
    last = time
    side = now
  }

  /// Swings per second [Hz]; nil below two reversals.
  var frequencyHz: Double? {
    let span = last - first
    return count >= 2 && span > 0 ? Double(count) / (2 * span) : nil
  }
}
