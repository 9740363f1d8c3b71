public import Daemon
public import NodeLogic
public import Telemetry

/// An accelerometer that is an input device: found, opened, read, and looked for again when it goes.
///
/// Older drivers (adxl34x, which the Raspberry Pi's `adxl345` overlay binds, and lis3lv02d, hp_accel, applesmc) speak
/// this way, and game controllers do.
public final class EvdevSource: AccelerometerSource {
  private enum State {
    case searching(next: Instant)
    case capturing(EvdevCapture)
    case stopped
  }

  private let settings: AccelerometerSettings
  private let clock: MonotonicClock
  private let note: AccelerometerNote
  private let control: any EvdevControl
  private var state = State.searching(next: .start)
  private var pause = RetryPause()
  private var announcement: AccelerometerDescription?
  private var reportedFailure: String?

  /// - Parameters:
  ///   - clock: counts instants.
  ///   - control: answers what is asked of the device besides its events; nil: the kernel.
  ///   - note: takes lines for the log, from whatever thread calls `handle`.
  public init(
    settings: AccelerometerSettings, clock: MonotonicClock, control: (any EvdevControl)? = nil,
    note: @escaping AccelerometerNote
  ) {
    self.settings = settings
    self.clock = clock
    self.note = note
    self.control = control ?? KernelEvdev()
  }

  deinit { stop() }

  public var descriptor: Int32? {
    if case .capturing(let capture) = state { capture.descriptor } else { nil }
  }

  public var nextDeadline: Instant? {
    switch state {
    case .searching(let next): next
    case .capturing(let capture): capture.nextDeadline
    case .stopped: nil
    }
  }

  public func handle(at now: Instant) -> [AccelerometerReport] {
    switch state {
    case .stopped: return []
    case .searching(let next): return now < next ? [] : open(at: now)
    case .capturing(let capture): return collect(from: capture, at: now)
    }
  }

  public func stop() {
    if case .capturing(let capture) = state { capture.close() }
    state = .stopped
  }

  private func open(at now: Instant) -> [AccelerometerReport] {
    do {
      let device = try EvdevDiscovery(inputRoot: settings.inputRoot).choose(settings.device)
      let sensor = try EvdevSensor(
        device: device, node: "\(settings.devRoot)/input/\(device.identifier)", settings: settings, control: control)
      note("device", .info, "found \(device.summary)")
      if !device.isDeclared, settings.evdevUnitsPerG == nil {
        note(
          "units", .notice,
          "\(device.name): its resolution is taken for counts in 1 g, though it is not declared an accelerometer; else"
            + " set accelerometer.evdev_units_per_g")
      }
      let wake: AccelerometerDescription.Wake =
        settings.wake ? .refused(why: "an input device cannot wake the node") : .off
      let capture = EvdevCapture(
        sensor: sensor, rateHz: max(0.01, min(settings.rateHz, 100_000)), wake: wake, clock: clock)
      state = .capturing(capture)
      announcement = capture.description
      return []
    } catch {
      return fail("\(error)", at: now)
    }
  }

  private func collect(from capture: EvdevCapture, at now: Instant) -> [AccelerometerReport] {
    var result = capture.collect(at: now)
    for remark in result.remarks {
      note(remark.subject, remark.isProblem ? .warning : .notice, "\(capture.description.name): \(remark)")
    }
    if result.reports.contains(where: \.hasSamples) {
      if let announcement { result.reports.insert(.started(announcement), at: 0) }
      announcement = nil
      reportedFailure = nil
      pause = RetryPause()
    }
    if case .stalled = result.state { result.faults.stalls += 1 }
    if !result.faults.isEmpty { result.reports.append(.faults(result.faults)) }
    switch result.state {
    case .running: return result.reports
    case .gone(let why), .stalled(let why):
      capture.close()
      return result.reports + fail(why, at: now)
    }
  }

  private func fail(_ reason: String, at now: Instant) -> [AccelerometerReport] {
    state = .searching(next: max(now, clock.now()) + pause.next())
    announcement = nil
    guard reason != reportedFailure else { return [] }
    reportedFailure = reason
    return [.failed(reason: reason)]
  }
}
