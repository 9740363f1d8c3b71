internal import Daemon
internal import NodeLogic
internal import Telemetry

// The machine's own sleep: CLOCK_MONOTONIC stands still in it, and so do the samples' times, which therefore show no
// hole. A chip may have lost its settings, and its buffer may stay silent: iio-sensor-proxy #235.

extension IIOSource {
  /// A shorter suspension is none: two clocks are not read at the same moment [s].
  private static let shortestSuspensionS = 1.0

  /// Whether the machine was suspended since this was asked last; says so in the log.
  func noteSuspension() -> Bool {
    let presentS = suspendedS()
    let sleptS = presentS - suspendedBeforeS
    guard sleptS > IIOSource.shortestSuspensionS else { return false }
    suspendedBeforeS = presentS
    note("suspend", .notice, "the machine was suspended for \(decimal(sleptS.rounded())) s; the sensor is started anew")
    return true
  }

  /// Turns a buffer off and on after a suspension. What it held is from before, or from nobody knows when.
  func goOn(with capture: any Capture, at now: Instant) -> [AccelerometerReport] {
    sleeper?.quiet.reset()
    guard let buffered = capture as? BufferedCapture else { return [.gap] }
    let before = buffered.description
    do {
      try buffered.restart(at: now)
      noteRange(buffered, before: before)
      return [.gap]
    } catch {
      buffered.close()
      return fail("\(error)", at: now)
    }
  }
}
