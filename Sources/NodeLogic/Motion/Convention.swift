public import Telemetry

/// Which way published accelerations point.
///
/// The node works in the standard convention throughout; this is applied once, to what is published. Only
/// accelerations turn round. A `Face` names the axis that points up and a tilt is an angle, which are the same under
/// either sign, and so are lengths and peak-to-peak values.
public enum Convention: String, CaseIterable, Sendable {
  /// Specific force: flat on a table, face up, reads z = +1.
  case standard
  /// As on the iPhone: flat on a table, face up, reads z = -1.
  case apple

  /// The vector [g] with the convention's sign. Zero stays plain zero.
  public func published(_ g: Vector) -> Vector {
    switch self {
    case .standard: g
    case .apple: Vector.zero - g
    }
  }

  /// The message with its signs as this convention has them.
  public func published(_ message: AccelerationMessage) -> AccelerationMessage {
    var message = message
    message.meanG = published(message.meanG)
    if self != .standard { message.samples = message.samples?.map { published($0) } }
    return message
  }

  /// The message with its signs as this convention has them.
  public func published(_ message: OrientationMessage) -> OrientationMessage {
    var message = message
    message.up = published(message.up)
    return message
  }
}
