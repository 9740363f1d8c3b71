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
}

/// A sensor as it was found.
public struct AccelerometerDescription: Equatable, Sendable {
  /// What kind of thing the samples come from.
  public enum Source: String, Sendable {
    case iio, recording, simulated
  }

  /// How samples get from the sensor to the program.
  public enum Capture: Equatable, Sendable {
    /// Whole scans from the kernel's buffer.
    case buffered
    /// One attribute after another, and why.
    case polled(why: String)
    /// Not from hardware.
    case generated
  }

  /// The sensor's own name, for example `lis3dh`.
  public var name: String
  public var source: Source
  /// The rate that was chosen and read back [Hz].
  public var rateHz: Double
  public var capture: Capture
  /// The largest value it can give [g], where known.
  public var fullScaleG: Double?

  public init(name: String, source: Source, rateHz: Double, capture: Capture, fullScaleG: Double? = nil) {
    self.name = name
    self.source = source
    self.rateHz = rateHz
    self.capture = capture
    self.fullScaleG = fullScaleG
  }
}
