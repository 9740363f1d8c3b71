public import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry
internal import Threading

/// One thing that `judder-node check` says about the accelerometer.
public struct AccelerometerFinding: Equatable, Sendable {
  /// Whether something has to be done.
  public enum Severity: String, Sendable {
    /// As it should be.
    case good
    /// It works, and could be better.
    case warning
    /// It does not work.
    case problem
  }

  public var severity: Severity
  /// What was found, in one line.
  public var text: String
  /// What to do about it; nil when there is nothing to be done.
  public var remedy: String?

  public init(_ severity: Severity, _ text: String, remedy: String? = nil) {
    self.severity = severity
    self.text = text
    self.remedy = remedy
  }
}

/// Tries the accelerometer out for a moment: finds it, starts it, takes samples, puts it back.
public enum AccelerometerProbe {
  /// - Parameter seconds: how long to wait for samples at the most.
  public static func findings(
    _ settings: AccelerometerSettings, clock: MonotonicClock, seconds: Double = 4
  ) -> [AccelerometerFinding] {
    let warnings = Lock<[String]>([])
    let source: (any AccelerometerSource)?
    do {
      source = try makeAccelerometerSource(settings, clock: clock) { _, level, line in
        if level >= .warning { warnings.withLock { if !$0.contains(line) { $0.append(line) } } }
      }
    } catch {
      return [AccelerometerFinding(.problem, "\(error)")]
    }
    guard let source else { return [AccelerometerFinding(.good, "no accelerometer is configured")] }
    var findings = settings.source == .iio ? setUp(settings) : []
    guard !findings.contains(where: { $0.severity == .problem }) else {
      source.stop()
      return findings
    }
    let trial = Trial.run(source, clock: clock, seconds: seconds)
    source.stop()
    findings += warnings.withLock { $0 }.map { AccelerometerFinding(.warning, $0) }
    return findings + trial.findings(seconds: seconds)
  }

  /// What can be said of an IIO device before it is started.
  private static func setUp(_ settings: AccelerometerSettings) -> [AccelerometerFinding] {
    do {
      let device = try IIODiscovery(sysfsRoot: settings.sysfsRoot).choose(settings.device)
      let sensor = try IIOSensor(
        device: device, mountMatrix: settings.mountMatrix, correction: settings.correction)
      let matrix =
        settings.mountMatrix != nil
        ? "from the configuration" : sensor.scale.mount == .identity ? "the identity" : "the driver's"
      let scales = [sensor.scale.x, sensor.scale.y, sensor.scale.z].map { decimal($0.scale) }.joined(separator: ", ")
      return [
        AccelerometerFinding(.good, "accelerometer \(device.summary)"),
        AccelerometerFinding(
          .good, "scale \(scales) m/s^2, mount matrix \(matrix)"),
      ] + permissions(device, node: "\(settings.devRoot)/\(device.identifier)")
    } catch {
      return [AccelerometerFinding(.problem, "\(error)")]
    }
  }

  /// The files that have to be written or read and may not be.
  private static func permissions(_ device: IIODevice, node: String) -> [AccelerometerFinding] {
    let written = [
      "sampling_frequency", "in_accel_sampling_frequency", "buffer/enable", "buffer/length", "buffer/watermark",
      "scan_elements/in_accel_x_en", "current_timestamp_clock", "trigger/current_trigger",
    ]
    var denied = written.filter { device.folder.has($0) && !device.folder.canWrite($0) }.map(device.folder.path(of:))
    if access(node, F_OK) == 0 && access(node, R_OK) != 0 { denied.append(node) }
    guard !denied.isEmpty else { return [] }
    return [
      AccelerometerFinding(.warning, "no permission for \(denied.joined(separator: ", "))", remedy: permissionRemedy)
    ]
  }
}

/// What a source gave during a trial.
private struct Trial {
  var description: AccelerometerDescription?
  var failure: String?
  var samples: [Sample] = []

  /// Takes samples until there are enough for a mean, or time is up.
  static func run(_ source: any AccelerometerSource, clock: MonotonicClock, seconds: Double) -> Trial {
    var trial = Trial()
    let end = clock.now() + seconds
    while trial.samples.count < 20, clock.now() < end {
      for report in source.handle(at: clock.now()) {
        switch report {
        case .started(let description): trial.description = description
        case .samples(let samples): trial.samples += samples
        case .failed(let reason): trial.failure = reason
        case .gap: break
        }
      }
      if trial.failure != nil && trial.samples.isEmpty { break }
      let deadline = min(end, source.nextDeadline ?? end)
      var polled = [pollfd]()
      if let descriptor = source.descriptor { polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
      poll(&polled, nfds_t(polled.count), Int32(max(0, min(1000, ((deadline - clock.now()) * 1000).rounded(.up)))))
    }
    return trial
  }

  func findings(seconds: Double) -> [AccelerometerFinding] {
    guard let description, !samples.isEmpty else {
      let why = failure ?? "no sample within \(decimal(seconds)) s"
      return [AccelerometerFinding(.problem, why)]
    }
    return [capture(description)] + (description.source == .iio ? [magnitude()] : [])
  }

  private func capture(_ description: AccelerometerDescription) -> AccelerometerFinding {
    let rate = "\(decimal((description.rateHz * 100).rounded() / 100)) Hz"
    switch description.capture {
    case .buffered: return AccelerometerFinding(.good, "buffered at \(rate)")
    case .generated: return AccelerometerFinding(.good, "\(description.name) at \(rate)")
    case .polled(let why): return AccelerometerFinding(.warning, "polled at \(rate): \(why)")
    }
  }

  /// At rest a right sensor measures one g and nothing else; 8.5 to 11 m/s^2 leaves room for its errors.
  private func magnitude() -> AccelerometerFinding {
    let sum = samples.reduce(Vector.zero) { $0 + $1.g }
    let mean = sum * (1 / Double(samples.count))
    let metres = mean.length * standardGravity
    let values = [mean.x, mean.y, mean.z].map { decimal(($0 * 1000).rounded() / 1000) }.joined(separator: ", ")
    let text = "reads \(values) g: \(decimal((metres * 100).rounded() / 100)) m/s^2"
    guard (8.5...11).contains(metres) else {
      return AccelerometerFinding(
        .warning, "\(text), which is not gravity",
        remedy: "keep it still and check again; else the driver's scale or the mount matrix is wrong")
    }
    return AccelerometerFinding(.good, text)
  }
}
