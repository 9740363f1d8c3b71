/// How long to wait before the next try to connect: growing, with jitter, and short again only after a connection that
/// lasted. A pure value; randomness is an argument.
public struct Backoff: Sendable, Equatable {
  /// How long to wait, at first and at most.
  public struct Settings: Sendable, Equatable {
    /// The longest first wait.
    public var firstS: Double
    /// The longest wait of all.
    public var maxS: Double
    /// A connection that lasted this long forgets the tries before it.
    public var stableS: Double
    /// After a lost connection the first wait is longer by up to this much, so that a fleet does not come back to a
    /// restarted broker in the same second: a thousand nodes spread over 20 s are 50 a second.
    public var spreadS: Double

    public init(firstS: Double = 1, maxS: Double = 120, stableS: Double = 60, spreadS: Double = 0) {
      self.firstS = firstS
      self.maxS = maxS
      self.stableS = stableS
      self.spreadS = spreadS
    }
  }

  private let settings: Settings
  private var failures = 0

  public init(_ settings: Settings = Settings()) {
    self.settings = settings
  }

  /// The wait before the next try.
  ///
  /// The ceiling doubles with each try, and the wait lies between half of it and the whole.
  ///
  /// - Parameters:
  ///   - lastedS: how long the connection lasted that has just ended; nil when the broker never took us in.
  ///   - random: 0..<1, evenly spread.
  public mutating func next(lastedS: Double?, random: Double) -> Double {
    if let lastedS, lastedS >= settings.stableS { failures = 0 }
    let ceiling = min(settings.maxS, settings.firstS * power(of: failures))
    let spread = lastedS != nil && failures == 0 ? settings.spreadS * random : 0
    failures += 1
    return min(settings.maxS, ceiling * (0.5 + 0.5 * random) + spread)
  }

  /// 2 to the power of the failures, bounded so that it never overflows.
  private func power(of failures: Int) -> Double {
    Double(1 << min(failures, 30))
  }
}
