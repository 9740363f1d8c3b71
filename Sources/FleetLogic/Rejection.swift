internal import Telemetry

/// Why a message could not be used. The raw values are stable: they are what is counted and shown.
public enum Rejection: String, CaseIterable, Sendable {
  case topicNotUTF8 = "topic_not_utf8"
  /// Too few levels or too many.
  case topicLevels = "topic_levels"
  /// Under a prefix that nobody asked for.
  case topicPrefix = "topic_prefix"
  /// A level that cannot be a node's name.
  case nodeName = "node_name"
  /// The payload is larger than any message of the contract.
  case tooLarge = "too_large"
  /// The payload is not acceptable JSON: see `JSONProblem.Reason`.
  case json
  case tooDeep = "too_deep"
  case tooManyMembers = "too_many_members"
  case notUTF8 = "not_utf8"
  case duplicateKey = "duplicate_key"
  case notFinite = "not_finite"
  /// JSON, and not what the contract says.
  case contract
  /// The node is new, and there is no room for another.
  case tooManyNodes = "too_many_nodes"

  /// Nil for a stream that this version doesn't know, which is no mistake.
  init?(_ reason: TopicProblem.Reason) {
    switch reason {
    case .levels: self = .topicLevels
    case .prefix: self = .topicPrefix
    case .node: self = .nodeName
    case .stream: return nil
    }
  }

  init(_ reason: JSONProblem.Reason) {
    self =
      switch reason {
      case .tooLarge: .tooLarge
      case .tooDeep: .tooDeep
      case .tooManyMembers: .tooManyMembers
      case .notUTF8: .notUTF8
      case .duplicateKey: .duplicateKey
      case .notFinite: .notFinite
      case .syntax, .loneSurrogate, .trailingText: .json
      }
  }
}
