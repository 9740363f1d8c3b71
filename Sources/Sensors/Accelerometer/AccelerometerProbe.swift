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
  /// - Parameters:
  ///   - seconds: how long to wait for samples at the most.
  ///   - control: answers what is asked of an input device; nil: the kernel.
  public static func findings(
    _ settings: AccelerometerSettings, clock: MonotonicClock, seconds: Double = 4,
    control: (any EvdevControl)? = nil
  ) -> [AccelerometerFinding] {
    let warnings = Lock<[String]>([])
    let source: (any AccelerometerSource)?
    do {
      source = try makeAccelerometerSource(settings, clock: clock, control: control) { _, level, line in
        if level >= .warning { warnings.withLock { if !$0.contains(line) { $0.append(line) } } }
      }
    } catch {
      return [AccelerometerFinding(.problem, "\(error)")]
    }
    guard let source else { return [AccelerometerFinding(.good, "no accelerometer is configured")] }
    var findings: [AccelerometerFinding] =
      switch settings.source {
      case .iio: setUp(settings)
      case .evdev: setUpInput(settings, control ?? KernelEvdev())
      case .recording, .simulated, .none: []
      }
    guard !findings.contains(where: { $0.severity == .problem }) else {
      source.stop()
      return findings
    }
    let trial = AccelerometerTrial.run(source, clock: clock, seconds: seconds)
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
      let matrix = origin(of: sensor.scale.mount, settings)
      let scales = [sensor.scale.x, sensor.scale.y, sensor.scale.z].map { decimal($0.scale) }.joined(separator: ", ")
      return [
        AccelerometerFinding(.good, "accelerometer \(device.summary)"),
        AccelerometerFinding(
          .good, "scale \(scales) m/s^2, mount matrix \(matrix)"),
      ] + permissions(device, node: "\(settings.devRoot)/\(device.identifier)", isWakeWanted: settings.wake)
    } catch {
      return [AccelerometerFinding(.problem, "\(error)")]
    }
  }

  /// What can be said of an input device before it is read.
  private static func setUpInput(
    _ settings: AccelerometerSettings, _ control: any EvdevControl
  ) -> [AccelerometerFinding] {
    do {
      let device = try EvdevDiscovery(inputRoot: settings.inputRoot).choose(settings.device)
      let sensor = try EvdevSensor(
        device: device, node: "\(settings.devRoot)/input/\(device.identifier)", settings: settings, control: control)
      close(sensor.descriptor)
      let units = sensor.unitsPerG.map(decimal).joined(separator: ", ")
      let range = sensor.scale.fullScaleG.map { "to \(decimal(($0 * 100).rounded() / 100)) g" } ?? "of unknown range"
      return [
        AccelerometerFinding(.good, "accelerometer \(device.summary)"),
        AccelerometerFinding(
          .good, "\(units) counts in 1 g, \(range), mount matrix \(origin(of: sensor.scale.mount, settings))"),
      ]
    } catch {
      return [AccelerometerFinding(.problem, "\(error)")]
    }
  }

  /// Where the mount matrix in use comes from.
  private static func origin(of mount: MountMatrix, _ settings: AccelerometerSettings) -> String {
    if settings.mountMatrix != nil { return "from the configuration" }
    return mount == .identity ? "the identity" : "the driver's"
  }

  /// The files that have to be written or read and may not be.
  private static func permissions(
    _ device: IIODevice, node: String, isWakeWanted: Bool
  ) -> [AccelerometerFinding] {
    let events = isWakeWanted ? WakeEvent(among: device.folder.folder("events").names()) : nil
    let written =
      [
        "sampling_frequency", "in_accel_sampling_frequency", "buffer/enable", "buffer/length", "buffer/watermark",
        "scan_elements/in_accel_x_en", "current_timestamp_clock", "trigger/current_trigger",
      ] + (events.map { $0.enables + $0.values } ?? []).map { "events/\($0)" }
    var denied = written.filter { device.folder.has($0) && !device.folder.canWrite($0) }.map(device.folder.path(of:))
    if access(node, F_OK) == 0 && access(node, R_OK) != 0 { denied.append(node) }
    guard !denied.isEmpty else { return [] }
    return [
      AccelerometerFinding(.warning, "no permission for \(denied.joined(separator: ", "))", remedy: permissionRemedy)
    ]
  }
}
