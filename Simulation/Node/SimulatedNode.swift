import DiskFaults
import NodeLogic
import Spool
import SpoolWords
import Telemetry

/// One device: a disk that outlasts everything, and on it one run of the agent after the other.
final class SimulatedNode {
  unowned let world: World
  let network: Network
  let name: String
  let index: Int
  let disk = SimulatedDisk()
  private(set) var chance: Chance
  private var surroundings: Surroundings
  /// Nil while the agent does not run.
  private(set) var node: Node?
  private(set) var spool: SpoolWorker?
  private(set) var session: Session?
  private(set) var boot = BootID(0)
  /// Rises with each start, so that what was planned for an earlier run falls flat.
  private(set) var life = 0
  private var record: LocationRecord?
  private var startedAtS = 0.0
  private var sleptS = 0.0
  /// The system clock against the true time [s]; nil: it stood at 1970 when the agent started.
  private var clockErrorS: Double? = 0
  private var clockQuality = ClockQuality.ntp
  private var tickAtS = Double.infinity
  /// Which event each token stands for.
  private var underWay: [UInt64: EventKey] = [:]
  private var asleepSinceS: Double?
  /// When the present connection was made [s].
  private var connectedAtS = 0.0
  private var wakesAtS = 0.0
  /// The session's own queue is full at times.
  var refusesAsFull = false
  /// The fleet tool has acknowledged this node in this run, or the spool says that it did before.
  private(set) var knowsFleet = false

  init(_ world: World, _ network: Network, index: Int, chance: Chance) {
    self.world = world
    self.network = network
    self.index = index
    self.chance = chance
    name = "node-\(index)"
    surroundings = Surroundings(chance: self.chance.fork())
  }

  var isRunning: Bool { node != nil }
  var isAsleep: Bool { asleepSinceS != nil }
  /// Nil: no spool.
  var limits: SpoolLimits? {
    world.plan.capBytes.map { SpoolLimits(capBytes: $0, capAgeS: world.plan.capAgeS) }
  }
  /// Monotonic time, which stands while the machine sleeps.
  private var now: Instant { Instant(seconds: (asleepSinceS ?? world.nowS) - startedAtS - sleptS) }
  /// How long the machine is going to sleep still [s].
  private var sleepLeftS: Double { asleepSinceS == nil ? 0 : max(0, wakesAtS - world.nowS) }

  // MARK: Starts and ends

  func start() {
    life += 1
    boot = BootID(UInt32(truncatingIfNeeded: chance.word() | 1))
    (startedAtS, sleptS, tickAtS, knowsFleet) = (world.nowS, 0, .infinity, world.plan.delivery == .fleet)
    (asleepSinceS, underWay) = (nil, [:])
    node = Node(boot: boot, settings, clock: clockState, record: record, at: now)
    world.oracle.began(boot.value, of: index)
    world.note("\(name) starts as \(boot)")
    startSpool()
    startSession()
    planFix()
    planShake()
    planTick()
  }

  /// The agent dies.
  /// - Parameter cutsPower: and the machine with it: what was not synced is lost, in part or whole.
  func die(cutsPower: Bool) {
    guard isRunning else { return }
    node = nil
    spool?.end()
    spool = nil
    session?.end(inOrder: false, isMachineGone: cutsPower)
    session = nil
    if cutsPower { disk.powerCut(using: &chance.random) } else { disk.restart() }
    let life = life
    world.after(chance.double(0.2...(cutsPower ? 60 : 5)), "\(name) starts again") { [unowned self] in
      if self.life == life, !isRunning { start() }
    }
  }

  /// A stop in order and a start.
  func restart() {
    guard isRunning else { return }
    hand(.stop)
    spool?.stop()
    guard isRunning else { return }
    session?.end(inOrder: true)
    session = nil
    spool?.end()
    spool = nil
    node = nil
    disk.restart()
    let life = life
    world.after(chance.double(0.1...3), "\(name) starts again") { [unowned self] in
      if self.life == life, !isRunning { start() }
    }
  }

