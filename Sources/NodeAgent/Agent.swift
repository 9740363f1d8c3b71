internal import Daemon
internal import MQTT
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// The shell around `Node`: one loop that waits for sensor, gpsd, broker, signals and time, hands each to the node, and
/// carries out what the node answers. All state lives on this one thread.
final class Agent {
  /// How long a stop may take [s].
  static let stopS = 5.0

  let log: Log
  let clock = MonotonicClock.process
  let notifier: ServiceNotifier
  let source: NodeSource
  let boot: BootID
  let loop: EventLoop
  private let signals: Signals
  var configuration: NodeConfiguration
  /// What people wrote, when it was read last.
  var base: Configuration
  var settings: RemoteSettings
  var settingsFile: SettingsFile?
  private(set) var node: Node
  private var clockWatch: ClockWatch
  private var suspensionWatch = SuspensionWatch()
  private var link: BrokerLinkage
  private var records: LocationRecordFile?
  private var spool: SpoolLinkage?
  private var accelerometer: AccelerometerInlet?
  private var gpsd: GpsdInlet?
  private var nodeTimer: EventLoop.Timer?
  private var keepAliveTimer: EventLoop.Timer?
  /// An old session is saying good-bye; `link` starts when it has ended.
  private var isRetiring = false
  /// A second signal came: nothing is waited for any more.
  private var isImpatient = false
  /// Set once the agent is on its way out.
  private(set) var stopDeadline: Instant?

  /// - Parameter source: reads the configuration anew; asked again at each SIGHUP.
  init(log: Log, _ source: NodeSource) throws(Termination) {
    self.log = log
    self.source = source
    // Before any thread: signals are blocked in this one and in those it starts.
    signals = try Signals()
    notifier = ServiceNotifier(environment: source.source.environment)
    do throws(ConfigurationFailure) {
      base = try source.read()
      settings = source.settings(base)
      configuration = try settings.applied(to: base, source.node)
    } catch {
      throw error.termination
    }
    log.level = configuration.logLevel
    for warning in configuration.warnings { log.warning(warning) }
    boot = try RandomSource.bootID()
    loop = EventLoop(clock: clock)
    clockWatch = ClockWatch(clock: clock)
    records = configuration.recordFile.map { LocationRecordFile($0, log: log) }
    node = Node(
      boot: boot, configuration.logic, clock: clockWatch.state, record: records?.read(), at: clock.now())
    link = try BrokerLinkage(configuration, boot: boot, log: log)
    spool = configuration.spool.flatMap { [configuration] in
      SpoolLinkage($0, of: configuration.name.description, boot: boot, log: log)
    }
  }

  /// Runs until a signal ends it.
  func run() throws(Termination) {
    loop.watch(signals.descriptor) { [unowned self] _ in takeSignals() }
    nodeTimer = loop.timer { [unowned self] _ in hand(.tick) }
    startKeepAlive()
    try startAccelerometer()
    startGpsd()
    records?.start(loop)
    tryRecordFile()
    settingsFile = settings.file.map { SettingsFile($0, loop: loop) }
    sayWhatIsSet()
    startSpool()
    startLink()
    hand(.tick)
    log.notice("judder-node \(softwareVersion): \(configuration.prefix)/\(configuration.name), boot \(boot)")
    notifier.ready(status: "measuring")
    try loop.run()
    finish()
  }

  /// Hands an input to the node and carries out what it answers.
  func hand(_ input: NodeInput) {
    let now = clock.now()
    heedTime(at: now)
    carryOut(node.handle(input, at: now))
    nodeTimer?.deadline = node.nextDeadline
  }

  /// Tells the node what happened to the clocks, before anything else does. After a sleep the system clock is told in
  /// any case: the node has moved what it knew of it.
  private func heedTime(at now: Instant) {
    let sleptS = suspensionWatch.change()
    if let sleptS { carryOut(node.handle(.suspended(seconds: sleptS), at: now)) }
    let state = clockWatch.change(at: now)
    if let state = state ?? (sleptS == nil ? nil : clockWatch.state) { carryOut(node.handle(.clock(state), at: now)) }
    link.trust(node.trustedTime(at: now), at: now)
  }

