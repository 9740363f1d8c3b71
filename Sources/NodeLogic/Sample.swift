public import Telemetry

/// One accelerometer reading.
public struct Sample: Equatable, Sendable {
  /// When it was measured.
  public var at: Instant
  /// Specific force along the node's axes [g]: flat on a table, face up, reads z = +1.
  public var g: Vector
  /// A component touched the end of the sensor's scale.
  public var isClipped: Bool
  /// The sensor did not tell it: the value before is repeated, because a sensor that tells changes only told none.
  public var isRepeat = false

  public init(at: Instant, g: Vector, isClipped: Bool = false) {
    self.at = at
    self.g = g
    self.isClipped = isClipped
  }
}

extension Sample {
  /// Beyond this no accelerometer measures [g]; a larger number is a fault, and its square could overflow a filter.
  public static let impossibleG = 100_000.0

  /// All numbers are finite and possible.
  public var isUsable: Bool {
    at.seconds.isFinite && g.x.magnitude < Sample.impossibleG && g.y.magnitude < Sample.impossibleG
      && g.z.magnitude < Sample.impossibleG
  }
}
