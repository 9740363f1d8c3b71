import FleetLogic
import Telemetry

/// A fleet under test, its clock, and nodes that speak to it.
struct Bench {
  static let epoch = 1_796_000_000.0

  var fleet: FleetState
  var now = Instant.start
  /// Nothing reaches the fleet tool.
  var isDeaf = false
  /// The last payload on each topic, whether it was heard or not.
  private(set) var lastPayloads: [String: [UInt8]] = [:]
  /// The next sequence number of each node.
  private var sequences: [String: UInt64] = [:]

  init(_ configuration: FleetState.Configuration = FleetState.Configuration(), connected: Bool = true) {
    fleet = FleetState(
      configuration, clock: ClockState(wallAtStart: WallTime(seconds: Self.epoch), quality: .ntp))
    if connected { _ = fleet.handle(.connected, at: now) }
  }

  /// One rule only, and no grace.
  init(rule: Rule, graceS: Double = 0) {
    self.init(FleetState.Configuration(graceS: graceS, rules: [rule]))
  }

  // MARK: Time

  /// Lets time pass as the shell does: waking at each deadline.
  mutating func pass(_ seconds: Double) -> [Effect] {
    let end = now + seconds
    var effects: [Effect] = []
    var wakings = 0
    while let deadline = fleet.nextDeadline(after: now), deadline <= end, wakings < 10_000 {
      now = max(now, deadline)
      effects += fleet.handle(.tick, at: now)
      wakings += 1
    }
    now = end
    return effects + fleet.handle(.tick, at: now)
  }

  // MARK: Messages

  mutating func raw(_ topic: String, _ payload: [UInt8], retained: Bool = false) -> [Effect] {
    lastPayloads[topic] = payload
    if isDeaf { return [] }
    return fleet.handle(.message(topic: Array(topic.utf8), payload: payload, retained: retained), at: now)
  }

  /// A message of a node. Events are numbered, unless a number is given.
  /// - Parameter offS: how far the node's clock is ahead.
  @discardableResult
  mutating func send(
    _ node: String, _ body: Telegram.Body, boot: UInt32 = 1, seq: UInt64? = nil, retained: Bool = false,
    clock: ClockQuality = .ntp, sentAgo: Double = 0, offS: Double = 0
  ) -> [Effect] {
    var envelope = Envelope(boot: BootID(boot))
    if body.stream.isEvent {
      let key = "\(node)/\(boot)"
      envelope.sequence = seq ?? (sequences[key] ?? 1)
      sequences[key] = max(sequences[key] ?? 1, (envelope.sequence ?? 0) + 1)
    }
    envelope.time = WallTime(seconds: Self.epoch + now.seconds - sentAgo + offS)
    envelope.clock = clock
    // Each boot starts 100 s after the one before.
    envelope.uptime = 100_000 + now.seconds - sentAgo - 100 * Double(boot)
    return raw("judder/\(node)/\(body.stream.rawValue)", Telegram(envelope, body).encode(), retained: retained)
  }

  mutating func will(_ node: String, boot: UInt32 = 1, retained: Bool = false) -> [Effect] {
    let payload = Telegram(Envelope(boot: BootID(boot)), .status(StatusMessage(.lost))).encode()
    return raw("judder/\(node)/status", payload, retained: retained)
  }

  func node(_ name: String) -> Node? { NodeName(name).flatMap { fleet.node($0) } }
}

extension Telegram.Body {
  static func online(healthS: Double = 300) -> Telegram.Body {
    var status = StatusMessage(.online)
    status.agent = "0.1.0"
    status.healthIntervalS = healthS
    return .status(status)
  }

  static var stopped: Telegram.Body { .status(StatusMessage(.stopped)) }

