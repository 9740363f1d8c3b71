internal import Daemon
internal import Telemetry

/// A loop for a tool that looks at something: it ends with a signal, after a number of seconds, or with a failure.
final class ToolLoop {
  let loop = EventLoop(clock: .process)
  private let signals: Signals
  private var end: Termination?
  /// SIGINT or SIGTERM came.
  private(set) var isInterrupted = false
  /// Called when the loop ends, before `run` returns; once or more.
  var onStop: () -> Void = {}

  var clock: MonotonicClock { loop.clock }

  init() throws(Termination) {
    // Before any thread: signals are blocked in this one and in those it starts.
    signals = try Signals([.interrupt, .terminate, .windowChange])
  }

  /// Waits until `stop`, a signal or what a body throws.
  ///
  /// - Parameters:
  ///   - seconds: stops then at the latest; nil: never.
  ///   - redraw: called when the terminal has another size.
  ///   - begin: called once, with signals watched already.
  func run(
    seconds: Double?, redraw: (() throws(Termination) -> Void)? = nil, begin: () throws(Termination) -> Void
  ) throws(Termination) {
    loop.watch(signals.descriptor) { [unowned self] _ in takeSignals(redraw) }
    if let seconds { loop.timer { [unowned self] _ in stop() }.deadline = clock.now() + seconds }
    try begin()
    defer { stop() }
    try loop.run()
    if let end { throw end }
  }

  /// Calls `body` every so often [s], until the loop stops.
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
    onStop()
    loop.stop()
  }

  /// Does something that may end the tool, unless it has ended.
  func attempt(_ body: () throws(Termination) -> Void) {
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
}
