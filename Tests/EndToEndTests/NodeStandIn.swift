import Foundation
import MQTT
import Rig
import Telemetry

/// Nodes that publish numbered events at a steady rate, and send each again until the fleet tool has acknowledged it,
/// as a node does; and an ear for acknowledgements and alerts.
///
/// `@unchecked Sendable`: everything that changes is only touched under the lock.
final class NodeStandIn: @unchecked Sendable {
  struct Waiting {
    var node: Int
    var sequence: UInt64
    var sentAt: Double
  }

  let boot = BootID(0x00c0_ffee)
  let nodes: [String]
  private let session: BrokerSession
  private let rateHz: Double
  /// Every so many events of a node one is a shake.
  private let shakeEvery: UInt64
  private let lock = NSLock()
  private let start = Date().timeIntervalSince1970
  private var isOver = false
  private var isPublishing = true
  private var published = 0, resent = 0
  private var next: [UInt64]
  private var settled: [UInt64]
  private var waiting: [UInt64: Waiting] = [:]
  private var alertLines: [AlertMessage] = []
  private var isConnected = false

  /// Begins at once.
  init(port: Int, nodes count: Int = 4, rateHz: Double, shakeEvery: UInt64 = 100) throws {
    nodes = (1...count).map { "stand-in-\($0)" }
    next = Array(repeating: 1, count: count)
    settled = Array(repeating: 0, count: count)
    self.rateHz = rateHz
    self.shakeEvery = shakeEvery
    var settings = BrokerSettings(host: "127.0.0.1")
    settings.port = port
    settings.clientID = "stand-in"
    settings.sessionExpiryS = 3600
    settings.window = 100
    settings.queueCapacity = 1000
    settings.subscriptions = [
      BrokerSettings.Subscription("judder/+/ack"), BrokerSettings.Subscription("judder-fleet/alerts/+/+"),
    ]
    session = try BrokerSession(settings, capacity: 10_000)
    try session.start()
    Thread.detachNewThread { self.run() }
  }

  deinit { session.stop(deadlineS: 1) }

  /// No new events from now on; what was not acknowledged is sent again.
  func finish() { lock.withLock { isPublishing = false } }
  func stop() { lock.withLock { isOver = true } }

  /// Events published so far, those that came again apart.
  var count: Int { lock.withLock { published } }
  var resends: Int { lock.withLock { resent } }
  /// Events that nobody has acknowledged yet.
  var unsettled: Int { lock.withLock { waiting.count } }
  /// Live messages on the topics of alerts that say something.
  var alerts: [AlertMessage] { lock.withLock { alertLines } }
  /// How many events of each node, and how many of them are shakes.
  var numbers: [(node: String, events: UInt64, shakes: UInt64)] {
    lock.withLock { zip(nodes, next).map { ($0, $1 - 1, ($1 - 1) / shakeEvery) } }
  }

  private func run() {
    while !lock.withLock({ isOver }) {
      for event in session.drain() { lock.withLock { take(event) } }
      lock.withLock { send() }
      usleep(5000)
    }
  }

  private func take(_ event: SessionEvent) {
    switch event {
    case .connected: isConnected = true
    case .disconnected: isConnected = false
    case .message(let message):
      if let topic = AckTopic(message.topic, under: PrefixPattern(.standard)),
        let ack = try? AckMessage.decode(payload: message.payload), ack.boot == boot,
        let node = nodes.firstIndex(of: topic.node.description)
      {
        return settle(node, ack)
      }
      if !message.isRetained, let alert = try? AlertMessage.decode(payload: message.payload) {
        alertLines.append(alert)
      }
    default: break
    }
  }

  private func key(_ node: Int, _ sequence: UInt64) -> UInt64 { UInt64(node) << 40 | sequence }

  private func settle(_ node: Int, _ ack: AckMessage) {
    if ack.sequence > settled[node] {
      for sequence in (settled[node] + 1)...ack.sequence { waiting[key(node, sequence)] = nil }
      settled[node] = ack.sequence
    }
    for range in ack.also { for sequence in range { waiting[key(node, sequence)] = nil } }
  }

  private func send() {
    guard isConnected else { return }
    let now = Date().timeIntervalSince1970
    // What has waited for two seconds, the oldest first.
    for (key, entry) in waiting.filter({ now - $0.value.sentAt > 2 }).sorted(by: { $0.key < $1.key }).prefix(200) {
      guard publish(entry.node, entry.sequence) else { return }
      waiting[key]?.sentAt = now
      resent += 1
    }
    guard isPublishing else { return }
    while Double(published) < (now - start) * rateHz {
      let node = published % nodes.count
      guard waiting.count < 20_000, publish(node, next[node]) else { return }
      waiting[key(node, next[node])] = Waiting(node: node, sequence: next[node], sentAt: now)
      next[node] += 1
      published += 1
    }
  }

  private func publish(_ node: Int, _ sequence: UInt64) -> Bool {
    let telegram = Telegram(
      Envelope(
        boot: boot, sequence: sequence, time: WallTime(seconds: start + Double(sequence) * 0.001), clock: .ntp,
        uptime: Double(sequence) * 0.001), body(sequence))
    let publication = MQTT.Publication(
      topic: "judder/\(nodes[node])/\(telegram.body.stream.rawValue)", payload: telegram.encode(), token: sequence)
    return session.publish(publication) == .accepted
  }

  /// The same each time that it is sent.
  private func body(_ sequence: UInt64) -> Telegram.Body {
    if sequence.isMultiple(of: shakeEvery) {
      var shake = ShakeMessage(
        id: Int(sequence), phase: .ended, start: WallTime(seconds: start), durationS: 2, peakG: 1.5, energyG2S: 0.5,
        cavGS: 0.7, reversals: 4, axis: .x)
      shake.end = WallTime(seconds: start + 2)
      return .shake(shake)
    }
    let latitude = 47 + Double(sequence % 1000) * 0.001
    return .location(
      .fixed(
        LocationMessage.Position(dimensions: 3, latitude: latitude, longitude: 8.5, ageS: 0.1, cause: .distance)))
  }
}
