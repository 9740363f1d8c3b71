/// The last level of a node's topic: what kind of message it is.
public enum Stream: String, CaseIterable, Sendable {
  case status, acceleration, shake, orientation, location, health

  /// Retained by the broker, so that a late subscriber sees the last one.
  public var isRetained: Bool {
    switch self {
    case .status, .orientation, .location: true
    case .acceleration, .shake, .health: false
    }
  }

  /// The MQTT quality of service: 1 for what must arrive, 0 for what the next message replaces.
  public var qos: Int32 {
    switch self {
    case .status, .shake, .orientation, .location: 1
    case .acceleration, .health: 0
    }
  }

  /// An event has a `seq`, and is kept until it was delivered.
  public var isEvent: Bool {
    switch self {
    case .shake, .orientation, .location: true
    case .status, .acceleration, .health: false
    }
  }
}
