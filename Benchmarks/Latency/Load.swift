internal import Glibc
internal import Rig
internal import Telemetry

/// What nodes publish, ready to be sent.
struct NodeMessage {
  let topic: [UInt8]
  let payload: [UInt8]
  let stream: Telemetry.Stream
}

/// 500 nodes that send as nodes do, each in its turn, and those that are shaken, each once.
struct Load {
  /// Of ten messages six are windows of acceleration, three locations; of the rest each second is a health, a status.
  static let nodes = 500

  private let boot = BootID(0x0be9_c4ed)
  private let start = calendarS()
  private var sequences = [UInt64](repeating: 0, count: Load.nodes)
  private var count = 0

  /// What a node says of itself when it connects.
  func greeting(_ node: String) -> NodeMessage {
    var status = StatusMessage(.online)
    status.agent = "judder-node 1.0.0"
    status.accelerometer = "lis3dh"
    status.source = "iio"
    (status.rateHz, status.windowS, status.preset) = (100, 1, "vehicle")
    (status.isArmed, status.gpsd, status.healthIntervalS) = (true, "localhost:2947", 60)
    return message(node, .status(status))
  }

  static func node(_ number: Int) -> String { "node-\(number)" }

  /// The next one of any node.
  mutating func next() -> NodeMessage {
    let (node, turn) = (count % Load.nodes, count / Load.nodes + count)
    count += 1
    let name = Load.node(node)
    switch turn % 20 {
    case 0: return greeting(name)
    case 10: return message(name, .health(health))
    case let place where place % 10 < 7: return message(name, .acceleration(window(count)))
    default:
      sequences[node] += 1
      return message(name, .location(.fixed(position(node, sequences[node]))), sequences[node])
    }
  }

  /// The only event of a node that was shaken.
  func shake(_ node: String) -> NodeMessage {
    let now = WallTime(seconds: calendarS())
    let shake = ShakeMessage(
      id: 1, phase: .began, start: now, durationS: 0.31, peakG: 2.134, energyG2S: 0.482, cavGS: 0.377,
      frequencyHz: 4.6, reversals: 4, axis: .x,
      place: nil)
    return message(node, .shake(shake), 1)
  }

  private func message(_ node: String, _ body: Telegram.Body, _ sequence: UInt64? = nil) -> NodeMessage {
    let now = calendarS()
    let telegram = Telegram(
      Envelope(
        boot: boot, sequence: sequence, time: WallTime(seconds: now), clock: .ntp, uptime: now - start), body)
    let stream = telegram.body.stream
    return NodeMessage(
      topic: Array("judder/\(node)/\(stream.rawValue)".utf8), payload: telegram.encode(), stream: stream)
  }

  private func window(_ number: Int) -> AccelerationMessage {
    var window = AccelerationMessage(
      windowS: 0.99, filter: .gravity, meanG: Vector(0.0123, -0.0081, 0.9967), count: 100, missed: 0)
    window.rmsG = 0.0131 + Double(number % 97) * 0.0007
    window.peakG = 0.0713
    window.peakToPeakG = Vector(0.081, 0.077, 0.102)
    (window.rateHz, window.clipped) = (99.83, 0)
    return window
  }

  private func position(_ node: Int, _ sequence: UInt64) -> LocationMessage.Position {
    var position = LocationMessage.Position(
      dimensions: 3, latitude: 47 + Double(node) * 0.001, longitude: 8.5 + Double(sequence) * 0.0001, ageS: 0.31,
      cause: .distance)
    (position.accuracyM, position.accuracySource) = (3.82, .eph)
    return position
  }

  private var health: HealthMessage {
    var health = HealthMessage(
      spool: .init(events: 0, bytes: 0, oldestS: nil, evicted: 0),
      link: .init(connects: 1, unacknowledged: 0, dropped: 0, refused: 0))
    health.accelerometer = .init(state: .running, gaps: 0, dropped: 0)
    health.gps = .init(state: .fix, rejected: 0, badLines: 0)
    return health
  }
}
