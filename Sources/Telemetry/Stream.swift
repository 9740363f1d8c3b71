/// The last level of a node's topic, or the last two: what kind of message it is.
public enum Stream: String, CaseIterable, Sendable {
  case status, acceleration, shake
  /// The samples of a shake, in chunks; below `shake`, so that whoever watches shakes need not pay for it.
  case waveform = "shake/waveform"
  case impact
  case freeFall = "freefall"
  case orientation, location, geofence, health, reply
  /// What the node had to give up of its events.
  case evicted

  /// Retained by the broker, so that a late subscriber sees the last one.
  public var isRetained: Bool {
    switch self {
    case .status, .orientation, .location: true
    case .acceleration, .shake, .waveform, .impact, .freeFall, .geofence, .health, .reply, .evicted: false
    }
  }

  /// The MQTT quality of service: 1 for what must arrive, 0 for what the next message replaces.
  public var qos: Int32 {
    switch self {
    case .status, .shake, .waveform, .impact, .freeFall, .orientation, .location, .geofence, .reply, .evicted: 1
    case .acceleration, .health: 0
    }
  }

  /// An event has a `seq`, and is kept until it was delivered.
  public var isEvent: Bool {
    switch self {
    case .shake, .waveform, .impact, .freeFall, .orientation, .location, .geofence, .evicted: true
    case .status, .acceleration, .health, .reply: false
    }
  }
}
