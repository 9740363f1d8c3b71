/// The way between clients and the broker.
final class Network {
  unowned let world: World
  private var chance: Chance
  private var connections = 0
  /// The broker that is there just now.
  var broker: SimulatedBroker?

  init(_ world: World, chance: Chance) {
    self.world = world
    self.chance = chance
  }

  /// Opens a connection; nil when nobody answers.
  func connect(_ session: Session) -> Connection? {
    guard broker?.isUp == true, session.isReachable, !session.isAsleep else { return nil }
    connections += 1
    return Connection(number: connections, session: session)
  }

  func sendToBroker(_ packet: Packet, over connection: Connection) {
    guard let broker else { return }
    let run = broker.run
    let atS = max(connection.lastToBrokerS, world.nowS + delayS(connection))
    guard !connection.isBlackHole, atS <= connection.arrivesUntilS else { return }
    connection.lastToBrokerS = atS
    world.after(atS - world.nowS, "packet to broker") { [unowned self] in
      let isLost = connection.isBlackHole || atS > connection.arrivesUntilS
      guard !isLost, broker.isUp, broker.run == run, connection.isOpenAtBroker else { return }
      self.broker?.take(packet, from: connection)
    }
  }

  func sendToClient(_ packet: Packet, over connection: Connection) {
    let atS = max(connection.lastToClientS, world.nowS + delayS(connection))
    guard !connection.isBlackHole, atS <= connection.arrivesUntilS else { return }
    connection.lastToClientS = atS
    world.after(atS - world.nowS, "packet to \(connection.session.client)") {
      guard !connection.isBlackHole, atS <= connection.arrivesUntilS, connection.session.connection === connection
      else { return }
      connection.session.take(packet)
    }
  }

  private func delayS(_ connection: Connection) -> Double {
    chance.double(world.plan.delayS) * connection.delayFactor
  }

  // MARK: Faults

  /// The connection breaks: of what is under way some arrives, and both sides hear of it in a moment.
  func reset(_ connection: Connection) {
    cut(connection)
    tellClient(connection, afterS: chance.double(0...1))
    tellBroker(connection, afterS: chance.double(0...1))
  }

  /// The broker's end is gone, and the client is not told before it waits in vain.
  func halfOpen(_ connection: Connection) {
    cut(connection)
    connection.isBlackHole = true
    tellBroker(connection, afterS: chance.double(0...1))
    tellClient(connection, afterS: chance.double(0.5...1.5) * world.plan.keepaliveS)
  }

  /// Nothing goes either way any more, and nobody is told.
  func blackHole(_ connection: Connection) {
    connection.isBlackHole = true
    tellClient(connection, afterS: chance.double(0.5...1.5) * world.plan.keepaliveS)
    tellBroker(connection, afterS: chance.double(1...1.5) * world.plan.keepaliveS)
  }

  /// The client's program is gone: its kernel closes the connection, or the whole machine is away.
  func abandon(_ connection: Connection, isMachineGone: Bool) {
    if isMachineGone {
      connection.isBlackHole = true
      tellBroker(connection, afterS: chance.double(1...1.5) * world.plan.keepaliveS)
    } else {
      cut(connection)
      tellBroker(connection, afterS: chance.double(0...0.5))
    }
  }

  private func cut(_ connection: Connection) {
    connection.arrivesUntilS = min(connection.arrivesUntilS, world.nowS + chance.double(0...0.5))
  }

  /// Tells the client's side that its connection is gone.
  func tellClient(_ connection: Connection, afterS: Double) {
    world.after(afterS, "\(connection.session.client) notices") {
      if connection.session.connection === connection { connection.session.lose() }
    }
  }

  private func tellBroker(_ connection: Connection, afterS: Double) {
    guard let broker else { return }
    let run = broker.run
    world.after(afterS, "broker notices") { [unowned self] in
      guard broker.run == run, broker.isUp, connection.isOpenAtBroker else { return }
      self.broker?.lose(connection)
    }
  }
}
