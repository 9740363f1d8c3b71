/// What the broker promises about a message. QoS 2 is left out: many brokers refuse it, and what must arrive exactly
/// once is numbered by its sender instead.
public enum QoS: UInt8, Sendable, Equatable {
  /// Sent once, lost with the connection.
  case atMostOnce = 0
  /// Acknowledged by the broker; may come twice.
  case atLeastOnce = 1
}

/// What goes with a message on MQTT 5, and is left out on 3.1.1.
public struct MessageProperties: Sendable, Equatable {
  /// A media type, such as `application/json`.
  public var contentType: String?
  /// The broker forgets the message when it has waited this long for a subscriber.
  public var expiryS: UInt32?

  public init(contentType: String? = nil, expiryS: UInt32? = nil) {
    self.contentType = contentType
    self.expiryS = expiryS
  }
}

/// A message to publish.
public struct Publication: Sendable, Equatable {
  /// A topic, without wildcards.
  public var topic: String
  /// Empty clears a retained message.
  public var payload: [UInt8]
  public var qos: QoS
  /// The broker keeps it for those who subscribe later.
  public var isRetained: Bool
  /// The caller's own name for it, given back in `delivered`, `refused` and `disconnected`.
  public var token: UInt64
  public var properties: MessageProperties

  public init(
    topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, isRetained: Bool = false, token: UInt64 = 0,
    properties: MessageProperties = MessageProperties()
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
    self.token = token
    self.properties = properties
  }
}

/// What the broker publishes in our name when the connection ends without our word.
public struct Will: Sendable, Equatable {
  /// A topic, without wildcards.
  public var topic: String
  /// Empty clears a retained message.
  public var payload: [UInt8]
  public var qos: QoS
  /// The broker keeps it for those who subscribe later.
  public var isRetained: Bool
  /// On MQTT 5 the broker waits this long for us to come back before it publishes.
  public var delayS: UInt32

  public init(
    topic: String, payload: [UInt8], qos: QoS = .atLeastOnce, isRetained: Bool = true, delayS: UInt32 = 0
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
    self.delayS = delayS
  }
}

/// A message that came.
public struct Message: Sendable, Equatable {
  /// The topic that it was published to.
  public let topic: String
  /// As it came: nothing is known of its form.
  public let payload: [UInt8]
  public let qos: QoS
  /// It was kept by the broker and is not news.
  public let isRetained: Bool
  public let properties: MessageProperties

  public init(
    topic: String, payload: [UInt8], qos: QoS, isRetained: Bool,
    properties: MessageProperties = MessageProperties()
  ) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
    self.properties = properties
  }
}
