public import Daemon
public import NodeLogic
public import Telemetry
internal import Threading

/// An accelerometer of the kernel's IIO subsystem: found, set up, read, watched, and looked for again when it goes.
///
/// It uses the buffer where it can be had, polls where not, and says why. A buffer that falls silent is turned off and
/// on once; if that does not help the sensor is polled for ten minutes before the buffer is tried again; and if polling
/// fails too that is reported, and the sensor is looked for again with a growing pause. The kernel may hold a read for
/// 5 s, so run it on a `SensorThread`. Where it is asked for and the chip has a motion event, the sensor sleeps while
/// nothing moves: see IIOSource+Sleep.swift.
public final class IIOSource: AccelerometerSource {
  enum State {
    case searching(next: Instant)
    case capturing(any Capture)
    case sleeping(SleepWatch)
    case stopped
  }

  let settings: AccelerometerSettings
  let clock: MonotonicClock
  let note: AccelerometerNote
  let events: any EventControl
  let suspendedS: @Sendable () -> Double
  /// What `suspendedS` said when the sensor was last known to be undisturbed [s].
  var suspendedBeforeS: Double
  var state = State.searching(next: .start)
  private var pause = RetryPause()
  /// What has to be reported before the next samples.
  private var announcement: AccelerometerDescription?
  /// What was reported last.
  private var announced: AccelerometerDescription?
  /// What was learnt of the present sensor's noise.
  var check: ScanCheck?
  /// Nil where sleep was not asked for, or cannot be had.
  var sleeper: Sleeper?
  /// As it is described.
  var wake = AccelerometerDescription.Wake.off
  /// Somebody watches until then, so that the sensor must not sleep.
  var awakeUntil = Instant.start
  private var reportedFailure: String?
  private var hasRestarted = false
  private var nextRefresh = Instant.start
  /// When to try a buffer again that had fallen silent.
  private var nextBuffer: Instant?

  /// Attributes that others may change are looked at this often [s].
  private static let refreshIntervalS = 60.0
  /// How long a sensor is polled whose buffer fell silent [s].
  private static let bufferRetryS = 600.0

  /// - Parameters:
  ///   - clock: counts instants.
  ///   - events: opens what tells of a chip's events; nil: the kernel's way.
  ///   - suspendedS: how long the machine has been suspended since it started [s].
  ///   - note: takes lines for the log, from whatever thread calls `handle`.
  public init(
    settings: AccelerometerSettings, clock: MonotonicClock, events: (any EventControl)? = nil,
    suspendedS: @escaping @Sendable () -> Double = MonotonicClock.suspendedSeconds,
    note: @escaping AccelerometerNote
  ) {
    self.suspendedS = suspendedS
    suspendedBeforeS = suspendedS()
    self.settings = settings
    self.clock = clock
    self.note = note
    self.events = events ?? KernelEvents()
  }

  deinit { stop() }

  public var descriptor: Int32? {
    switch state {
    case .capturing(let capture): capture.descriptor
    case .sleeping(let watch): watch.descriptor
    case .searching, .stopped: nil
    }
  }

  public var nextDeadline: Instant? {
    switch state {
    case .searching(let next): next
    case .capturing(let capture): capture.nextDeadline
    case .sleeping(let watch): clock.now() < awakeUntil ? .start : watch.nextDeadline
    case .stopped: nil
    }
  }

  public func handle(at now: Instant) -> [AccelerometerReport] {
    let wasSuspended = noteSuspension()
    switch state {
    case .stopped: return []
    case .searching(let next): return now < next ? [] : open(at: now)
    case .capturing(let capture) where wasSuspended: return goOn(with: capture, at: now)
    case .sleeping(let watch) where wasSuspended: return [.woken(at: now)] + wake(watch, at: now)
    case .capturing(let capture): return collect(from: capture, at: now)
    case .sleeping(let watch): return look(at: watch, now)
    }
  }

