public import Telemetry

/// Notices when the machine's calendar time was set, or became worth more or less.
///
/// Comparing the two clocks costs no system call, so that it is done before every input: a message after a jump never
/// carries a time from before it. The kernel's own word on its clock is asked for once a minute.
public struct ClockWatch {
  /// A jump that is smaller is a slew, and no message can tell [s].
  private static let smallestJumpS = 0.05
  private static let probeS = 60.0

  private let clock: MonotonicClock
  private let probe: ClockProbe
  /// As it was answered last, or found at the start.
  public private(set) var state: ClockState
  private var probeDue: Instant

  /// Reads the state for the first time.
  public init(clock: MonotonicClock) {
    self.clock = clock
    probe = ClockProbe(clock: clock)
    state = probe.read()
    probeDue = clock.now() + ClockWatch.probeS
  }

  /// The new state, where it differs from the one that was answered before.
  public mutating func change(at now: Instant) -> ClockState? {
    let drift = (clock.wallClock() - state.wall(at: clock.now())).magnitude
    guard drift > ClockWatch.smallestJumpS || now >= probeDue else { return nil }
    probeDue = now + ClockWatch.probeS
    let new = probe.read()
    defer { state = new }
    return new == state ? nil : new
  }
}
