/// What goes over a connection, as far as it matters here.
enum Packet {
  case connect(Hello)
  /// The broker takes the client in; whether it still knew it.
  case connectAnswer(hasSession: Bool)
  case publish(Delivery)
  case publishAnswer(id: Int, Answer)
  /// The client says good-bye: no will.
  case disconnect
}

/// What a client says of itself.
struct Hello {
  var client: String
  /// Its session is to outlast the connection.
  var persists: Bool
  /// What is published when it goes without a word.
  var will: Delivery?
  /// Whether a topic is one that it wants.
  var wants: (String) -> Bool
}

/// A message on its way.
struct Delivery {
  /// Nil: QoS 0, nobody answers.
  var id: Int?
  var topic: String
  var payload: [UInt8]
  var isRetained = false
}

/// The reason code in PUBACK.
enum Answer {
  case success
  /// 0x10: nobody subscribes to it.
  case noSubscribers
  /// 0x87: not authorized.
  case denied
  /// 0x97: quota exceeded.
  case quota
}

/// One TCP connection. Packets arrive in order or, once it broke, not at all.
final class Connection {
  let number: Int
  let session: Session
  /// When each direction's last packet arrives [s].
  var lastToBrokerS = 0.0
  var lastToClientS = 0.0
  /// What would arrive later than this is lost.
  var arrivesUntilS = Double.infinity
  /// Nobody is told that nothing arrives any more.
  var isBlackHole = false
  var isOpenAtBroker = true
  /// Makes everything slower.
  var delayFactor = 1.0

  init(number: Int, session: Session) {
    self.number = number
    self.session = session
  }
}