  public func keepAwake(until: Instant) { awakeUntil = until }

  public func stop() {
    switch state {
    case .capturing(let capture): capture.close()
    case .sleeping(let watch): watch.close()
    case .searching, .stopped: break
    }
    state = .stopped
  }

  private func open(at now: Instant) -> [AccelerometerReport] {
    do {
      let device = try IIODiscovery(sysfsRoot: settings.sysfsRoot).choose(settings.device)
      let sensor = try IIOSensor(
        device: device, mountMatrix: settings.mountMatrix, correction: settings.correction)
      note("device", .info, "found \(device.summary)")
      if !sensor.scale.mount.isRotation {
        note("mount matrix", .warning, "\(device.name): the mount matrix mirrors or stretches; a rotation was expected")
      }
      hasRestarted = false
      nextBuffer = nil
      check = nil
      (sleeper, wake) = prepareSleep(of: sensor)
      begin(try capture(of: sensor), at: now)
      return []
    } catch {
      return fail("\(error)", at: now)
    }
  }

  /// The buffer where it can be had, else polling.
  func capture(of sensor: IIOSensor) throws(SensorFault) -> any Capture {
    let buffer = IIOBuffer(
      device: sensor.device, root: AttributeFolder(path: settings.sysfsRoot),
      node: node(of: sensor), clock: clock)
    do {
      let running = try buffer.start { setRate(of: sensor, atLeast: wantedHz) }
      if running.rateHz < wantedHz * 0.95 {
        let (got, asked) = (decimal(running.rateHz), decimal(wantedHz))
        note("rate", .notice, "\(sensor.device.name): \(got) Hz is the most it offers; \(asked) Hz was asked for")
      }
      return BufferedCapture(sensor: sensor, buffer: running, clock: clock, note: note)
    } catch {
      return try polled(sensor, why: error)
    }
  }

  private func polled(_ sensor: IIOSensor, why: SensorFault) throws(SensorFault) -> PolledCapture {
    let intervalS = settings.updateIntervalS ?? 1 / wantedHz
    // Many chips measure once for each attribute that is read, and take some periods of their own rate to do so.
    if !why.isBusy { _ = setRate(of: sensor, atLeast: 8 / intervalS) }
    note("capture", .notice, "\(sensor.device.name) is polled: \(why)")
    return try PolledCapture(
      sensor: sensor, intervalS: max(0.001, min(intervalS, 3600)), why: why.description, clock: clock)
  }

  /// The configured rate, within what can be computed with.
  private var wantedHz: Double { max(0.01, min(settings.rateHz, 100_000)) }

  private func setRate(of sensor: IIOSensor, atLeast wanted: Double) -> Double {
    let outcome = IIORate(attributes: sensor.attributes).set(atLeast: wanted)
    if let refusal = outcome.refusal { note("rate", .warning, "\(sensor.device.name): \(refusal)") }
    return outcome.rateHz ?? wanted
  }

  /// The sensor's character device.
  func node(of sensor: IIOSensor) -> String { "\(settings.devRoot)/\(sensor.device.identifier)" }

  func begin(_ capture: any Capture, at now: Instant) {
    if var known = check {
      if let sensor = (capture as? any IIOCapture)?.sensor { known.setRange(of: sensor.scale) }
      capture.check = known
    }
    check = nil
    nextBuffer = nil
    state = .capturing(capture)
    announce(capture)
    nextRefresh = now + IIOSource.refreshIntervalS
  }

  /// A capture is announced with its first samples, unless it was before.
  private func announce(_ capture: any Capture) {
    var description = capture.description
    description.wake = wake
    announcement = description == announced ? nil : description
  }

  /// Another range is announced: what is counted in its units, and what it is too narrow for, depends on it.
  private func refresh(_ capture: any Capture) {
    let before = capture.description
    capture.refresh()
    noteRange(capture, before: before)
  }

