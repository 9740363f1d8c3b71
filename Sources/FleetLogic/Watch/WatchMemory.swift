public import Telemetry

/// What a viewer remembers beside the fleet's state: histories for the details, and what the fleet tool says about
/// alerts. Bounded: a history for each node that the fleet's state has room for, 1.6 kB each, and `mostWords` alerts.
public struct WatchMemory: Sendable {
  /// Alerts of the fleet tool that are remembered at the most.
  public static let mostWords = 10_000

  /// One alert, by rule and subject.
  struct Name: Hashable, Sendable {
    var rule: String
    var subject: String
  }

  private let alertsPrefix: TopicPrefix
  private let mostNodes: Int
  private var histories: [NodeName: NodeHistory] = [:]
  private(set) var words: [Name: AlertMessage] = [:]
  /// Whether a fleet tool runs, by its own word; nil: it never said anything.
  private(set) var tool: StatusMessage.State?
  /// Alerts of the fleet tool that there was no room for.
  public private(set) var overflow = 0

  /// - Parameter configuration: of the fleet that is watched.
  public init(_ configuration: FleetState.Configuration) {
    alertsPrefix = configuration.alertsPrefix
    mostNodes = configuration.maxNodes
  }

  /// What is remembered of a node; nil when nothing.
  public func history(_ node: NodeName) -> NodeHistory? { histories[node] }

  /// Notes what is worth remembering of a change.
  public mutating func note(_ change: Change) {
    guard case .message(let telegram, .newest, _) = change.kind, change.late == nil else { return }
    switch telegram.body {
    case .acceleration(let window):
      guard let peak = window.peakG, makeRoom(change.node) else { return }
      histories[change.node, default: NodeHistory()].note(peakG: peak)
    case .location(let location):
      guard makeRoom(change.node) else { return }
      histories[change.node, default: NodeHistory()].note(location, at: change.at.instant)
    default: return
    }
  }

  private func makeRoom(_ node: NodeName) -> Bool { histories.count < mostNodes || histories[node] != nil }

  /// Notes a message of the fleet tool; anything else is left alone, as is what cannot be read.
  public mutating func hear(topic: String, payload: [UInt8]) {
    guard let topic = FleetTopic(topic, under: alertsPrefix) else { return }
    if topic == .status { tool = (try? FleetStatusMessage.decode(payload: payload))?.state ?? tool }
    guard case .alert(let rule, let subject) = topic else { return }
    let name = Name(rule: rule, subject: subject)
    guard let word = try? AlertMessage.decode(payload: payload), word.state != .resolved else {
      words[name] = nil
      return
    }
    guard words.count < Self.mostWords || words[name] != nil else {
      overflow.addClamped(1)
      return
    }
    words[name] = word
  }
}
