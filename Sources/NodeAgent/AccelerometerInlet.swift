internal import Daemon
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// Puts an accelerometer on the loop.
final class AccelerometerInlet {
  private let loop: EventLoop
  private let source: any AccelerometerSource
  private let take: (AccelerometerReport) -> Void
  private var timer: EventLoop.Timer?
  private var watched: Int32?

  /// Nil when no accelerometer is configured.
  ///
  /// - Throws: what is wrong with the recording.
  init?(
    _ settings: AccelerometerSettings, loop: EventLoop, log: Log, take: @escaping (AccelerometerReport) -> Void
  ) throws(RecordingFailure) {
    let note: AccelerometerNote = { key, level, text in log.change(key, level, "accelerometer: \(text)") }
    guard let source = try makeAccelerometerSource(settings, clock: loop.clock, note: note) else { return nil }
    self.loop = loop
    self.source = source
    self.take = take
    timer = loop.timer { [unowned self] now in handle(at: now) }
    timer?.deadline = loop.clock.now()
  }

  func stop() {
    if let watched { loop.unwatch(watched) }
    if let timer { loop.remove(timer) }
    timer = nil
    watched = nil
    source.stop()
  }

  /// Wakes a sensor that sleeps, and keeps it awake until then.
  func keepAwake(until: Instant) {
    source.keepAwake(until: until)
    timer?.deadline = loop.clock.now()
  }

  private func handle(at now: Instant) {
    for report in source.handle(at: now) { take(report) }
    guard timer != nil else { return }
    timer?.deadline = source.nextDeadline
    guard source.descriptor != watched else { return }
    if let watched { loop.unwatch(watched) }
    watched = source.descriptor
    if let watched { loop.watch(watched) { [unowned self] _ in handle(at: loop.clock.now()) } }
  }
}
