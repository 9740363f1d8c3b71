public import Telemetry

/// What a person sees of gpsd and of a node's decisions about positions: the link, the newest report, the newest
/// decision, what was published, counts, the last events.
///
/// A whole node runs behind it, so that what is shown here is what would be published: the clock, the outbox and the
/// accelerometer's part in the decisions are those of a node.
public struct FixState: Sendable {
  /// Whether gpsd answers.
  public enum Link: Equatable, Sendable {
    case connecting
    case up(release: String?)
    case down(reason: String)
  }

  /// What the accelerometer can do for the decision about drift.
  public enum Sensor: Equatable, Sendable {
    case looking
    case running(name: String)
    /// It cannot be read, or there is none: why.
    case missing(String)
  }

  /// The last events that are kept.
  static let mostEntries = 10
  /// Receivers and skies that are kept.
  private static let mostDevices = 16

  /// `host:port` of gpsd.
  public let endpoint: String
  public private(set) var link = Link.connecting
  /// Since when.
  public private(set) var linkSince: Instant
  /// gpsd answered at least once.
  public private(set) var hasAnswered = false
  /// The receivers that gpsd has.
  public private(set) var devices: [GpsdDevice] = []
  public private(set) var sensor = Sensor.looking
  /// The newest report of a position, or of none, and when it came.
  private(set) var report: (position: GpsdPosition, at: Instant)?
  /// What each receiver hears.
  private(set) var skies: [GpsdSky] = []
  private(set) var decision: (decision: FixDecision, at: Instant)?
  private(set) var published: (position: LocationMessage.Position, at: Instant)?
  private(set) var loss: (message: LocationMessage.Loss, at: Instant)?
  private(set) var tally = FixTally()
  /// The last of them, the newest at the end.
  private(set) var entries: [FixEntry] = []
  /// The host's, whatever the node makes of GPS time.
  private(set) var hostClock: ClockState
  private(set) var node: Node

  private let prefix: TopicPrefix
  private let name: NodeName
  private var unreadableAt: Instant?

  /// - Parameters:
  ///   - settings: the node's, with `location` and `gpsd`.
  ///   - clock: what the messages' times are made with.
  ///   - record: what a node kept, to go on from: the odometer, and the fences that it was inside of.
  public init(
    _ settings: NodeSettings, prefix: TopicPrefix, name: NodeName, clock: ClockState, record: LocationRecord? = nil,
    at now: Instant
  ) {
    self.prefix = prefix
    self.name = name
    endpoint = settings.gpsd ?? "?"
    linkSince = now
    hostClock = clock
    var settings = settings
    // Nobody's data volume.
    settings.budget = nil
    // Shown is delivered.
    settings.outbox = OutboxSettings()
    node = Node(boot: BootID(0), settings, clock: clock, record: record, at: now)
    _ = node.handle(.link(isConnected: true), at: now)
  }

  /// What the tracker sees.
  public var glance: LocationTracker.Glance? { node.location?.glance }

  /// When `tick` is due at the latest.
  public var nextDeadline: Instant { node.nextDeadline }

  /// Takes what gpsd said, and answers what happened.
  public mutating func handle(_ input: GpsdInput, at now: Instant) -> [FixEntry] {
    let told = watch(input, at: now)
    return note(told, at: now) + carryOut(node.handle(.gpsd(input), at: now), at: now)
  }

  /// Takes what the accelerometer said.
  public mutating func handle(_ report: AccelerometerReport, at now: Instant) -> [FixEntry] {
    var told: [FixEvent] = []
    switch report {
    case .started(let description):
      if sensor != .running(name: description.name) { told.append(.accelerometer("\(description.name) takes part")) }
      sensor = .running(name: description.name)
    case .failed(let reason): told += miss(reason)
    case .samples, .gap, .idle, .woken, .faults: break
    }
    return note(told, at: now) + carryOut(node.handle(.accelerometer(report), at: now), at: now)
  }

  /// The accelerometer cannot even be looked for: why.
  public mutating func lacksSensor(_ reason: String, at now: Instant) -> [FixEntry] { note(miss(reason), at: now) }

  /// Takes the host's clock, when it was set or is worth more or less.
  public mutating func handle(_ clock: ClockState, at now: Instant) -> [FixEntry] {
    hostClock = clock
    return carryOut(node.handle(.clock(clock), at: now), at: now)
  }

  /// Lets time pass.
  public mutating func tick(at now: Instant) -> [FixEntry] { carryOut(node.handle(.tick, at: now), at: now) }

  /// One line for the end: what there was, and what became of it.
  public var summary: String { "\(tally.fixes) fix\(tally.fixes == 1 ? "" : "es"): \(tally.text)" }

  // MARK: What gpsd says

