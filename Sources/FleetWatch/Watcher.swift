internal import BrokerLink
internal import Daemon
internal import FleetLogic
internal import MQTT
internal import Sinks
internal import Store
internal import Telemetry

/// The shell around `FleetState`: one loop that waits for the broker, signals and time, hands each to the state, and
/// carries out what it answers. All state lives on this one thread.
final class Watcher {
  /// How long a stop may take [s].
  private static let stopS = 5.0
  /// Messages that wait to be handled, before the session stops reading.
  private static let mailbox = 256
  /// Between two tries to hand on what a sink's slow reader has not taken [s].
  private static let sinkRetryS = 1.0

  private let log: Log
  private let clock = MonotonicClock.process
  private let notifier: ServiceNotifier
  private let signals: Signals
  private let loop: EventLoop
  private let session: BrokerSession
  private let journal: LinkJournal
  /// As it was at the start.
  private let configuration: FleetConfiguration
  private let load: () throws(ConfigurationFailure) -> FleetConfiguration
  /// Nil for `run`.
  private var viewer: Viewer?
  private var telling: Telling
  /// Nil: waveforms are not written.
  private var waveforms: WaveformKeeper?
  /// Nil: nothing is kept.
  private let archive: Archive?
  /// Nil: nothing is answered over HTTP.
  private let metrics: MetricsService?
  private var fleet: FleetState
  private var clockWatch: ClockWatch
  private var outbox = Outbox()
  private var stateTimer: EventLoop.Timer?
  private var drawTimer: EventLoop.Timer?
  private var sinkTimer: EventLoop.Timer?
  private var waveformTimer: EventLoop.Timer?
  private var keepAliveTimer: EventLoop.Timer?
  private var isStopping = false
  /// A second signal came: nothing is waited for any more.
  private var isImpatient = false
  /// What ended the loop, where it was no signal.
  private var end: Termination?

  /// - Parameters:
  ///   - viewer: what `watch` shows; nil for `run`, which has sinks and publishes instead.
  ///   - load: reads the configuration; again at each SIGHUP.
  init(
    _ viewer: Viewer?, log: Log, environment: [String: String],
    load: @escaping () throws(ConfigurationFailure) -> FleetConfiguration
  ) throws(Termination) {
    self.viewer = viewer
    self.log = log
    self.load = load
    // Before any thread: signals are blocked in this one and in those it starts.
    let stops: Set<ProcessSignal> = viewer?.live == nil ? [] : [.stop, .goOn]
    signals = try Signals(stops.union([.hangUp, .interrupt, .terminate, .windowChange]))
    notifier = ServiceNotifier(environment: environment)
    let configuration = try Watcher.read(load)
    log.level = viewer?.logLevel ?? configuration.logLevel
    for warning in configuration.warnings { log.warning(warning) }
    loop = EventLoop(clock: clock)
    clockWatch = ClockWatch(clock: clock)
    fleet = FleetState(configuration.fleet, clock: clockWatch.state)
    telling = Telling(
      AlertDispatch(viewer == nil ? configuration.sinks.compactMap { makeSink($0) } : []),
      isKept: configuration.store != nil)
    self.configuration = configuration
    metrics = try MetricsService(configuration.http, loop)
    archive = configuration.store.map { [loop, log] in Archive($0, loop, log) }
    waveforms = configuration.waveforms.map { WaveformKeeper($0) }
    if let trouble = configuration.waveforms.flatMap({ WaveformKeeper.trouble($0) }) { log.warning(trouble) }
    journal = LinkJournal(log: log, endpoint: configuration.broker.endpoint)
    session = try Watcher.session(configuration.broker, fleet, viewer)
  }

  private static func read(
    _ load: () throws(ConfigurationFailure) -> FleetConfiguration
  ) throws(Termination) -> FleetConfiguration {
    do throws(ConfigurationFailure) {
      return try load()
    } catch {
      throw error.termination
    }
  }

  private static func session(
    _ broker: BrokerSettings, _ fleet: FleetState, _ viewer: Viewer?
  ) throws(Termination) -> BrokerSession {
    var settings = broker
    settings.subscriptions = (fleet.subscriptions + (viewer?.subscriptions(fleet.configuration) ?? [])).map {
      BrokerSettings.Subscription($0)
    }
    if fleet.configuration.publishes {
      settings.will = Will(topic: fleet.will.topic, payload: fleet.will.payload, isRetained: fleet.will.retained)
    }
    do throws(SettingsProblem) {
      return try BrokerSession(settings, capacity: mailbox)
    } catch {
      throw Termination(.configuration, ["broker: \(error)"])
    }
  }

