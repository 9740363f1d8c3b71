/// Notices that the machine was suspended since it was last asked.
///
/// Two readings of clocks cost no system call, so that it is asked before every input.
public struct SuspensionWatch {
  /// What is shorter is none [s]: the process may be held up between two readings.
  static let leastS = 0.5

  private let suspendedS: () -> Double
  private var known: Double

  /// - Parameter suspendedS: how long the machine has been suspended since it started [s].
  public init(suspendedS: @escaping () -> Double = MonotonicClock.suspendedSeconds) {
    self.suspendedS = suspendedS
    known = suspendedS()
  }

  /// How long it was suspended since the last answer [s]; nil when it was not.
  public mutating func change() -> Double? {
    let total = suspendedS()
    let grownS = total - known
    // A process held up between the two readings finds too little, which must not count as growth the next time.
    guard grownS > SuspensionWatch.leastS else { return nil }
    known = total
    return grownS
  }
}