  private var settings: NodeSettings {
    var settings = NodeSettings()
    settings.healthIntervalS = 300
    var location = LocationTracker.Settings(distanceFilterM: 0, intervalS: 3600, maxAccuracyM: 0, lostAfterS: 600)
    location.maxSpeedMPS = 0
    location.maxAccelerationMPS2 = 0
    location.settleS = 0
    if let fence = Surroundings.fence { location.fences = [fence] }
    settings.location = location
    var motion = MotionSettings(.handheld)
    if world.plan.hasWaveforms { motion.waveform = WaveformSettings() }
    settings.motion = motion
    settings.outbox.memoryBytes = world.plan.memoryBytes
    settings.outbox.hasSpool = world.plan.capBytes != nil
    settings.outbox.spoolBytes = world.plan.capBytes ?? 0
    settings.outbox.delivery =
      switch world.plan.delivery {
      case .auto: .auto
      case .broker: .broker
      case .fleet: .fleet
      }
    return settings
  }

  private func startSpool() {
    guard let limits else { return }
    let worker = SpoolWorker(
      world, disk, boot: boot.value, limits: limits,
      chance: chance.fork()
    ) { [unowned self] in now.seconds }
    worker.pauseS = { [unowned self] in sleepLeftS }
    worker.tell = { [unowned self] report in take(report) }
    worker.died = { [unowned self] in
      world.fault("cut in a call", "of the disk of \(name)")
      die(cutsPower: chance.oneIn(2))
    }
    spool = worker
    worker.start()
  }

  private func startSession() {
    let ack = "judder/\(name)/ack"
    let will = Telegram(Envelope(boot: boot), .status(StatusMessage(.lost))).encode()
    let name = name
    let session = Session(name, network, chance: chance.fork()) {
      Hello(
        client: name, persists: false,
        will: Delivery(id: 0, topic: "judder/\(name)/status", payload: will, isRetained: true),
        wants: { $0 == ack })
    }
    session.connected = { [unowned self] in
      connectedAtS = world.nowS
      hand(.link(isConnected: true))
    }
    session.disconnected = { [unowned self] in
      if world.plan.mutation != .hidesDisconnection { hand(.link(isConnected: false)) }
    }
    session.arrived = { [unowned self] delivery in takeAcknowledgement(delivery.payload) }
    session.settled = { [unowned self] token, answer in settle(token, answer) }
    self.session = session
    session.start()
  }

  // MARK: Inputs

  /// Hands an input to the node and carries out what it answers.
  func hand(_ input: NodeInput) {
    guard var node else { return }
    self.node = nil
    let effects = node.handle(input, at: now)
    self.node = node
    for effect in effects where isRunning { carryOut(effect) }
    planTick()
  }

  private func settle(_ token: UInt64, _ answer: Answer) {
    if let key = underWay[token] {
      world.oracle.settled(key, answer, knowsFleet: knowsFleet)
      if world.plan.mutation == .releasesAtBroker, knowsFleet, answer == .success {
        carryOut(.spool(.release(boot: BootID(key.boot), key.sequence...key.sequence)))
      }
    }
    switch answer {
    case .success: hand(.delivered(token))
    case .noSubscribers: hand(.unheard(token))
    case .denied: hand(.denied(token))
    case .quota: hand(.refused(token, isPermanent: false))
    }
  }

  private func takeAcknowledgement(_ payload: [UInt8]) {
    world.detail("\(name) hears \(String(decoding: payload, as: UTF8.self))")
    // One of another run may name what this one has not read back yet, and says nothing then.
    if world.plan.delivery == .auto, let ack = try? AckMessage.decode(payload: payload), ack.boot == boot {
      knowsFleet = true
    }
    hand(.acknowledged(payload))
  }

  private func take(_ report: SpoolReport) {
    world.detail("\(name) is told \(report.summary)")
    world.oracle.heard(report, of: index)
    if case .opened(let contents) = report, contents.fleetAcknowledges, world.plan.delivery == .auto {
      knowsFleet = true
    }
    if world.plan.mutation == .tellsNoEviction, case .evicted = report { return }
    if let word = SpoolWord(report, folder: name) { hand(.spool(word)) }
  }

  // MARK: Effects

  private func carryOut(_ effect: NodeEffect) {
    switch effect {
    case .publish(let outgoing): publish(outgoing)
    case .spool(let wish):
      world.detail("\(name) wishes \(wish.summary)")
      if wish == .fleetAcknowledges, world.plan.delivery == .auto { knowsFleet = true }
      world.oracle.wished(wish, of: index, knowsFleet: knowsFleet)
      if let request = SpoolRequest(wish, originS: 0) { spool?.offer(request) }
    case .measureUsage: hand(.usage(ProcessLoad(residentKB: 1000, processorS: now.seconds / 100)))
    case .keep(let record): self.record = record
    case .log, .keepAwake, .decided, .set: break
    }
  }

