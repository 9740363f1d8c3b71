internal import FleetLogic
internal import Telemetry

/// A fleet of many nodes, and the messages that they send.
struct Crowd {
  private static let epoch = 1_796_000_000.0
  private static let siteSize = 100
  /// Between two messages of a node [s].
  private static let intervalS = 10.0

  private(set) var fleet: FleetState
  private(set) var memory: WatchMemory
  private(set) var now = Instant.start
  private let topics: [[Stream: [UInt8]]]
  /// Messages sent in the steady state.
  private var sent = 0

  /// As many nodes that nobody has heard of yet, a hundred at a site.
  init(nodes: Int) {
    var configuration = FleetState.Configuration()
    let names = (0..<nodes).map { "pallet-\($0 * 7919 % nodes)" }
    for (number, name) in names.enumerated() {
      NodeName(name).map { configuration.labels[$0] = Label(site: "site-\(number / Self.siteSize)") }
    }
    configuration.maxNodes = max(configuration.maxNodes, nodes)
    let clock = ClockState(wallAtStart: WallTime(seconds: Self.epoch), quality: .ntp)
    fleet = FleetState(configuration, clock: clock)
    memory = WatchMemory(configuration)
    topics = names.map { name in
      let streams = [Stream.status, .location, .health, .acceleration, .shake]
      return Dictionary(uniqueKeysWithValues: streams.map { ($0, Array("judder/\(name)/\($0.rawValue)".utf8)) })
    }
    _ = fleet.handle(.connected, at: now)
    now = now + 2 * configuration.graceS
  }

  var size: Int { topics.count }

  private mutating func send(_ node: Int, _ body: Telegram.Body, sequence: UInt64? = nil) {
    var envelope = Envelope(boot: BootID(1))
    envelope.sequence = sequence
    envelope.time = WallTime(seconds: Self.epoch + now.seconds)
    envelope.clock = .ntp
    envelope.uptime = 1000 + now.seconds
    let topic = topics[node][body.stream] ?? []
    let payload = Telegram(envelope, body).encode()
    for case .change(let change) in fleet.handle(.message(topic: topic, payload: payload, retained: false), at: now) {
      memory.note(change)
    }
  }

  /// Every node says what it says at its start, one after the other within an interval.
  mutating func gather() {
    var status = StatusMessage(.online)
    status.healthIntervalS = 60
    for node in topics.indices {
      send(node, .status(status))
      send(node, .location(.fixed(Self.position)), sequence: 1)
      send(node, .health(Self.health))
      send(node, .acceleration(Self.acceleration(node)))
      now = now + Self.intervalS / Double(size)
    }
  }

  private static let position = LocationMessage.Position(
    dimensions: 3, latitude: 47.3769, longitude: 8.5417, ageS: 1, cause: .interval, isBacklog: false)

  private static let health = HealthMessage(
    spool: .init(events: 0, bytes: 0, oldestS: nil, evicted: 0),
    link: .init(connects: 1, unacknowledged: 0, dropped: 0, refused: 0))

  private static func acceleration(_ number: Int) -> AccelerationMessage {
    var message = AccelerationMessage(
      windowS: 10, filter: .raw, meanG: Vector(0, 0, 1), count: 1000, missed: 0)
    message.peakG = Double(number % 97) / 100
    return message
  }

  /// Messages of nodes in turn: mostly acceleration, now and then health, and a shake that raises an alert.
  mutating func speak(_ count: Int) {
    for _ in 0..<count {
      let node = sent % size
      switch sent % 50 {
      case 7: shake(node)
      case 20..<27: send(node, .health(Self.health))
      default: send(node, .acceleration(Self.acceleration(sent)))
      }
      sent += 1
      now = now + Self.intervalS / Double(size)
    }
  }

  private mutating func shake(_ node: Int) {
    let start = WallTime(seconds: Self.epoch + now.seconds)
    let shake = ShakeMessage(
      id: sent, phase: .began, reason: nil, start: start, durationS: 0.4, peakG: 1.8, energyG2S: 0.5, cavGS: 0.7,
      reversals: 4, axis: .x)
    send(node, .shake(shake), sequence: UInt64(2 + sent))
  }

  /// So many nodes shake, which raises an alert each.
  mutating func alarm(_ count: Int) {
    for node in 0..<min(count, size) {
      sent += 1
      shake(node * (size / max(1, min(count, size))))
    }
  }

  /// Nobody speaks any more; wakes as a program does, so often. Answers how often that was.
  mutating func wake(_ count: Int) -> Int {
    for number in 0..<count {
      guard let deadline = fleet.nextDeadline(after: now) else { return number }
      now = deadline
      _ = fleet.handle(.tick, at: now)
    }
    return count
  }
}