  func noteRange(_ capture: any Capture, before: AccelerometerDescription) {
    guard capture.description != before else { return }
    let range = capture.description.fullScaleG.map { "to \(decimal(($0 * 10).rounded() / 10)) g" } ?? "unknown"
    note("range", .notice, "\(before.name): its range was changed from outside, and is now \(range)")
    announce(capture)
  }

  /// Adds to what was collected what the logic is to know of it.
  func report(_ result: inout CaptureResult, of sensor: String) {
    for remark in result.remarks {
      note(remark.subject, remark.isProblem ? .warning : .notice, "\(sensor): \(remark)")
    }
    if result.reports.contains(where: \.hasSamples) {
      if let announcement {
        result.reports.insert(.started(announcement), at: 0)
        announced = announcement
      }
      announcement = nil
      reportedFailure = nil
      pause = RetryPause()
    }
    if case .stalled = result.state { result.faults.stalls += 1 }
    if !result.faults.isEmpty { result.reports.append(.faults(result.faults)) }
  }

  private func collect(from capture: any Capture, at now: Instant) -> [AccelerometerReport] {
    var result = capture.collect(at: now)
    if let polled = capture as? PolledCapture, polled.isSlow { quicken(polled, at: now) }
    report(&result, of: capture.description.name)
    if now >= nextRefresh {
      refresh(capture)
      nextRefresh = now + IIOSource.refreshIntervalS
      hasRestarted = false
    }
    if let nextBuffer, now >= nextBuffer, result.state == .running {
      capture.close()
      state = .searching(next: now)
      return result.reports + [.gap]
    }
    switch result.state {
    case .running: return result.reports + sleepIfQuiet(capture, result.reports, at: now)
    case .gone(let why):
      capture.close()
      return result.reports + fail(why, at: now)
    case .stalled(let why):
      return result.reports + recover(capture, why, at: now)
    }
  }

  /// Some chips are powered up for each attribute that is read, and ready the sooner the higher their rate is. Where
  /// the highest does not help, a lower rate of readings has to do.
  private func quicken(_ capture: PolledCapture, at now: Instant) {
    guard capture.hasSpeededUp else {
      _ = setRate(of: capture.sensor, atLeast: IIORate.plausible.upperBound)
      return capture.speedUp(at: now)
    }
    capture.acceptSlowness()
    announce(capture)
  }

  /// A stalled buffer is restarted once, then polled; a sensor that cannot be polled either is let go.
  private func recover(_ capture: any Capture, _ why: String, at now: Instant) -> [AccelerometerReport] {
    guard let buffered = capture as? BufferedCapture else {
      capture.close()
      return fail(why, at: now)
    }
    note("stall", .warning, "\(buffered.description.name): \(why)")
    do {
      if !hasRestarted {
        hasRestarted = true
        let before = buffered.description
        try buffered.restart(at: now)
        noteRange(buffered, before: before)
        return [.gap]
      }
      buffered.close()
      check = buffered.check
      begin(try polled(buffered.sensor, why: SensorFault("the buffer gave \(why)")), at: now)
      nextBuffer = now + IIOSource.bufferRetryS
      return [.gap]
    } catch {
      buffered.close()
      return fail("\(error)", at: now)
    }
  }

  func fail(_ reason: String, at now: Instant) -> [AccelerometerReport] {
    // By the clock, because what failed may have taken seconds.
    state = .searching(next: max(now, clock.now()) + pause.next())
    announcement = nil
    announced = nil
    guard reason != reportedFailure else { return [] }
    reportedFailure = reason
    return [.failed(reason: reason)]
  }
}

extension AccelerometerReport {
  var hasSamples: Bool { if case .samples = self { true } else { false } }
}

/// The growing pause between two attempts to find a sensor.
struct RetryPause: Equatable, Sendable {
  private var seconds = 0.5

  /// The pause to make now [s]: 0.5, then twice the last, 30 at most.
  mutating func next() -> Double {
    defer { seconds = min(30, seconds * 2) }
    return seconds
  }
}
