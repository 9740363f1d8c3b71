public import Telemetry

/// A whole node as a value: readings, fixes and the state of the link go in; messages to publish come out.
///
/// It keeps no clock and never waits. The shell hands in each input with the moment it came, calls `tick` at
/// `nextDeadline`, and carries the effects out in their order.
public struct Node: Sendable {
  /// A first health message comes so soon after the start [s], so that whoever installs a node sees its condition.
  private static let firstHealthS = 10.0

  /// This run, as every message names it.
  public let boot: BootID
  public private(set) var settings: NodeSettings
  /// Which calendar time counts.
  public internal(set) var time: NodeClock
  /// When instants stood.
  var sleeps = SleepLog()
  /// The moment of the last input.
  private var lastAt: Instant
  var motion: MotionPipeline?
  var location: LocationTracker?
  var keeping: LocationKeeping
  var outbox: Outbox
  var budget: DataBudget?
  var commands = CommandDesk()
  /// A calibration that was asked for and goes on.
  var restMeasurement: RestMeasurement?
  /// As the node was told last; it outlasts the sensor.
  var isArmed = true
  private var sensor: AccelerometerDescription?
  private var connects = 0
  private var dropped = 0
  private var healthDue: Instant
  /// The last change of orientation.
  private var turn: OrientationChange?
  private var isStopping = false
  /// The broker has said that it ends the connection.
  var isThrownOut = false
  /// Acknowledgements that could not be read, since the start.
  public internal(set) var badAcks = 0

  /// - Parameters:
  ///   - clock: the system clock, until the shell says otherwise.
  ///   - record: what an earlier run kept.
  public init(
    boot: BootID, _ settings: NodeSettings, clock: ClockState, record: LocationRecord? = nil, at now: Instant = .start
  ) {
    self.boot = boot
    self.settings = settings
    time = NodeClock(system: clock)
    lastAt = now
    motion = settings.motion.map { MotionPipeline($0) }
    let keeping = LocationKeeping(record, at: now)
    self.keeping = keeping
    location = settings.location.map { keeping.tracker($0, at: now) }
    outbox = Outbox(boot: boot, settings.outbox, at: now)
    budget = settings.budget.map { DataBudget($0, at: now) }
    healthDue = now + min(Node.firstHealthS, settings.healthIntervalS)
  }

  /// How to turn instants into wall time just now.
  var clock: ClockState { time.state }

  /// The time by GPS, where it counts because nothing disciplines the system clock; nil: the system clock is as good.
  public func trustedTime(at now: Instant) -> WallTime? {
    time.source == .gps && time.state.quality == .gps ? time.state.wall(at: now) : nil
  }

  /// There is a connection to the broker.
  var isConnected: Bool { outbox.isConnected }

  /// Makes windows so many times longer than configured.
  mutating func setStretch(_ stretch: Double) { motion?.setStretch(stretch) }

  /// Events whose duty has not ended, in memory and on the disk.
  public var pendingEvents: Int { outbox.count }
  /// Of those the ones in memory alone: they end with the process.
  public var unsavedEvents: Int { outbox.unsaved }
  /// Events that are under way, or about to be.
  public var imminentEvents: Int { outbox.imminent }

  /// What the motion part sees just now; nil where there is none.
  public var motionGlance: MotionGlance? { motion?.glance }

  /// When `tick` is due at the latest.
  public var nextDeadline: Instant {
    [healthDue, motion?.nextDeadline, location?.nextDeadline, outbox.nextDeadline, restMeasurement?.deadline]
      .compactMap { $0 }.min() ?? healthDue
  }

  /// Takes what happened, and answers what the shell has to do about it.
  public mutating func handle(_ input: NodeInput, at now: Instant) -> [NodeEffect] {
    var effects: [NodeEffect] = []
    if case .suspended(let seconds) = input { wake(after: seconds, since: lastAt, at: now, &effects) }
    lastAt = now
    if let note = time.review(at: now) { effects.append(.log(note)) }
    switch input {
    case .accelerometer(let report): take(report, at: now, &effects)
    case .gpsd(let input): take(input, at: now, &effects)
    case .link(let isConnected):
      budget?.setConnected(isConnected, at: now)
      isConnected ? connect(at: now, &effects) : disconnect(at: now)
    case .thrownOut: isThrownOut = true
    case .delivered, .unheard, .denied, .refused, .full, .acknowledged, .spool: settle(input, at: now, &effects)
    case .dropped: dropped += 1
    case .command(let payload, let isRetained): take(payload, isRetained: isRetained, at: now, &effects)
    case .answered(let answer): settle(answer, at: now, &effects)
    case .clock(let clock): if let note = time.setSystem(clock, at: now) { effects.append(.log(note)) }
    case .usage(let load): publish(.health(health(load, at: now)), at: now, &effects)
    case .suspended: break
    case .tick: tick(at: now, &effects)
    case .stop: stop(at: now, &effects)
    }
    flush(at: now, &effects)
    return effects
  }