  private func carryOut(_ effects: [NodeEffect]) {
    for effect in effects {
      switch effect {
      case .publish(let outgoing): if let answer = link.publish(outgoing) { hand(answer) }
      case .log(let note): log.change(note.topic, note.level.logLevel, note.text)
      case .measureUsage:
        let usage = ProcessUsage.read()
        hand(.usage(ProcessLoad(residentKB: usage.residentKB, processorS: usage.cpuSeconds)))
      case .keepAwake(let until): accelerometer?.keepAwake(until: until)
      case .keep(let record): records?.keep(record)
      case .spool(let wish): spool?.ask(wish)
      case .set(let command): set(command)
      case .decided: break
      }
    }
  }
}

// MARK: - Parts

extension Agent {
  private func startAccelerometer() throws(Termination) {
    do throws(RecordingFailure) {
      accelerometer = try AccelerometerInlet(configuration.accelerometer, loop: loop, log: log) { [unowned self] in
        hand(.accelerometer($0))
      }
    } catch {
      throw Termination(.configuration, ["\(error)"])
    }
  }

  private func startGpsd() {
    gpsd = configuration.gpsd.map { address in
      GpsdInlet(address, loop: loop) { [unowned self] in hand(.gpsd($0)) }
    }
  }

  /// Says at once what would otherwise show at the first write, some minutes on.
  private func tryRecordFile() {
    guard gpsd != nil, let file = configuration.recordFile, let text = LocationRecordCheck.warning(file) else { return }
    log.change("location record", .warning, text)
  }

  /// The folder is read while everything else starts.
  private func startSpool() {
    spool?.start(loop: loop) { [unowned self] word in
      hand(.spool(word))
      endIfDrained()
    }
    guard spool == nil else { return }
    log.warning(
      "spool: there is no folder, since spool.directory names none and systemd gave none (STATE_DIRECTORY): events "
        + "wait in memory alone, and end with this process")
  }

  private func startLink() {
    link.start(loop: loop) { [unowned self] event in take(event) }
  }

  private func take(_ event: SessionEvent) {
    let inputs = link.inputs(of: event)
    if inputs.isEmpty { return }
    for input in inputs { hand(input) }
    switch event {
    case .connected, .disconnected: notifier.status(link.summary)
    default: break
    }
    endIfDrained()
  }

  private func startKeepAlive() {
    guard let interval = notifier.keepAliveInterval else { return }
    let timer = loop.timer { [unowned self] now in
      // From the loop that samples: a hang of this thread is what the watchdog is for.
      notifier.keepAlive()
      keepAliveTimer?.deadline = now + interval
    }
    timer.deadline = clock.now()
    keepAliveTimer = timer
  }
}

// MARK: - Signals

extension Agent {
  private func takeSignals() {
    while let signal = signals.next() {
      switch signal {
      case .hangUp: reload()
      case .terminate, .interrupt: stop(because: signal)
      case .windowChange, .stop, .goOn: break
      }
    }
  }

  /// Reads the configuration again. What is wrong with it is said, and the old one stays in force.
  private func reload() {
    notifier.reloading()
    defer { notifier.ready(status: link.summary) }
    do throws(ConfigurationFailure) {
      let read = try source.read()
      let new = try settings.applied(to: read, source.node)
      base = read
      apply(new)
      sayWhatIsSet()
      log.notice("the configuration was read again")
    } catch {
      for problem in error.problems { log.error("\(problem)") }
      log.error("the configuration stays as it was")
    }
  }

  func apply(_ new: NodeConfiguration) {
    let old = configuration
    configuration = new
    if new.name != old.name || new.prefix != old.prefix {
      log.warning("node.id and node.prefix take effect at the next start")
      configuration.name = old.name
      configuration.prefix = old.prefix
      // It is made of the name.
      configuration.broker.clientID = old.broker.clientID
      configuration.listen()
    }
    log.level = new.logLevel
    for warning in new.warnings where !old.warnings.contains(warning) { log.warning(warning) }
    let now = clock.now()
    heedTime(at: now)
    carryOut(node.reconfigure(new.logic, at: now))
    if new.accelerometer != old.accelerometer { restartAccelerometer(or: old.accelerometer) }
    if new.gpsd != old.gpsd {
      gpsd?.stop()
      startGpsd()
    }
    if new.recordFile != old.recordFile {
      records?.stop(deadlineS: 0)
      records = new.recordFile.map { LocationRecordFile($0, log: log) }
      records?.start(loop)
      tryRecordFile()
      carryOut(node.keepAnew(at: clock.now()))
    }
    applySpool(new.spool, insteadOf: old.spool)
    if configuration.broker != old.broker { restartLink(or: old.broker) }
    hand(.tick)
  }

