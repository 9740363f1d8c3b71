internal import Telemetry

// What a suspended machine does to a node: the monotonic clock stood, and the world did not.

extension Node {
  /// A sleep that is shorter is no news [s]: a machine that saves power sleeps every few seconds.
  private static let notableS = 60.0

  /// The machine was suspended since `last`, the moment of the input before. What the node had before it is finished
  /// with the time of then; what it remembers gets older by the sleep, and its clock goes on by as much.
  mutating func wake(after seconds: Double, since last: Instant, at now: Instant, _ effects: inout [NodeEffect]) {
    guard seconds > 0, seconds.isFinite else { return }
    if let outputs = location?.fallAsleep(at: last) {
      learnTime(at: last, &effects)
      carryOut(outputs, at: last, &effects)
    }
    sleeps.note(seconds, after: last)
    location?.wake(after: seconds, at: now)
    time.sleep(seconds)
    let text = "the machine slept for \(NodeClock.span(seconds)), until \(clock.wall(at: now).rfc3339)"
    effects.append(.log(Note(seconds < Node.notableS ? .info : .notice, "sleep", text)))
  }

  /// The clock for what was measured at a moment, be it before a sleep.
  func clock(at measured: Instant) -> ClockState { sleeps.clock(clock, at: measured) }

  /// Where the node was when something was measured, be it before a sleep.
  func place(at measured: Instant) -> Place? { location?.place(at: sleeps.aged(measured)) }
}
