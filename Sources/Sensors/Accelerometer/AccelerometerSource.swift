public import Daemon
public import NodeLogic
public import Telemetry

/// An accelerometer as a poll loop drives it: wait for `descriptor` or `nextDeadline`, then `handle`.
///
/// The first call of `handle` starts it. Nothing here blocks for longer than the kernel does; what may block for
/// seconds (`IIOSource`) belongs behind a `SensorThread`, which is a source itself.
public protocol AccelerometerSource: AnyObject {
  /// Becomes readable when there is something to handle; nil when there is nothing to wait for but time. It may change
  /// with every call of `handle`.
  var descriptor: Int32? { get }
  /// When to call `handle` at the latest; nil: only when the descriptor says so.
  var nextDeadline: Instant? { get }
  /// Takes what there is. Calling it too early or too often does no harm.
  ///
  /// - Returns: in this order: `.started` before the first samples, and again after `.failed` or when the way of
  ///   capture has changed. After `.idle` come single samples, and `.woken` before the others.
  func handle(at now: Instant) -> [AccelerometerReport]
  /// Wakes a sensor that sleeps, and keeps it from sleeping until then; a moment that has passed lets it sleep again.
  /// What comes of it is told by the next calls of `handle`, for which `nextDeadline` may have moved.
  func keepAwake(until: Instant)
  /// Puts the sensor back as it was and frees what was held. Nothing comes after it.
  func stop()
}

extension AccelerometerSource {
  /// Most sources never sleep.
  public func keepAwake(until: Instant) {}
}

/// Takes a line for the log: what was found out or decided. The same line may come again with every attempt, so it
/// belongs into `Log.change`, with the subject as part of its key.
public typealias AccelerometerNote = @Sendable (_ subject: String, _ level: LogLevel, _ line: String) -> Void

/// The source that the settings ask for; nil for `none`. Hardware is read on a thread of its own.
///
/// - Parameters:
///   - clock: counts instants.
///   - control: answers what is asked of an input device besides its events; nil: the kernel.
///   - note: takes lines for the log; that thread calls it too.
/// - Throws: `RecordingFailure` when the recording cannot be read.
public func makeAccelerometerSource(
  _ settings: AccelerometerSettings, clock: MonotonicClock, control: (any EvdevControl)? = nil,
  note: @escaping AccelerometerNote
) throws(RecordingFailure) -> (any AccelerometerSource)? {
  switch settings.source {
  case .none:
    return nil
  case .iio:
    return SensorThread(name: "accelerometer", clock: clock) {
      IIOSource(settings: settings, clock: clock, note: note)
    }
  case .evdev:
    return SensorThread(name: "accelerometer", clock: clock) {
      EvdevSource(settings: settings, clock: clock, control: control, note: note)
    }
  case .recording:
    guard let file = settings.recordingFile else {
      throw RecordingFailure("accelerometer.recording_file is not set, and accelerometer.source is \"recording\"")
    }
    return try RecordingSource(file: file, note: note)
  case .simulated:
    return SimulatedSource(scenario: settings.scenario, seed: settings.seed, rateHz: settings.rateHz)
  }
}