  private func publish(_ outgoing: Outgoing) {
    let telegram = outgoing.telegram
    let payload = telegram.encode()
    if case .health(let health) = telegram.body {
      world.detail("\(health.spool)")
      check(health.spool)
    }
    world.detail(
      "\(name) publishes \(telegram.body.stream) \(telegram.envelope.sequence ?? 0) of \(telegram.envelope.boot)")
    if let token = outgoing.token {
      let measuredAtS = startedAtS + sleptS + (telegram.envelope.uptime ?? now.seconds)
      underWay[token] = world.oracle.published(
        telegram, payload, token: token, of: index, measuredAtS: measuredAtS, connectedAtS: connectedAtS)
      if refusesAsFull, chance.oneIn(3) { return hand(.full(token)) }
    }
    let topic = "judder/\(name)/\(telegram.body.stream.rawValue)"
    let isTaken = session?.publish(
      topic, payload, qos: telegram.body.stream.qos, isRetained: outgoing.isRetained, token: outgoing.token)
    if isTaken != true, outgoing.token == nil { hand(.dropped) }
  }

  /// Without a spool everything waits in memory.
  private func check(_ waiting: HealthMessage.Spool) {
    guard world.plan.capBytes == nil else { return }
    // What is under way is not given up.
    let mostBytes = world.plan.memoryBytes + 20 * 4000
    world.expect(waiting.bytes <= mostBytes, .memory, "\(waiting.bytes) bytes in memory, \(mostBytes) are allowed")
  }

  // MARK: What happens by itself

  private func planTick() {
    guard let node else { return }
    let delayS = max(0.001, node.nextDeadline - now) + sleepLeftS
    let atS = world.nowS + delayS
    guard atS < tickAtS - 1e-6 || tickAtS <= world.nowS, delayS < 1e7 else { return }
    tickAtS = atS
    let life = life
    world.after(delayS, "\(name) ticks") { [unowned self] in
      guard self.life == life, isRunning, tickAtS == atS else { return }
      tickAtS = .infinity
      hand(.tick)
    }
  }

  private func planFix() {
    let life = life
    let waitS = chance.waitS(meanS: world.isQuiet ? 15 : world.plan.fixS)
    guard !world.isStill else { return }
    world.after(waitS, "fix of \(name)") { [unowned self] in
      guard self.life == life, isRunning, !world.isStill else { return }
      if asleepSinceS == nil { hand(.gpsd(.report(surroundings.fix(at: world.wall)))) }
      planFix()
    }
  }

  private func planShake() {
    let life = life
    let waitS = chance.waitS(meanS: world.isQuiet ? 120 : world.plan.shakeS)
    guard !world.isStill else { return }
    world.after(max(5, waitS), "shake of \(name)") { [unowned self] in
      guard self.life == life, isRunning, !world.isStill else { return }
      if asleepSinceS == nil { hand(.accelerometer(Surroundings.shake(until: now))) }
      planShake()
    }
  }

  // MARK: Clocks

  private var clockState: ClockState {
    let truth = World.epochS + startedAtS + sleptS
    return ClockState(wallAtStart: WallTime(seconds: clockErrorS.map { truth + $0 } ?? sleptS), quality: clockQuality)
  }

  /// The system clock is set to something else; nil: to what a machine without a battery starts with.
  func setClock(errorS: Double?, quality: ClockQuality) {
    (clockErrorS, clockQuality) = (errorS, errorS == nil ? .none : quality)
    tellClock()
  }

  private func tellClock() {
    guard isRunning else { return }
    hand(.clock(clockState))
  }

  /// The machine sleeps for so long [s]: nothing happens on it, and its monotonic clock stands.
  func sleep(_ seconds: Double) {
    guard isRunning, asleepSinceS == nil else { return }
    (asleepSinceS, wakesAtS) = (world.nowS, world.nowS + seconds)
    session?.isAsleep = true
    if let connection = session?.connection { network.blackHole(connection) }
    let life = life
    world.after(seconds, "\(name) wakes") { [unowned self] in
      guard self.life == life, isRunning else { return }
      asleepSinceS = nil
      sleptS += seconds
      session?.isAsleep = false
      hand(.suspended(seconds: seconds))
      tellClock()
    }
  }
}
