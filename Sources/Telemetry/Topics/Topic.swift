/// The topic of a node's message: `<prefix>/<node>/<stream>`, where `shake/waveform` is a stream too.
public struct Topic: Hashable, Sendable, CustomStringConvertible {
  /// What stands before the node's name.
  public var prefix: TopicPrefix
  /// The node that the message is from.
  public var node: NodeName
  /// What kind of message it is.
  public var stream: Stream

  /// The topic of a message of `node`.
  public init(prefix: TopicPrefix, node: NodeName, stream: Stream) {
    self.prefix = prefix
    self.node = node
    self.stream = stream
  }

  /// As it is given to the broker.
  public var description: String { "\(prefix)/\(node)/\(stream.rawValue)" }

  /// Reads a topic on which a message came, of which nothing can be taken for granted.
  ///
  /// - Parameter pattern: The prefixes that are expected.
  public init(_ text: some StringProtocol, under pattern: PrefixPattern) throws(TopicProblem) {
    let levels = topicLevels(text)
    // Of streams, one has two levels.
    let isWaveform = levels.suffix(2).joined(separator: "/") == Stream.waveform.rawValue
    let expected = pattern.levels.count + 2
    guard levels.count == (isWaveform ? expected + 1 : expected) else {
      throw TopicProblem(.levels, text, "has \(levels.count) levels, expected \(expected)")
    }
    let before = levels[..<pattern.levels.count]
    guard pattern.matches(before), let prefix = try? TopicPrefix(before.joined(separator: "/")) else {
      throw TopicProblem(.prefix, text, "is not under \(pattern)")
    }
    guard let node = NodeName(levels[expected - 2]) else {
      throw TopicProblem(.node, text, "has no valid node name, expected [a-z0-9][a-z0-9-]{0,62}")
    }
    let kind = levels[(expected - 1)...].joined(separator: "/")
    guard let stream = Stream(rawValue: kind) else {
      throw TopicProblem(.stream, text, "has an unknown stream")
    }
    self.init(prefix: prefix, node: node, stream: stream)
  }
}

/// A topic on which a node is told something: `<prefix>/<node>/<level>`.
public protocol NodeInlet: Hashable, Sendable, CustomStringConvertible {
  /// Its last level.
  static var level: String { get }
  /// What stands before the node's name.
  var prefix: TopicPrefix { get }
  /// The node that is told.
  var node: NodeName { get }
  /// The topic for `node`.
  init(prefix: TopicPrefix, node: NodeName)
}

extension NodeInlet {
  /// As it is given to the broker.
  public var description: String { "\(prefix)/\(node)/\(Self.level)" }

  /// Reads a topic; nil if it is none of these under one of these prefixes.
  public init?(_ text: some StringProtocol, under pattern: PrefixPattern) {
    let levels = topicLevels(text)
    guard levels.count == pattern.levels.count + 2, levels.last.map({ $0 == Self.level }) == true,
      pattern.matches(levels[..<pattern.levels.count]), let node = NodeName(levels[pattern.levels.count]),
      let prefix = try? TopicPrefix(levels[..<pattern.levels.count].joined(separator: "/"))
    else { return nil }
    self.init(prefix: prefix, node: node)
  }
}

/// The topic on which a node is asked to do something: `<prefix>/<node>/command`.
public struct CommandTopic: NodeInlet {
  /// Its last level.
  public static let level = "command"
  /// What stands before the node's name.
  public var prefix: TopicPrefix
  /// The node that is asked.
  public var node: NodeName

  /// The topic of commands for `node`.
  public init(prefix: TopicPrefix, node: NodeName) { (self.prefix, self.node) = (prefix, node) }
}

/// The topic on which a node is told what is stored: `<prefix>/<node>/ack`.
public struct AckTopic: NodeInlet {
  /// Its last level.
  public static let level = "ack"
  /// What stands before the node's name.
  public var prefix: TopicPrefix
  /// The node that is told.
  public var node: NodeName

  /// The topic of acknowledgements for `node`.
  public init(prefix: TopicPrefix, node: NodeName) { (self.prefix, self.node) = (prefix, node) }
}

/// Why a topic is none of a node's.
public struct TopicProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// What to count it under. The raw values are stable.
  public enum Reason: String, CaseIterable, Sendable {
    /// The prefix is not one that was asked for.
    case prefix
    /// Too few levels or too many.
    case levels
    /// The node's name is not valid.
    case node
    /// There is no such stream in this version.
    case stream
  }

  /// What to count it under.
  public var reason: Reason
  /// One line, safe to show: the topic and what is wrong with it.
  public var description: String

  init(_ reason: Reason, _ topic: some StringProtocol, _ what: String) {
    self.reason = reason
    description = "topic \(SafeText.quoted(topic, limit: 120)) \(what)"
  }
}
