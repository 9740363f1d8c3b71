internal import Glibc
public import Telemetry

/// Where the node's monotonic time starts on the kernel's: turns CLOCK_MONOTONIC into an `Instant`.
public struct MonotonicOrigin: Equatable, Sendable {
  /// CLOCK_MONOTONIC at `Instant.start` [ns].
  public let nanoseconds: Int64

  /// - Parameter nanoseconds: CLOCK_MONOTONIC when the process started [ns].
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// An origin at this very moment.
  public static func here() -> MonotonicOrigin { MonotonicOrigin(nanoseconds: kernelNow()) }

  /// This moment: clock_gettime(CLOCK_MONOTONIC).
  public func now() -> Instant { instant(kernel: MonotonicOrigin.kernelNow()) }

  /// The instant of a kernel time stamp.
  ///
  /// - Parameter kernel: CLOCK_MONOTONIC [ns].
  public func instant(kernel: Int64) -> Instant {
    // Subtracting as integers first keeps every nanosecond; a nonsensical stamp wraps rather than trap.
    Instant(seconds: Double(kernel &- nanoseconds) * 1e-9)
  }

  private static func kernelNow() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
