public import Telemetry

/// What a sensor's driver tells the logic.
public enum AccelerometerReport: Equatable, Sendable {
  /// The sensor was found and started.
  case started(AccelerometerDescription)
  /// Samples in the order of their time.
  case samples([Sample])
  /// The driver knows that data was lost here (a full buffer, a failed read).
  case gap
  /// The sensor cannot be read; the driver goes on trying. `reason` is one line for people.
  case failed(reason: String)
  /// It was quiet for long: the chip watches for motion alone, and single readings come now and then.
  case idle
  /// The chip noticed motion at this moment, or somebody wants samples; they follow as before.
  case woken(at: Instant)
  /// What went wrong since the last such report, and could be mended or left out.
  case faults(AccelerometerFaults)
}

/// A sensor as it was found.
public struct AccelerometerDescription: Equatable, Sendable {
  /// What kind of thing the samples come from.
  public enum Source: String, Sendable {
    case iio, evdev, recording, simulated
  }

  /// How samples get from the sensor to the program.
  public enum Capture: Equatable, Sendable {
    /// Whole scans from the kernel's buffer.
    case buffered
    /// One attribute after another, and why.
    case polled(why: String)
    /// Changes as the kernel tells them, the last one repeated at the rate in between; and why.
    case held(why: String)
    /// Not from hardware.
    case generated
  }

  /// Whether the sensor sleeps while nothing moves.
  public enum Wake: Equatable, Sendable {
    /// It was not asked for.
    case off
    /// Until this event of the chip, by its name in sysfs without `_en`.
    case on(event: String)
    /// It was asked for and cannot be had: why.
    case refused(why: String)
  }

  /// The sensor's own name, for example `lis3dh`.
  public var name: String
  public var source: Source
  /// The rate that was chosen and read back [Hz].
  public var rateHz: Double
  public var capture: Capture
  /// The largest value it can give [g], where known.
  public var fullScaleG: Double?
  /// Whether it sleeps while nothing moves.
  public var wake = Wake.off

  public init(name: String, source: Source, rateHz: Double, capture: Capture, fullScaleG: Double? = nil) {
    self.name = name
    self.source = source
    self.rateHz = rateHz
    self.capture = capture
    self.fullScaleG = fullScaleG
  }
}