  private func applySpool(_ new: SpoolSettings?, insteadOf old: SpoolSettings?) {
    guard new != old else { return }
    if new?.directory != old?.directory {
      log.warning("spool.directory takes effect at the next start")
      configuration.spool = old
    } else if let new {
      spool?.reconfigure(new)
    }
  }

  /// What cannot be started leaves the old one in force, so that the next reload tries again.
  private func restartAccelerometer(or old: AccelerometerSettings) {
    accelerometer?.stop()
    accelerometer = nil
    do throws(Termination) {
      try startAccelerometer()
    } catch {
      for line in error.lines { log.error("\(line); the old source of samples goes on") }
      configuration.accelerometer = old
      try? startAccelerometer()
    }
  }

  /// The old session ends on a thread of its own, because a broker that hangs takes its time; only then the new one
  /// connects, since it may have the same client id.
  private func restartLink(or old: BrokerSettings) {
    let new: BrokerLinkage
    do throws(Termination) {
      new = try BrokerLinkage(configuration, boot: boot, log: log)
    } catch {
      for line in error.lines { log.error("\(line); the broker stays as it was") }
      configuration.broker = old
      return
    }
    // While one says good-bye, the next was never started: another one simply takes its place.
    if !isRetiring {
      isRetiring = true
      carryOut(node.leaveBroker(at: clock.now()))
      link.retire(on: loop) { [unowned self] in
        isRetiring = false
        if stopDeadline == nil { startLink() }
      }
    }
    hand(.link(isConnected: false))
    link = new
  }

  /// Says good-bye, and ends the loop when what waits was handed over, or at the deadline. A second signal ends it at
  /// once.
  private func stop(because signal: ProcessSignal) {
    guard stopDeadline == nil else {
      isImpatient = true
      return loop.stop()
    }
    let deadline = clock.now() + Agent.stopS
    stopDeadline = deadline
    log.notice("stopping (\(signal))")
    notifier.stopping(status: "handing over what waits")
    accelerometer?.stop()
    gpsd?.stop()
    hand(.stop)
    // A second is kept for the good-bye to the broker, and what a slow disk needs after it.
    loop.timer { [unowned self] _ in loop.stop() }.deadline = deadline - 1 - (spool == nil ? 0 : SpoolLinkage.stopS)
    endIfDrained()
  }

  private func endIfDrained() {
    if stopDeadline != nil, isDrained { loop.stop() }
  }

  private func finish() {
    let reserveS = spool == nil ? 0 : SpoolLinkage.stopS
    let deadlineS = isImpatient ? 0 : max(0.5, (stopDeadline ?? .start) - clock.now() - reserveS)
    for event in link.stop(deadlineS: deadlineS) {
      for input in link.inputs(of: event) { hand(input) }
    }
    if let spool {
      for word in spool.stop(deadlineS: isImpatient ? 0.2 : SpoolLinkage.stopS) { hand(.spool(word)) }
    }
    let leftS = (stopDeadline ?? .start) - clock.now()
    if !isImpatient { settingsFile?.stop() }
    records?.stop(deadlineS: isImpatient ? 0.2 : min(LocationRecordFile.stopS, max(0.2, leftS)))
    sayWhatIsLeft()
    log.notice("stopped")
  }

  private func sayWhatIsLeft() {
    let unsaved = node.unsavedEvents
    let kept = node.pendingEvents - unsaved
    if kept > 0 { log.notice("\(kept) events wait on the disk for the next start") }
    if unsaved > 0 { log.warning("\(unsaved) events were not acknowledged, and are lost with this process") }
  }

  /// Nothing is left that waiting could bring to the broker, but for what is safe on the disk.
  private var isDrained: Bool { !link.isConnected || node.imminentEvents == 0 }
}

extension Note.Level {
  fileprivate var logLevel: LogLevel {
    switch self {
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    }
  }
}