  /// Runs until a signal ends it, or whoever reads the output goes away.
  func run() throws(Termination) {
    loop.watch(signals.descriptor) { [unowned self] _ in takeSignals() }
    loop.watch(session.descriptor) { [unowned self] _ in takeEvents() }
    stateTimer = loop.timer { [unowned self] _ in
      hand(.tick)
      archive?.pump()
    }
    sinkTimer = loop.timer { [unowned self] _ in retrySinks() }
    waveformTimer = loop.timer { [unowned self] now in keepWaveforms { $0.tick(at: now) } }
    startDrawing()
    startKeepAlive()
    startSinks()
    metrics?.start { [unowned self] in
      .init(fleet: fleet, sinks: telling.states, archive: archive, droppedPublications: outbox.dropped)
    }
    if let archive { archive.start(ports) } else { startSession() }
    defer { viewer?.close() }
    try loop.run()
    finish()
    if let end { throw end }
  }

  private func startSession() {
    attempt { () throws(Termination) in
      do throws(LinkProblem) {
        try session.start()
      } catch {
        throw Termination(.temporary, ["\(error)"])
      }
    }
    if !isStopping { notifier.ready(status: status) }
  }

  /// What was read is kept, even if its nodes can't be told any more: they send it again.
  private func finish() {
    metrics?.stop()
    session.stop(deadlineS: isImpatient ? 0 : Watcher.stopS / 4)
    for entry in telling.stop(withinS: isImpatient ? 0.2 : Watcher.stopS / 4) { write(entry) }
    noteTelling()
    if archive != nil {
      for case .message(let message) in session.drain() { take(.message(message)) }
      archive?.close(withinS: isImpatient ? 0.2 : Watcher.stopS / 4)
    }
    keepWaveforms { $0.finish() }
    if viewer == nil, fleet.tally.received > 0 { log.notice(fleet.tally.account) }
    if viewer == nil, end == nil { log.notice("stopped" + (archive.map { "; \($0.account)" } ?? "")) }
  }

  // MARK: What is kept

  private var ports: Archive.Ports {
    Archive.Ports(
      restore: { [unowned self] kept in
        carryOut(fleet.restore(kept, at: clock.now()))
        stateTimer?.deadline = fleet.nextDeadline(after: clock.now())
      },
      open: { [unowned self] in startSession() },
      hand: { [unowned self] input in
        hand(input)
        if case .store = input { notifier.status(status) }
      },
      carryOut: { [unowned self] in perform($0) }, acknowledge: { [unowned self] in acknowledge($0) },
      time: { [unowned self] in fleet.clock.quality == .none ? nil : fleet.clock.wall(at: clock.now()) },
      paced: { [unowned self] in pace() },
      end: { [unowned self] termination in attempt { () throws(Termination) in throw termination } })
  }

  private func acknowledge(_ settled: Acknowledgement) {
    guard case .connected = fleet.link, let topic = fleet.ackTopic(of: settled.node, boot: settled.boot) else { return }
    let message = AckMessage(boot: settled.boot, sequence: settled.sequence, also: settled.also)
    outbox.append(
      FleetLogic.Publication(topic: topic.description, payload: message.encode(), retained: false))
  }

  /// Leaves the broker's messages where they are while the store is behind: the session then stops reading.
  private func pace() {
    loop.change(session.descriptor, to: archive?.isBehind == true ? [] : .readable)
    send()
  }

  // MARK: Inputs

  private func takeEvents() {
    for event in session.drain() where !(isStopping && end != nil) { take(event) }
    archive?.pump()
    attempt { () throws(Termination) in try viewer?.flush() }
  }

  private func take(_ event: SessionEvent) {
    switch event {
    case .message(let message):
      viewer?.live?.hear(topic: message.topic, payload: message.payload)
      hand(.message(topic: Array(message.topic.utf8), payload: message.payload, retained: message.isRetained))
    case .connected:
      hand(.connected)
      notifier.status(status)
    case .disconnected(let problem, _, _):
      outbox.removeAll()
      if problem.kind != .stopped { hand(.disconnected(reason: problem.description)) }
      notifier.status(status)
    case .delivered: send()
    case .refused(let token, _):
      journal.note(event)
      if token == Outbox.acknowledgement { warnOfSilence() }
      send()
    case .connecting, .subscribed:
      journal.note(event)
      if let reason = event.cutsOff(from: fleet.configuration.prefix) { hand(.disconnected(reason: reason)) }
    }
  }

  private func warnOfSilence() {
    log.change(
      "acknowledgements", .warning,
      "the broker does not let this tool tell nodes what is stored: nodes that know it keep everything, the others go "
        + "by the broker's word; let it publish on \(fleet.configuration.prefix)/+/ack")
  }

  /// Hands an input to the state and carries out what it answers, as soon as what it rests on is kept.
  private func hand(_ input: Input) {
    let now = clock.now()
    if let state = clockWatch.change(at: now) { carryOut(fleet.handle(.clock(state), at: now)) }
    carryOut(fleet.handle(input, at: now))
    stateTimer?.deadline = fleet.nextDeadline(after: now)
  }

  private func carryOut(_ effects: [Effect]) { perform(archive?.take(effects) ?? effects) }