  /// Takes new settings: what is unchanged goes on undisturbed, and everything counted or waiting stays.
  public mutating func reconfigure(_ settings: NodeSettings, at now: Instant) -> [NodeEffect] {
    var effects: [NodeEffect] = []
    reconfigureMotion(settings.motion, at: now, &effects)
    reconfigureLocation(settings.location, at: now, &effects)
    if settings.healthIntervalS != self.settings.healthIntervalS {
      healthDue = min(healthDue, now + settings.healthIntervalS)
    }
    let isTurned = settings.convention != self.settings.convention
    self.settings = settings
    if isTurned, let turn, motion?.isArmed == true {
      append(.orientation(turn.message(in: settings.convention)), at: turn.at, &effects)
    }
    reconfigureBudget(settings.budget, at: now)
    outbox.reconfigure(settings.outbox, at: now)
    publish(.status(status(.online)), at: now, &effects)
    flush(at: now, &effects)
    return effects
  }

  /// What is to be kept, though nothing changed: for a shell that keeps it in another place from now on.
  public mutating func keepAnew(at now: Instant) -> [NodeEffect] {
    var effects: [NodeEffect] = []
    keepLocation(.atOnce, at: now, &effects)
    if effects.isEmpty, let kept = keeping.kept { effects.append(.keep(kept)) }
    return effects
  }

  /// Says good-bye to a broker that the node is about to leave for another one: what it keeps of the node must not say
  /// that the node is there.
  public mutating func leaveBroker(at now: Instant) -> [NodeEffect] {
    var effects: [NodeEffect] = []
    publish(.status(status(.stopped)), at: now, &effects)
    return effects
  }

  private mutating func reconfigureMotion(_ new: MotionSettings?, at now: Instant, _ effects: inout [NodeEffect]) {
    guard let new else {
      if let outputs = motion?.stop(at: now) { carryOut(outputs, at: now, &effects) }
      motion = nil
      sensor = nil
      giveUpRest("the sensor was taken out of the configuration", at: now, &effects)
      turn = nil
      return
    }
    if let outputs = motion?.reconfigure(new, at: now) {
      carryOut(outputs, at: now, &effects)
    } else {
      motion = MotionPipeline(new)
      if !isArmed { _ = motion?.disarm(at: now) }
    }
  }
}

// MARK: - Inputs

extension Node {
  private mutating func take(_ report: AccelerometerReport, at now: Instant, _ effects: inout [NodeEffect]) {
    guard let outputs = motion?.handle(report, at: now) else { return }
    carryOut(outputs, at: now, &effects)
    feelMotion(at: now)
    measureRest(report, at: now, &effects)
    remindOfWatcher(report, &effects)
    guard case .started(let description) = report else { return }
    effects.append(.log(Note(.notice, "accelerometer", description.summary)))
    guard description != sensor else { return }
    sensor = description
    publish(.status(status(.online)), at: now, &effects)
  }

  private mutating func connect(at now: Instant, _ effects: inout [NodeEffect]) {
    connects += 1
    outbox.connect(at: now)
    publish(.status(status(.online)), at: now, &effects)
    // What changed while offline, or was under way when the link broke, is published late and not retained, and the
    // broker may have forgotten everything: who subscribes next is owed the present state.
    if let present = location?.present(at: now) { carryOut([present], at: now, &effects) }
    if !outbox.holdsNewest(of: .orientation) { repeatOrientation(at: now, &effects) }
  }

  /// Publishes once more which side is up, for whoever subscribes next: the same event under the same number, which
  /// says nothing new and need not be kept again. Not where the node was told to keep what it measures to itself: what
  /// it knew before that may not be so any more.
  private mutating func repeatOrientation(at now: Instant, _ effects: inout [NodeEffect]) {
    guard let turn, motion?.isArmed == true else { return }
    let body = Telegram.Body.orientation(turn.message(in: settings.convention))
    // One that was given up, and told so, is not to come nevertheless.
    guard let sequence = outbox.nameNewest(of: .orientation, by: clock(at: turn.at)) else {
      return append(body, at: turn.at, &effects)
    }
    var telegram = Telegram(envelope(turn.at), body)
    telegram.envelope.sequence = sequence
    handOver(Outgoing(telegram: telegram, isRetained: true), at: now, &effects)
  }

  private mutating func tick(at now: Instant, _ effects: inout [NodeEffect]) {
    if let outputs = motion?.tick(at: now) { carryOut(outputs, at: now, &effects) }
    feelMotion(at: now)
    reviewRest(at: now, &effects)
    if let outputs = location?.tick(at: now) {
      learnTime(at: now, &effects)
      carryOut(outputs, at: now, &effects)
    }
    keepLocation(.whenDue, at: now, &effects)
    guard now >= healthDue, !isStopping else { return }
    healthDue = now + settings.healthIntervalS
    effects.append(.measureUsage)
  }

