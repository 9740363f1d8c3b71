internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// A sensor on a loop of its own, for a tool: samples until a signal, a number of seconds, or enough.
final class SensorSession {
  private let tool: ToolLoop
  private let settings: AccelerometerSettings
  private let log: Log
  private var inlet: AccelerometerInlet?

  var clock: MonotonicClock { tool.clock }
  /// SIGINT or SIGTERM came.
  var isInterrupted: Bool { tool.isInterrupted }

  init(_ settings: AccelerometerSettings, log: Log) throws(Termination) {
    var settings = settings
    // Whoever looks wants samples, also of what lies still.
    settings.wake = false
    self.settings = settings
    self.log = log
    tool = try ToolLoop()
    tool.onStop = { [unowned self] in
      inlet?.stop()
      inlet = nil
    }
  }

  /// Hands every report to `take`, until `stop`, a signal or what it throws.
  ///
  /// - Parameters:
  ///   - seconds: stops then at the latest; nil: never.
  ///   - redraw: called when the terminal has another size.
  func run(
    seconds: Double?, redraw: (() throws(Termination) -> Void)? = nil,
    _ take: @escaping (AccelerometerReport) throws(Termination) -> Void
  ) throws(Termination) {
    try tool.run(seconds: seconds, redraw: redraw) { () throws(Termination) in
      do throws(RecordingFailure) {
        inlet = try AccelerometerInlet(settings, loop: tool.loop, log: log) { [unowned self] report in
          // What comes in one batch with the last report that was wanted is not.
          if inlet != nil { tool.attempt { () throws(Termination) in try take(SensorSession.explained(report)) } }
        }
      } catch {
        throw Termination(.configuration, ["\(error)"])
      }
    }
  }

  /// Calls `body` every so often [s], until the session stops.
  func every(_ intervalS: Double, _ body: @escaping (Instant) throws(Termination) -> Void) {
    tool.every(intervalS, body)
  }

  /// Ends `run` well.
  func stop() { tool.stop() }

  /// A buffer has one reader, and while it runs the driver refuses single readings too.
  static func explained(_ report: AccelerometerReport) -> AccelerometerReport {
    guard case .failed(let reason) = report, reason.contains(systemErrorText(EBUSY)) else { return report }
    return .failed(reason: "\(reason); another program has this sensor: stop it first, if it is judder-node run")
  }
}
