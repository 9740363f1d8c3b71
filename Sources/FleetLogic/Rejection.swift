public import Telemetry

/// Why a message could not be used.
public enum Rejection: Hashable, Sendable, CustomStringConvertible {
  case topicNotUTF8
  /// Never `.stream`: a stream that this version doesn't know is no mistake.
  case topic(TopicProblem.Reason)
  case payload(DecodingProblem.Reason)
  /// The node is new, and there is no room for another.
  case tooManyNodes
  /// The node is not one of those that the configuration lists.
  case notListed

  /// A stable word to count it under.
  public var description: String {
    switch self {
    case .topicNotUTF8: "topic_not_utf8"
    case .topic(let reason): "topic_\(reason.rawValue)"
    case .payload(let reason): "payload_\(reason.rawValue)"
    case .tooManyNodes: "too_many_nodes"
    case .notListed: "not_listed"
    }
  }

  /// Every word that there is.
  static let allDescriptions: [String] = {
    let topics = TopicProblem.Reason.allCases.filter { $0 != .stream }.map { Rejection.topic($0) }
    let payloads = DecodingProblem.Reason.allCases.map { Rejection.payload($0) }
    return ([.topicNotUTF8, .tooManyNodes, .notListed] + topics + payloads).map(\.description)
  }()
}