  static func shake(_ id: Int, _ phase: ShakeMessage.Phase = .began, peak: Double = 1.8) -> Telegram.Body {
    .shake(
      ShakeMessage(
        id: id, phase: phase, reason: phase == .cancelled ? .tooLong : nil, start: WallTime(seconds: Bench.epoch),
        durationS: phase == .began ? 0.4 : 2.5, peakG: peak, energyG2S: 0.5, cavGS: 0.7, reversals: 4, axis: .x))
  }

  static func fix(_ latitude: Double = 47.3769, lostS: Double? = nil, backlog: Bool = false) -> Telegram.Body {
    var position = LocationMessage.Position(
      dimensions: 3, latitude: latitude, longitude: 8.5417, ageS: 1, cause: .interval, isBacklog: backlog)
    position.accuracyM = 4.2
    position.lostS = lostS
    return .location(.fixed(position))
  }

  /// - Parameter ageS: of the last position; nil: there never was one.
  static func noFix(
    _ reason: LocationMessage.Loss.Reason = .noFix, ageS: Double? = 30, backlog: Bool = false
  ) -> Telegram.Body {
    .location(
      .lost(
        LocationMessage.Loss(
          reason: reason,
          last: ageS.map {
            LocationMessage.Loss.Last(
              latitude: 47.3769, longitude: 8.5417, accuracyM: 4, time: WallTime(seconds: Bench.epoch), ageS: $0)
          },
          isBacklog: backlog)))
  }

  static func crossing(
    _ event: GeofenceMessage.Event, of fence: String = "depot", isFirst: Bool = false, insideS: Double? = nil
  ) -> Telegram.Body {
    .geofence(
      GeofenceMessage(
        fence: fence, event, isFirst: isFirst, latitude: 47.3769, longitude: 8.5417, accuracyM: 4, ageS: 0.5,
        edgeM: 12, insideS: insideS))
  }

  static func face(_ face: Face) -> Telegram.Body {
    .orientation(OrientationMessage(face: face, previous: .unknown, tiltDeg: 0, up: Vector(0, 0, 1)))
  }

  static func acceleration(peak: Double = 0.03) -> Telegram.Body {
    var message = AccelerationMessage(windowS: 10, filter: .raw, meanG: Vector(0, 0, 1), count: 1000, missed: 0)
    message.peakG = peak
    return .acceleration(message)
  }

  static var health: Telegram.Body {
    .health(
      HealthMessage(
        spool: .init(events: 0, bytes: 0, oldestS: nil, evicted: 0),
        link: .init(connects: 1, unacknowledged: 0, dropped: 0, refused: 0)))
  }
}

extension [Effect] {
  /// Alerts as `rule node state count`.
  var alerts: [String] {
    compactMap {
      if case .alert(let alert) = $0 {
        "\(alert.rule) \(alert.subject) \(alert.state.rawValue) \(alert.count)"
      } else {
        nil
      }
    }
  }

  var fullAlerts: [Alert] { compactMap { if case .alert(let alert) = $0 { alert } else { nil } } }

  var publications: [Publication] { compactMap { if case .publish(let publication) = $0 { publication } else { nil } } }

  var logLines: [String] { compactMap { if case .log(let entry) = $0 { entry.text } else { nil } } }

  var changes: [Change] { compactMap { if case .change(let change) = $0 { change } else { nil } } }

  /// Everything that these effects would show or publish.
  var shown: [String] {
    flatMap { effect -> [String] in
      switch effect {
      case .alert(let alert):
        [PlainLine.of(alert), String(decoding: FleetJSON.alert(alert), as: UTF8.self), alert.summary, alert.reason]
      case .publish(let publication): [publication.topic, String(decoding: publication.payload, as: UTF8.self)]
      case .change(let change): PlainLine.of(change).map { [$0] } ?? []
      case .link(let link, let moment):
        [PlainLine.of(link, at: moment) ?? "", String(decoding: FleetJSON.link(link, at: moment) ?? [], as: UTF8.self)]
      case .log(let entry): [entry.text]
      case .keep, .answer: []
      }
    }
  }
}
