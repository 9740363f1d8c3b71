/// A client's session with the broker, as the MQTT target keeps it: connects again and again, and settles each
/// publication or tells that the connection is gone.
final class Session {
  let client: String
  unowned let network: Network
  private var chance: Chance
  private let hello: () -> Hello
  /// What its owner hears.
  var connected: () -> Void = {}
  var disconnected: () -> Void = {}
  var arrived: (Delivery) -> Void = { _ in }
  /// The token that `publish` was given.
  var settled: (UInt64, Answer) -> Void = { _, _ in }
  private(set) var connection: Connection?
  private(set) var isConnected = false
  /// No way leads to the broker.
  var isReachable = true
  /// The machine is asleep: it tries nothing.
  var isAsleep = false
  private var inFlight: [Int: UInt64] = [:]
  private var nextID = 1
  private var tries = 0
  private var isStopped = false

  init(_ client: String, _ network: Network, chance: Chance, hello: @escaping () -> Hello) {
    self.client = client
    self.network = network
    self.chance = chance
    self.hello = hello
  }

  var inFlightCount: Int { inFlight.count }

  func start() { connect() }

  /// The program ends, in order or not; nothing is heard of it any more.
  func end(inOrder: Bool, isMachineGone: Bool = false) {
    isStopped = true
    isConnected = false
    guard let connection else { return }
    self.connection = nil
    if inOrder { network.sendToBroker(.disconnect, over: connection) }
    network.abandon(connection, isMachineGone: isMachineGone)
  }

  /// Hands a message over; false when there is no connection.
  func publish(_ topic: String, _ payload: [UInt8], qos: Int32, isRetained: Bool, token: UInt64?) -> Bool {
    guard isConnected, let connection else { return false }
    var id: Int?
    if qos > 0 {
      id = nextID
      inFlight[nextID] = token ?? 0
      nextID += 1
    }
    network.sendToBroker(
      .publish(Delivery(id: id, topic: topic, payload: payload, isRetained: isRetained)), over: connection)
    return true
  }

  func take(_ packet: Packet) {
    switch packet {
    case .connectAnswer:
      isConnected = true
      tries = 0
      connected()
    case .publish(let delivery):
      // The library answers before the program has seen it.
      if let id = delivery.id, let connection {
        network.sendToBroker(.publishAnswer(id: id, .success), over: connection)
      }
      arrived(delivery)
    case .publishAnswer(let id, let answer):
      guard let token = inFlight.removeValue(forKey: id) else { return }
      if token > 0 { settled(token, answer) }
    case .connect, .disconnect: return
    }
  }

  /// The connection is gone.
  func lose() {
    connection = nil
    let wasConnected = isConnected
    isConnected = false
    inFlight = [:]
    if wasConnected { disconnected() }
    retry()
  }

  private func retry() {
    guard !isStopped else { return }
    let longestS = network.world.isQuiet ? 5.0 : 60
    let delayS = chance.double(0.1...1) * min(longestS, Double(1 << min(tries, 6)))
    tries += 1
    network.world.after(delayS, "\(client) connects") { [weak self] in self?.connect() }
  }

  private func connect() {
    guard !isStopped, connection == nil else { return }
    guard let new = network.connect(self) else { return retry() }
    connection = new
    inFlight = [:]
    network.sendToBroker(.connect(hello()), over: new)
    network.world.after(10, "\(client) waits for the broker") { [weak self] in
      guard let self, connection === new, !isConnected else { return }
      new.arrivesUntilS = 0
      lose()
    }
  }
}
