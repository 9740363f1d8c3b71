import FleetLogic
import Telemetry

/// The fleet tool: one run after the other over a store that outlasts them.
final class SimulatedFleet {
  /// A batch is written after so long [s].
  private static let batchS = 0.0...0.3

  unowned let world: World
  private let network: Network
  private var chance: Chance
  private(set) var store = StandInStore()
  /// Nil while the tool does not run.
  private(set) var fleet: FleetState?
  private var session: Session?
  private var life = 0
  private var startedAtS = 0.0
  private var clockErrorS = 0.0
  /// Its clock was set back: what is retained seems to be of an earlier run then.
  private var wentBack = false
  private var tickAtS = Double.infinity
  /// Messages that came and were not looked at yet; gone with the process, though the broker was told they came.
  private var mailbox: [Delivery] = []
  private var isReading = false
  /// What is to be written next, and what waits for it.
  private var batch: [Keep] = []
  private var batchNumber = 0
  private var committed = 0
  private var held: [(batch: Int, effect: Effect)] = []
  private var isCommitting = false
  /// Alerts that were told, by what they say.
  private var told: [String: Int] = [:]

  init(_ world: World, _ network: Network, chance: Chance) {
    self.world = world
    self.network = network
    self.chance = chance
  }

  var isRunning: Bool { fleet != nil }
  var connection: Connection? { session?.connection }
  var hasWork: Bool { !mailbox.isEmpty || !batch.isEmpty || isCommitting }
  private var now: Instant { Instant(seconds: world.nowS - startedAtS) }
  private var clockState: ClockState {
    ClockState(wallAtStart: WallTime(seconds: World.epochS + startedAtS + clockErrorS), quality: .ntp)
  }

  // MARK: Starts and ends

  func start() {
    life += 1
    (startedAtS, tickAtS, mailbox, isReading) = (world.nowS, .infinity, [], false)
    (batch, held, isCommitting, committed, batchNumber) = ([], [], false, 0, 0)
    var rules = Rule.defaults
    rules.append(Self.fenceRule)
    var state = FleetState(FleetState.Configuration(rules: rules, keeps: true), clock: clockState)
    let effects = state.restore(store.kept, at: now)
    fleet = state
    world.note("fleet tool starts, and knows \(store.kept.nodes.map { $0.boots.map { "\($0.boot) \($0.settled)" } })")
    take(effects)
    startSession(state.subscriptions)
    hand(.store(.kept))
  }

  private static var fenceRule: Rule {
    var geofence = Condition.Geofence()
    geofence.fence = "yard"
    return Rule(name: "yard", .geofence(geofence))
  }

  private func startSession(_ filters: [String]) {
    let session = Session("fleet", network, chance: chance.fork()) { [unowned self] in
      Hello(
        client: "fleet", persists: world.plan.fleetSessionPersists, will: nil,
        wants: { topic in filters.contains { Self.matches(topic, $0) } })
    }
    session.connected = { [unowned self] in hand(.connected) }
    session.disconnected = { [unowned self] in hand(.disconnected(reason: "the connection broke")) }
    session.arrived = { [unowned self] delivery in
      mailbox.append(delivery)
      read()
    }
    self.session = session
    session.start()
  }

  static func matches(_ topic: String, _ filter: String) -> Bool {
    let (levels, wanted) = (topic.split(separator: "/"), filter.split(separator: "/"))
    return levels.count == wanted.count && zip(levels, wanted).allSatisfy { $1 == "+" || $0 == $1 }
  }

  func die() {
    guard isRunning else { return }
    // The batch may have been on the disk already, and nobody heard of it.
    if isCommitting, chance.oneIn(2) { write() }
    fleet = nil
    session?.end(inOrder: false)
    session = nil
    restartLater(chance.double(0.2...20))
  }

  func restart() {
    guard isRunning else { return }
    hand(.stop)
    if !batch.isEmpty { write() }
    fleet = nil
    session?.end(inOrder: true)
    session = nil
    restartLater(chance.double(0.2...5))
  }

  private func restartLater(_ delayS: Double) {
    let life = life
    world.after(delayS, "fleet tool starts again") { [unowned self] in
      if self.life == life, !isRunning { start() }
    }
  }

  func setClock(errorS: Double) {
    if errorS < clockErrorS { wentBack = true }
    clockErrorS = errorS
    hand(.clock(clockState))
  }

  // MARK: Inputs and effects

  private func read() {
    guard !isReading, !mailbox.isEmpty else { return }
    isReading = true
    let life = life
    world.after(chance.double(0...0.02), "fleet tool reads") { [unowned self] in
      guard self.life == life, isRunning else { return }
      isReading = false
      let some = mailbox.prefix(32)
      mailbox.removeFirst(some.count)
      for delivery in some {
        hand(.message(topic: Array(delivery.topic.utf8), payload: delivery.payload, retained: delivery.isRetained))
      }
      read()
    }
  }