  private mutating func stop(at now: Instant, _ effects: inout [NodeEffect]) {
    isStopping = true
    giveUpRest("the node was stopped", at: now, &effects)
    if let outputs = motion?.stop(at: now) { carryOut(outputs, at: now, &effects) }
    keepLocation(.atOnce, at: now, &effects)
    flush(at: now, &effects)
    publish(.status(status(.stopped)), at: now, &effects)
  }
}

// MARK: - Outputs

extension Node {
  mutating func carryOut(_ outputs: [MotionOutput], at now: Instant, _ effects: inout [NodeEffect]) {
    for output in outputs {
      switch output {
      case .shake(let event):
        effects.append(.log(event.note))
        let message = event.message(clock: clock(at: event.at), place: place(at: event.at))
        append(.shake(message), at: event.at, &effects)
      case .impact(let event):
        effects.append(.log(event.note))
        append(.impact(event.message(clock: clock(at: event.at), place: place(at: event.at))), at: event.at, &effects)
      case .freeFall(let event):
        effects.append(.log(event.note))
        append(.freeFall(event.message(clock: clock(at: event.at), place: place(at: event.at))), at: event.at, &effects)
      case .orientation(let change):
        turn = change
        append(.orientation(change.message(in: settings.convention)), at: change.at, &effects)
      case .acceleration(let window):
        publish(.acceleration(window.message(in: settings.convention)), at: window.end, &effects)
      case .waveform(let chunk):
        append(.waveform(chunk.message(clock: clock(at: chunk.end), in: settings.convention)), at: chunk.end, &effects)
      case .warning(let warning):
        let level = warning.isProblem ? Note.Level.warning : .notice
        effects.append(.log(Note(level, "accelerometer", "accelerometer: \(warning)")))
      }
    }
  }

  /// Puts an event into the outbox; `flush` hands it over.
  mutating func append(_ body: Telegram.Body, at measured: Instant, _ effects: inout [NodeEffect]) {
    outbox.append(Telegram(envelope(measured), body), at: measured)
  }

  /// Hands over a message that is no event, or counts it as dropped.
  mutating func publish(_ body: Telegram.Body, at measured: Instant, _ effects: inout [NodeEffect]) {
    guard outbox.isConnected else {
      // A status is published anew on each connect: nothing is lost with it.
      if body.stream != .status { dropped += 1 }
      return
    }
    let telegram = Telegram(envelope(measured), body)
    handOver(Outgoing(telegram: telegram, isRetained: body.stream.isRetained), at: measured, &effects)
  }

  private mutating func handOver(_ outgoing: Outgoing, at now: Instant, _ effects: inout [NodeEffect]) {
    effects.append(.publish(outgoing))
    if budget != nil { charge(outgoing, at: now, &effects) }
  }

  private mutating func flush(at now: Instant, _ effects: inout [NodeEffect]) {
    for telling in outbox.takeTellings(at: now, isForced: isStopping) {
      outbox.append(Telegram(envelope(now), .evicted(telling.message)), note: telling.note, at: now)
    }
    outbox.note(clock)
    let outgoing = outbox.next(at: now, clock: clock, sleeps: sleeps)
    // Kept first, then sent.
    effects += outbox.takeWishes(at: now).map { .spool($0) }
    for next in outgoing { handOver(next, at: now, &effects) }
    effects += outbox.takeNotices().map { .log($0.note) }
  }

  private func envelope(_ measured: Instant) -> Envelope {
    Envelope(
      boot: boot, time: clock(at: measured).wall(at: measured), clock: clock.quality,
      // A scan may have been taken just before the process started.
      uptime: max(0, measured.seconds))
  }
}

// MARK: - Messages about the node itself

extension Node {
  func status(_ state: StatusMessage.State) -> StatusMessage {
    var status = StatusMessage(state)
    status.agent = softwareVersion
    status.accelerometer = sensor?.name
    status.source = sensor?.source.rawValue
    status.rateHz = sensor?.rateHz
    status.windowS = settings.motion?.acceleration.windowS
    status.isArmed = motion?.isArmed
    status.preset = settings.motion?.preset.rawValue
    status.gpsd = settings.gpsd
    status.healthIntervalS = settings.healthIntervalS
    status.set = settings.set
    return status
  }

  private mutating func health(_ load: ProcessLoad, at now: Instant) -> HealthMessage {
    var health = HealthMessage(
      spool: outbox.health(at: now, clock: clock, sleeps: sleeps),
      link: HealthMessage.Link(
        connects: connects, unacknowledged: outbox.underWayCount, dropped: dropped,
        refused: outbox.lost[.refused] ?? 0))
    health.accelerometer = motion?.health(at: now)
    health.gps = location?.health(at: now)
    if time.rollovers > 0, let gps = health.gps {
      var faults = gps.faults ?? HealthMessage.GPS.Faults()
      faults.rollovers = time.rollovers
      health.gps?.faults = faults
    }
    health.budget = budgetHealth
    health.residentKB = load.residentKB
    health.processorS = load.processorS
    return health
  }
}
