internal import Glibc
public import Telemetry

/// The clocks of this machine: CLOCK_MONOTONIC, counted from an origin, and CLOCK_REALTIME.
public struct MonotonicClock: Equatable, Sendable {
  /// CLOCK_MONOTONIC at `Instant.start` [ns].
  public let originNanoseconds: Int64

  /// The clock of the process: its origin is the moment of the first use, which belongs at the top of `main`.
  public static let process = MonotonicClock(originNanoseconds: monotonicNanoseconds())

  public init(originNanoseconds: Int64) {
    self.originNanoseconds = originNanoseconds
  }

  /// This moment.
  public func now() -> Instant { instant(monotonicNanoseconds: MonotonicClock.monotonicNanoseconds()) }

  /// The instant of a reading of CLOCK_MONOTONIC [ns], such as a time stamp of the kernel.
  public func instant(monotonicNanoseconds: Int64) -> Instant {
    Instant(seconds: Double(monotonicNanoseconds &- originNanoseconds) * 1e-9)
  }

  /// The calendar time that the machine believes in: CLOCK_REALTIME.
  public func wallClock() -> WallTime {
    WallTime(seconds: Double(MonotonicClock.read(CLOCK_REALTIME)) * 1e-9)
  }

  /// CLOCK_MONOTONIC as it is [ns].
  public static func monotonicNanoseconds() -> Int64 { read(CLOCK_MONOTONIC) }

  /// How long the machine has been suspended since it started [s]: what CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC,
  /// which stands still meanwhile, so that no difference of instants tells of it.
  public static func suspendedSeconds() -> Double { Double(read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC)) * 1e-9 }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