  private func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .alert(let alert):
        for entry in telling.deliver(alert) { write(entry) }
        noteTelling()
      case .publish(let publication): outbox.append(publication)
      case .log(let entry): write(entry)
      case .change(let change):
        guard case .message(let telegram, _, _) = change.kind else { break }
        keepWaveforms { $0.take(telegram, of: change.node, at: change.at.instant) }
      case .link, .keep, .answer: break
      }
      attempt { () throws(Termination) in try viewer?.show(effect, fleet) }
    }
    send()
  }

  private func send() {
    let dropped = outbox.dropped
    outbox.send { session.publish($0) }
    if outbox.dropped > dropped {
      log.change("outbox", .warning, "\(outbox.dropped) publications dropped: the broker takes them too slowly")
    }
    if isStopping, outbox.isEmpty, archive?.isEmpty != false { loop.stop() }
  }

  private func keepWaveforms(_ body: (inout WaveformKeeper) -> [LogEntry]) {
    guard var keeper = waveforms.take() else { return }
    for entry in body(&keeper) { write(entry) }
    waveformTimer?.deadline = keeper.nextDeadline
    waveforms = keeper
  }

  private func startSinks() {
    for entry in telling.start() { write(entry) }
    for descriptor in telling.descriptors {
      loop.watch(descriptor) { [unowned self] _ in
        let entries = telling.settle()
        for entry in entries { write(entry) }
        if !entries.isEmpty { notifier.status(status) }
        noteTelling()
        archive?.pump()
      }
    }
  }

  private func retrySinks() {
    for entry in telling.retry() { write(entry) }
    noteTelling()
    archive?.pump()
  }

  private func noteTelling() {
    if telling.isWaiting { sinkTimer?.deadline = clock.now() + Watcher.sinkRetryS }
    for alert in telling.takeTold() { hand(.told(alert)) }
  }

  private func write(_ entry: LogEntry) {
    if viewer?.isPicture == true { return }
    log.write(entry.level.logLevel, entry.text)
  }

  /// Whoever reads the output may be gone, or the disk be full: then the loop ends.
  private func attempt(_ body: () throws(Termination) -> Void) {
    do throws(Termination) {
      try body()
    } catch {
      end = end ?? error
      isStopping = true
      loop.stop()
    }
  }

  // MARK: Timers

  private func startDrawing() {
    if let live = viewer?.live { return live.start(loop, livePorts) }
    guard viewer?.isPicture == true else { return }
    let timer = loop.timer { [unowned self] now in
      attempt { () throws(Termination) in try viewer?.draw(fleet, at: now) }
      drawTimer?.deadline = now + Viewer.drawingS
    }
    timer.deadline = clock.now()
    drawTimer = timer
  }

  private var livePorts: LiveScreen.Ports {
    LiveScreen.Ports(
      fleet: { [unowned self] in fleet }, quit: { [unowned self] in stop() },
      end: { [unowned self] termination in attempt { () throws(Termination) in throw termination } },
      publish: { [unowned self] in
        outbox.append($0)
        send()
      })
  }

  private func startKeepAlive() {
    guard let interval = notifier.keepAliveInterval else { return }
    let timer = loop.timer { [unowned self] now in
      notifier.keepAlive()
      keepAliveTimer?.deadline = now + interval
    }
    timer.deadline = clock.now()
    keepAliveTimer = timer
  }

  /// One line for `systemctl status`.
  private var status: String {
    StatusLine(
      fleet: fleet, endpoint: "\(configuration.broker.endpoint)", storeTrouble: archive?.trouble,
      sinks: telling.states
    ).text
  }

  // MARK: Signals

  private func takeSignals() {
    while let signal = signals.next() {
      switch signal {
      case .hangUp: reload()
      case .terminate, .interrupt: stop()
      case .windowChange:
        drawTimer?.deadline = clock.now()
        viewer?.live?.redraw()
      case .stop: viewer?.live?.suspend()
      case .goOn: viewer?.live?.resume()
      }
    }
  }

  private func reload() {
    notifier.reloading()
    defer { notifier.ready(status: status) }
    telling.reopen()
    do throws(ConfigurationFailure) {
      let configuration = try load()
      log.level = viewer?.logLevel ?? configuration.logLevel
      for line in configuration.unheeded(by: self.configuration) { log.warning(line) }
      log.notice("files opened again, log level \(configuration.logLevel.rawValue)")
    } catch {
      for problem in error.problems { log.error("\(problem)") }
      log.error("the configuration stays as it was")
    }
  }

  /// Says good-bye, and ends the loop when what waits was handed over, or at the deadline. A second signal ends it at
  /// once.
  private func stop() {
    guard !isStopping else {
      isImpatient = true
      return loop.stop()
    }
    isStopping = true
    notifier.stopping(status: "handing over what waits")
    loop.timer { [unowned self] _ in loop.stop() }.deadline = clock.now() + Watcher.stopS / 2
    hand(.stop)
    archive?.pump()
  }
}
