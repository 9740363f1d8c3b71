internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// A sensor on a loop of its own, for a tool: samples until a signal, a number of seconds, or enough.
final class SensorSession {
  let loop = EventLoop(clock: .process)
  private let settings: AccelerometerSettings
  private let log: Log
  private let signals: Signals
  private var inlet: AccelerometerInlet?
  private var end: Termination?
  /// SIGINT or SIGTERM came.
  private(set) var isInterrupted = false

  var clock: MonotonicClock { loop.clock }

  init(_ settings: AccelerometerSettings, log: Log) throws(Termination) {
    var settings = settings
    // Whoever looks wants samples, also of what lies still.
    settings.wake = false
    self.settings = settings
    self.log = log
    // Before any thread: signals are blocked in this one and in those it starts.
    signals = try Signals([.interrupt, .terminate, .windowChange])
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
    loop.watch(signals.descriptor) { [unowned self] _ in takeSignals(redraw) }
    if let seconds { loop.timer { [unowned self] _ in stop() }.deadline = clock.now() + seconds }
    do throws(RecordingFailure) {
      inlet = try AccelerometerInlet(settings, loop: loop, log: log) { [unowned self] report in
        // What comes in one batch with the last report that was wanted is not.
        if inlet != nil { attempt { () throws(Termination) in try take(SensorSession.explained(report)) } }
      }
    } catch {
      throw Termination(.configuration, ["\(error)"])
    }
    defer { stop() }
    try loop.run()
    if let end { throw end }
  }

  /// Calls `body` every so often [s], until the session stops.
  func every(_ intervalS: Double, _ body: @escaping (Instant) throws(Termination) -> Void) {
    var timer: EventLoop.Timer?
    timer = loop.timer { [unowned self] now in
      attempt { () throws(Termination) in try body(now) }
      timer?.deadline = now + intervalS
    }
    timer?.deadline = clock.now() + intervalS
  }

  /// Ends `run` well.
  func stop() {
    inlet?.stop()
    inlet = nil
    loop.stop()
  }

  private func attempt(_ body: () throws(Termination) -> Void) {
    guard end == nil else { return }
    do throws(Termination) {
      try body()
    } catch {
      end = error
      stop()
    }
  }

  private func takeSignals(_ redraw: (() throws(Termination) -> Void)?) {
    while let signal = signals.next() {
      if signal == .windowChange {
        if let redraw { attempt(redraw) }
        continue
      }
      isInterrupted = true
      stop()
    }
  }

  /// A buffer has one reader, and while it runs the driver refuses single readings too.
  static func explained(_ report: AccelerometerReport) -> AccelerometerReport {
    guard case .failed(let reason) = report, reason.contains(systemErrorText(EBUSY)) else { return report }
    return .failed(reason: "\(reason); another program has this sensor: stop it first, if it is judder-node run")
  }
}