  private mutating func watch(_ input: GpsdInput, at now: Instant) -> [FixEvent] {
    switch input {
    case .link(let link): return take(link, at: now)
    case .unreadable(let problem):
      if let unreadableAt, now - unreadableAt < 1 { return [] }
      unreadableAt = now
      return [.unreadable(problem)]
    case .report(.devices(let devices)): return list(devices)
    case .report(.device(let device)): return change(device)
    case .report(.position(let position)): return take(position, at: now)
    case .report(.sky(let sky)):
      skies.removeAll { $0.device == sky.device }
      skies = Array((skies + [sky]).suffix(FixState.mostDevices))
      return []
    case .report(.error(let reason)): return [.refusal(reason)]
    case .report: return []
    }
  }

  private mutating func take(_ link: GpsdLink, at now: Instant) -> [FixEvent] {
    linkSince = now
    switch link {
    case .up(let release):
      self.link = .up(release: release)
      hasAnswered = true
    case .down(let reason):
      self.link = .down(reason: reason)
      devices = []
      skies = []
      report = nil
    }
    return [.link(link)]
  }

  private mutating func list(_ found: [GpsdDevice]) -> [FixEvent] {
    let new = found.prefix(FixState.mostDevices).filter(\.isActivated).map(withDriver)
    guard new != devices || new.isEmpty else { return [] }
    let isNews = new != devices || entries.last?.event != .devices([])
    devices = new
    return isNews ? [.devices(new)] : []
  }

  private mutating func change(_ device: GpsdDevice) -> [FixEvent] {
    let known = withDriver(device)
    var new = devices
    if let index = new.firstIndex(where: { $0.path == device.path }) {
      if device.isActivated { new[index] = known } else { new.remove(at: index) }
    } else if device.isActivated, new.count < FixState.mostDevices {
      new.append(known)
    }
    return list(new)
  }

  /// After it was added again, gpsd names a receiver without its driver.
  private func withDriver(_ device: GpsdDevice) -> GpsdDevice {
    var device = device
    device.driver = device.driver ?? devices.first { $0.path == device.path }?.driver
    return device
  }

  private mutating func take(_ position: GpsdPosition, at now: Instant) -> [FixEvent] {
    // Of several receivers the followed one is shown, and any where none is.
    if let followed = glance?.devices.first(where: \.isFollowed), let path = position.device, path != followed.path {
      return []
    }
    let before = report.map { $0.position.coordinate != nil }
    report = (position, now)
    guard before != (position.coordinate != nil) else { return [] }
    return [.report(position, sky(of: position.device))]
  }

  /// What a receiver hears; of any where it is not said which.
  func sky(of device: String?) -> GpsdSky? { skies.last { device == nil || $0.device == nil || $0.device == device } }

  // MARK: What the node does

  private mutating func miss(_ reason: String) -> [FixEvent] {
    guard sensor != .missing(reason) else { return [] }
    sensor = .missing(reason)
    return [.accelerometer(FixText.withoutSensor(reason))]
  }

  private mutating func carryOut(_ effects: [NodeEffect], at now: Instant) -> [FixEntry] {
    var told: [FixEntry] = []
    var effects = effects[...]
    while let effect = effects.popFirst() {
      switch effect {
      case .decided(let decision):
        self.decision = (decision, now)
        told += note([.decided(decision)], at: now)
      case .publish(let outgoing):
        told += note(events(outgoing.telegram, at: now), at: now)
        // Shown is delivered.
        if let token = outgoing.token { effects += node.handle(.delivered(token), at: now) }
      case .log, .measureUsage, .keepAwake, .keep, .set, .spool: break
      }
    }
    return told
  }

  /// Only what is about places: what else a node publishes, `tap` shows.
  private mutating func events(_ telegram: Telegram, at now: Instant) -> [FixEvent] {
    let message = FixEvent.published(Topic(prefix: prefix, node: name, stream: telegram.body.stream), telegram)
    switch telegram.body {
    case .location(.fixed(let position)):
      published = (position, now)
      loss = nil
      return [message]
    case .location(.lost(let lost)):
      loss = (lost, now)
      return [.lost(lost), message]
    case .geofence: return [message]
    default: return []
    }
  }

  private mutating func note(_ events: [FixEvent], at now: Instant) -> [FixEntry] {
    let new = events.map { FixEntry(at: now, event: $0) }
    for entry in new {
      tally.count(entry.event)
      guard !isSaid(entry.event) else { continue }
      entries = Array((entries + [entry]).suffix(FixState.mostEntries))
    }
    return new
  }

  /// A message that follows from a decision or a loss is no news beside it.
  private func isSaid(_ event: FixEvent) -> Bool {
    guard case .published(_, let telegram) = event, case .location = telegram.body else { return false }
    switch entries.last?.event {
    case .decided(let decision): if case .published = decision.verdict { return true } else { return false }
    case .lost: return true
    default: return false
    }
  }
}
