/// A broker with QoS 1, sessions that outlast connections, retained messages and wills. It keeps all of it in memory:
/// killed, it forgets.
final class SimulatedBroker {
  /// What it has of one client.
  struct Client {
    var hello: Hello
    var connection: Connection?
    /// Sent and not answered yet, and what waits, oldest first.
    var inFlight: [Delivery] = []
    var waiting: [Delivery] = []
    var nextID = 1
    /// Rises with each connection: a will that waits is for an older one.
    var connects = 0
  }

  /// Sent to one client at a time.
  private static let window = 20
  private static let willDelayS = 30.0

  unowned let world: World
  private unowned let network: Network
  private var chance: Chance
  private(set) var isUp = true
  /// Rises with each start.
  private(set) var run = 0
  private var clients: [String: Client] = [:]
  private var retained: [String: [UInt8]] = [:]
  /// What was saved to disk last.
  private var saved: (clients: [String: Client], retained: [String: [UInt8]]) = ([:], [:])
  /// Topics that end in one of these are refused.
  var denied: Set<String> = []
  /// It takes nothing from nodes.
  var isOverQuota = false
  /// Messages that it had no room for.
  private(set) var dropped = 0

  init(_ world: World, _ network: Network, chance: Chance) {
    self.world = world
    self.network = network
    self.chance = chance
  }

  /// Whether any node's event waits for the fleet tool.
  var isEmpty: Bool { clients.values.allSatisfy { $0.waiting.isEmpty && $0.inFlight.isEmpty } }

  // MARK: Its own life

  /// It is gone at once, with all it knew since it saved last.
  func kill() {
    for client in clients.keys.sorted() {
      guard let connection = clients[client]?.connection else { continue }
      connection.isOpenAtBroker = false
      network.reset(connection)
    }
    isUp = false
    run += 1
  }

  func start(remembers: Bool) {
    isUp = true
    clients = remembers ? saved.clients : [:]
    retained = remembers ? saved.retained : [:]
    for client in clients.keys {
      clients[client]?.connection = nil
      clients[client]?.requeue()
    }
  }

  func save() { saved = (clients.filter { $0.value.hello.persists }, retained) }

  // MARK: Packets

  func take(_ packet: Packet, from connection: Connection) {
    let name = connection.session.client
    switch packet {
    case .connect(let hello): takeIn(hello, connection)
    case .disconnect:
      guard clients[name]?.connection === connection else { return }
      part(name, connection, isInOrder: true)
    case .publish(let delivery):
      guard clients[name]?.connection === connection else { return }
      let answer = publish(delivery, from: name)
      if let id = delivery.id { network.sendToClient(.publishAnswer(id: id, answer), over: connection) }
    case .publishAnswer(let id, _):
      guard clients[name]?.connection === connection else { return }
      clients[name]?.inFlight.removeAll { $0.id == id }
      send(to: name)
    case .connectAnswer: return
    }
  }

  /// A connection ended without a word.
  func lose(_ connection: Connection) {
    connection.isOpenAtBroker = false
    guard clients[connection.session.client]?.connection === connection else { return }
    part(connection.session.client, connection, isInOrder: false)
  }

  private func takeIn(_ hello: Hello, _ connection: Connection) {
    if let old = clients[hello.client]?.connection, old !== connection {
      old.isOpenAtBroker = false
      network.tellClient(old, afterS: 0)
    }
    let hasSession = clients[hello.client] != nil && hello.persists
    var client = hasSession ? clients[hello.client] ?? Client(hello: hello) : Client(hello: hello)
    client.connects = (clients[hello.client]?.connects ?? 0) + 1
    client.hello = hello
    client.connection = connection
    client.requeue()
    clients[hello.client] = client
    network.sendToClient(.connectAnswer(hasSession: hasSession), over: connection)
    for topic in retained.keys.sorted() where hello.wants(topic) {
      guard let payload = retained[topic] else { continue }
      give(Delivery(id: 0, topic: topic, payload: payload, isRetained: true), to: hello.client)
    }
    send(to: hello.client)
  }

  private func part(_ name: String, _ connection: Connection, isInOrder: Bool) {
    connection.isOpenAtBroker = false
    guard let client = clients[name] else { return }
    clients[name]?.connection = nil
    if !client.hello.persists {
      clients[name]?.inFlight = []
      clients[name]?.waiting = []
      clients[name]?.hello.wants = { _ in false }
    }
    guard !isInOrder, let will = client.hello.will else { return }
    let (connects, run) = (client.connects, run)
    world.after(SimulatedBroker.willDelayS, "will of \(name)") { [unowned self] in
      guard isUp, self.run == run, clients[name]?.connects == connects, clients[name]?.connection == nil else { return }
      _ = publish(will, from: "")
    }
  }

  /// Takes a message and answers its sender.
  private func publish(_ delivery: Delivery, from sender: String) -> Answer {
    if denied.contains(where: { delivery.topic.hasSuffix($0) }), delivery.topic.hasPrefix("judder/") {
      // MQTT 3.1.1 has no way to say so.
      return world.plan.isVersion5 ? .denied : .success
    }
    if isOverQuota, delivery.id != nil, sender.hasPrefix("node") { return world.plan.isVersion5 ? .quota : .success }
    if delivery.isRetained { retained[delivery.topic] = delivery.payload.isEmpty ? nil : delivery.payload }
    var copy = delivery
    copy.isRetained = false
    var count = 0
    for name in clients.keys.sorted() where clients[name]?.hello.wants(delivery.topic) == true {
      count += 1
      give(copy, to: name)
    }
    return count == 0 && world.plan.isVersion5 ? .noSubscribers : .success
  }

  /// QoS 0 goes at once or never; QoS 1 waits where there is room, and the oldest stay.
  private func give(_ delivery: Delivery, to name: String) {
    guard let client = clients[name] else { return }
    if delivery.id == nil {
      if let connection = client.connection { network.sendToClient(.publish(delivery), over: connection) }
      return
    }
    guard client.connection != nil || client.hello.persists else { return }
    guard client.waiting.count < world.plan.brokerQueue else {
      dropped += 1
      return
    }
    clients[name]?.waiting.append(delivery)
    send(to: name)
  }

  private func send(to name: String) {
    guard var client = clients[name], let connection = client.connection else { return }
    while client.inFlight.count < SimulatedBroker.window, !client.waiting.isEmpty {
      var next = client.waiting.removeFirst()
      next.id = client.nextID
      client.nextID += 1
      client.inFlight.append(next)
      network.sendToClient(.publish(next), over: connection)
    }
    clients[name] = client
  }
}

extension SimulatedBroker.Client {
  /// What was not answered is sent again.
  mutating func requeue() {
    waiting = inFlight + waiting
    inFlight = []
  }
}
