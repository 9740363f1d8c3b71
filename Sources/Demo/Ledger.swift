internal import Telemetry

/// What was heard on the broker: counted, and remembered as far as the summary needs it.
struct Ledger {
  /// Messages by node and stream.
  private(set) var messages: [NodeName: [Stream: Int]] = [:]
  private(set) var shakes: [ShakeMessage.Phase: Int] = [:]
  /// How often an alert of a rule took a state.
  private(set) var alerts: [String: [AlertMessage.State: Int]] = [:]
  /// The nodes that an alert of a rule was about.
  private(set) var alerted: [String: Set<String>] = [:]
  private(set) var boots: [NodeName: Set<BootID>] = [:]
  private(set) var losses: [LocationMessage.Loss.Reason: Int] = [:]
  private(set) var positions: [LocationMessage.Position.Cause: Int] = [:]
  /// What is worth a line as soon as it is heard, and that no alert tells.
  private var news: [String] = []
  /// How often a fence was entered and left.
  private(set) var crossings: [GeofenceMessage.Event: Int] = [:]
  private(set) var lastStates: [NodeName: StatusMessage.State] = [:]
  private(set) var wills = 0
  /// The numbers of the events that were heard, and what the fleet tool has acknowledged of each run.
  private var events: [NodeName: [BootID: Set<UInt64>]] = [:]
  private var acknowledged: [NodeName: [BootID: AckMessage]] = [:]
  /// What was no message of the contract, with the reason.
  private(set) var unreadable: [String] = []
  private let nodes = PrefixPattern(.standard)

  /// - Parameter line: `topic payload`, ; nothing after the topic is a retained message that was cleared.
  mutating func take(_ line: Substring) {
    let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else { return }
    let payload = Array(parts[1].utf8)
    do throws(DecodingProblem) {
      if let topic = try? Topic(parts[0], under: nodes) {
        take(try Telegram.decode(stream: topic.stream, payload: payload), of: topic.node)
      } else if let topic = AckTopic(parts[0], under: nodes) {
        let ack = try AckMessage.decode(payload: payload)
        acknowledged[topic.node, default: [:]][ack.boot] = ack
      } else if let topic = FleetTopic(parts[0], under: .standardFleet) {
        if case .alert = topic { take(try AlertMessage.decode(payload: payload)) }
      } else {
        unreadable.append("\(parts[0]): no topic of the contract")
      }
    } catch {
      unreadable.append("\(parts[0]): \(error)")
    }
  }

  private mutating func take(_ telegram: Telegram, of node: NodeName) {
    messages[node, default: [:]][telegram.body.stream, default: 0] += 1
    boots[node, default: []].insert(telegram.envelope.boot)
    if let sequence = telegram.envelope.sequence {
      events[node, default: [:]][telegram.envelope.boot, default: []].insert(sequence)
    }
    switch telegram.body {
    case .status(let status):
      lastStates[node] = status.state
      if status.state == .lost { wills += 1 }
    case .shake(let shake): shakes[shake.phase, default: 0] += 1
    case .location(.fixed(let position)): positions[position.cause, default: 0] += 1
    case .location(.lost(let loss)): losses[loss.reason, default: 0] += 1
    case .geofence(let crossing):
      crossings[crossing.event, default: 0] += 1
      if crossing.event == .enter { news.append("\(node) came into the fence \(crossing.fence)") }
    case .acceleration, .waveform, .impact, .freeFall, .orientation, .health, .reply, .evicted: break
    }
  }

  private mutating func take(_ alert: AlertMessage) {
    alerts[alert.rule, default: [:]][alert.state, default: 0] += 1
    alerted[alert.rule, default: []].insert(alert.node ?? "")
  }

  /// The news since the last time.
  mutating func takeNews() -> [String] {
    defer { news = [] }
    return news
  }

  /// Events that were heard, and how many of them the fleet tool says it has stored.
  var delivery: (events: Int, stored: Int) {
    var (count, stored) = (0, 0)
    for (node, boots) in events {
      for (boot, numbers) in boots {
        count += numbers.count
        guard let ack = acknowledged[node]?[boot] else { continue }
        stored += numbers.count { number in number <= ack.sequence || ack.also.contains { $0.contains(number) } }
      }
    }
    return (count, stored)
  }

  func count(_ stream: Stream) -> Int { messages.values.reduce(0) { $0 + ($1[stream] ?? 0) } }
  func count(_ rule: String, _ state: AlertMessage.State) -> Int { alerts[rule]?[state] ?? 0 }

  /// Whether a node by this name is known to have started so often.
  func hasStarted(_ node: String, times: Int) -> Bool {
    NodeName(node).map { (boots[$0]?.count ?? 0) >= times } ?? false
  }
}
