internal import FleetLogic
internal import MQTT

/// Publications on their way to the broker, in order. The session takes only so many at a time.
///
/// Bounded: what has no room is dropped and counted. Emptied when the link is lost, since the fleet's state says
/// everything that still holds again when it is back.
struct Outbox {
  /// Enough for every alert of a large fleet at once.
  static let capacity = 65_536
  /// The token of acknowledgements to nodes: when the broker refuses one, all of them are in vain.
  static let acknowledgement: UInt64 = 2
  private static let media = MessageProperties(contentType: "application/json")

  private var waiting: [FleetLogic.Publication] = []
  /// How many of `waiting` have been handed over.
  private var taken = 0
  private(set) var dropped = 0

  var isEmpty: Bool { taken == waiting.count }

  mutating func append(_ publication: FleetLogic.Publication) {
    guard waiting.count - taken < Self.capacity else {
      dropped += 1
      return
    }
    waiting.append(publication)
  }

  mutating func removeAll() {
    waiting = []
    taken = 0
  }

  /// Hands over as much as the session takes now.
  mutating func send(_ publish: (MQTT.Publication) -> Acceptance) {
    while taken < waiting.count {
      let next = waiting[taken]
      let publication = MQTT.Publication(
        topic: next.topic, payload: next.payload, qos: .atLeastOnce, isRetained: next.retained,
        token: next.isAcknowledgement ? Self.acknowledgement : 1, properties: Self.media)
      guard publish(publication) == .accepted else { break }
      taken += 1
    }
    if taken == waiting.count { removeAll() }
  }
}

extension FleetLogic.Publication {
  /// A node called `ack` has alerts of that name, which are retained.
  fileprivate var isAcknowledgement: Bool { !retained && topic.hasSuffix("/ack") }
}
