/// How long to wait before the next try to connect: growing, with jitter, and short again only after a connection that
/// lasted. A pure value; randomness is an argument.
///
/// Where a broker ended the connection, it ended that of the whole fleet in the same second. Then all waits of the
/// episode are spread, so that nobody comes back in a bunch, however long the broker is down: the first try lies
/// anywhere in the spread, S; each later one between S and 2 S after the last. At any moment after the broker is back
/// no more than 1/S of the fleet comes in a second (the density of first, second, ... tries nowhere adds up to more),
/// and after 2 S all are back.
public struct Backoff: Sendable, Equatable {
  /// How long to wait, at first and at most.
  public struct Settings: Sendable, Equatable {
    /// The longest first wait.
    public var firstS: Double
    /// The longest wait of all; with a spread that is more than half of it, twice the spread.
    public var maxS: Double
    /// A connection that lasted this long forgets the tries before it.
    public var stableS: Double
    /// After the broker ended the connection, the waits are spread over this much: with 40 s, a fortieth of a fleet
    /// comes back in a second. 0: they are not.
    public var spreadS: Double

    public init(firstS: Double = 1, maxS: Double = 100, stableS: Double = 60, spreadS: Double = 0) {
      self.firstS = firstS
      self.maxS = maxS
      self.stableS = stableS
      self.spreadS = spreadS
    }
  }

  /// How a try to connect, or the connection that came of it, has ended.
  public enum End: Sendable, Equatable {
    /// The broker never took us in, for reasons of our own: no network, no name, no answer, no admission.
    case failed
    /// The broker never took us in since it is down or starting: its machine refused the connection.
    case refused
    /// The connection broke on the way to the broker after so long [s]: others need not have felt it.
    case lost(afterS: Double)
    /// The broker ended the connection after so long [s]: the others felt it as well.
    case ended(afterS: Double)
  }

  private let settings: Settings
  private var failures = 0
  private var hasBeenIn = false
  private var isSpread = false

  public init(_ settings: Settings = Settings()) {
    self.settings = settings
  }

  /// The wait before the next try.
  ///
  /// - Parameter random: 0..<1, evenly spread.
  public mutating func next(after end: End, random: Double) -> Double {
    heed(end)
    let ceilingS = min(settings.maxS, settings.firstS * power(of: failures))
    let isFirst = failures == 0
    failures += 1
    guard isSpread, settings.spreadS > 0 else { return ceilingS * (0.5 + 0.5 * random) }
    return isFirst ? settings.spreadS * random : max(settings.spreadS, ceilingS / 2) * (1 + random)
  }

  private mutating func heed(_ end: End) {
    switch end {
    case .failed: break
    // Who was in before and finds nobody there comes from the same outage as the others.
    case .refused: isSpread = isSpread || hasBeenIn
    case .lost(let seconds), .ended(let seconds):
      hasBeenIn = true
      if seconds >= settings.stableS {
        failures = 0
        isSpread = false
      }
      if case .ended = end { isSpread = true }
    }
  }

  /// 2 to the power of the failures, bounded so that it never overflows.
  private func power(of failures: Int) -> Double {
    Double(1 << min(failures, 30))
  }
}