  private func hand(_ input: Input) {
    guard var state = fleet else { return }
    fleet = nil
    let effects = state.handle(input, at: now)
    fleet = state
    take(effects)
    planTick()
  }

  /// What follows from something that is to be kept waits until it is on the disk, and what comes after it, too.
  private func take(_ effects: [Effect]) {
    var keeps: [Keep] = []
    for case .keep(let keep) in effects { keeps.append(keep) }
    if !keeps.isEmpty {
      if batch.isEmpty { batchNumber += 1 }
      batch += keeps
      commitLater()
      if world.plan.mutation == .acknowledgesBeforeCommit { acknowledgeUnwritten(keeps) }
    }
    let waitsFor = keeps.isEmpty ? held.last?.batch ?? 0 : batchNumber
    for effect in effects {
      if case .keep = effect { continue }
      if waitsFor > committed, world.plan.mutation != .tellsBeforeCommit {
        held.append((waitsFor, effect))
      } else {
        carryOut(effect)
      }
    }
  }

  private func carryOut(_ effect: Effect) {
    switch effect {
    case .publish(let publication):
      _ = session?.publish(
        publication.topic, publication.payload, qos: 1, isRetained: publication.retained, token: nil)
    case .alert(let alert): tell(alert)
    case .change(let change): check(change)
    case .log, .link, .keep, .answer: break
    }
  }

  private func tell(_ alert: Alert) {
    let name = "\(alert.id) \(alert.state.rawValue)"
    world.note("alert \(name)")
    world.oracle.noteAlert()
    let times = told[name, default: 0]
    world.expect(
      times == 0 || alert.mayHaveBeenTold || wentBack, .alertedOnce, "\(name) is told \(times + 1) times")
    told[name] = times + 1
    hand(.told(alert))
  }

  /// Of each event there is one change, though it may come often.
  private func check(_ change: Change) {
    guard case .message(let telegram, let receipt, let isRetained) = change.kind, !isRetained,
      let sequence = telegram.envelope.sequence, let index = Int(change.node.description.dropFirst(5))
    else { return }
    world.note("\(change.node) \(telegram.envelope.boot) \(sequence) is \(receipt)")
    world.oracle.counted(EventKey(index, telegram.envelope.boot.value, sequence))
  }

  // MARK: The store

  private func commitLater() {
    guard !isCommitting else { return }
    isCommitting = true
    let life = life
    world.after(chance.double(SimulatedFleet.batchS), "fleet tool commits") { [unowned self] in
      guard self.life == life, isRunning else { return }
      let acks = write()
      isCommitting = false
      for (node, ack) in acks { acknowledge(ack, node) }
      release()
      if !batch.isEmpty { commitLater() }
    }
  }

  @discardableResult
  private func write() -> [(NodeName, AckMessage)] {
    let number = batchNumber
    let (events, acks) = store.commit(batch, storesTwice: world.plan.mutation == .storesTwice)
    batch = []
    committed = number
    for (event, isNew) in events {
      if let index = Int(event.node.description.dropFirst(5)) {
        world.oracle.committed(event, of: index, isNew: isNew)
      }
    }
    return acks
  }

  private func acknowledge(_ ack: AckMessage, _ node: NodeName) {
    guard let topic = fleet?.ackTopic(of: node, boot: ack.boot), let index = Int(node.description.dropFirst(5)) else {
      return
    }
    world.oracle.acknowledged(ack, of: index)
    _ = session?.publish(topic.description, ack.encode(), qos: 1, isRetained: false, token: nil)
  }

  /// A mutation.
  private func acknowledgeUnwritten(_ keeps: [Keep]) {
    for case .event(let event) in keeps {
      let number = event.sequence
      acknowledge(AckMessage(boot: event.boot, sequence: 0, also: [number...number]), event.node)
    }
  }

  private func release() {
    while let first = held.first, first.batch <= committed, isRunning {
      held.removeFirst()
      carryOut(first.effect)
    }
  }

  private func planTick() {
    guard let next = fleet?.nextDeadline(after: now) else { return }
    let delayS = max(0.001, next - now)
    let atS = world.nowS + delayS
    guard atS < tickAtS - 1e-6 || tickAtS <= world.nowS, delayS < 1e7 else { return }
    tickAtS = atS
    let life = life
    world.after(delayS, "fleet tool ticks") { [unowned self] in
      guard self.life == life, isRunning, tickAtS == atS else { return }
      tickAtS = .infinity
      hand(.tick)
    }
  }
}
