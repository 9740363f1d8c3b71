/// The levels of a topic before the node's name, for example `judder` or `acme/zurich/judder`.
public struct TopicPrefix: Hashable, Sendable, CustomStringConvertible {
  /// As many as leave a node's topic with the seven slashes that some brokers and clouds allow.
  static let mostLevels = 6
  /// Bytes, so that the whole topic stays short on a slow link.
  static let mostBytes = 200

  /// One level after the other, none of them empty.
  public let levels: [String]

  /// `judder`, where nothing else was configured.
  public static let standard = TopicPrefix(levels: ["judder"])
  /// `judder-fleet`: the fleet tool's own, where nothing else was configured.
  public static let standardFleet = TopicPrefix(levels: ["judder-fleet"])

  /// A prefix without wildcards.
  public init(_ text: some StringProtocol) throws(PrefixProblem) {
    self.init(levels: try checkedLevels(text, wildcards: false))
  }

  fileprivate init(levels: [String]) {
    self.levels = levels
  }

  /// The levels with slashes between them.
  public var description: String { levels.joined(separator: "/") }
}

/// Which prefixes a fleet tool listens to: a prefix in which `+` stands for any one level, for example `+/judder`.
public struct PrefixPattern: Hashable, Sendable, CustomStringConvertible {
  /// One level after the other, `+` where any is meant.
  public let levels: [String]

  /// A prefix that may have `+` levels.
  public init(_ text: some StringProtocol) throws(PrefixProblem) {
    levels = try checkedLevels(text, wildcards: true)
  }

  /// The pattern that only `prefix` matches.
  public init(_ prefix: TopicPrefix) {
    levels = prefix.levels
  }

  /// Whether `prefix` is one of those that are meant.
  public func matches(_ prefix: TopicPrefix) -> Bool {
    matches(prefix.levels[...])
  }

  /// The same for levels that nobody has checked.
  func matches(_ found: ArraySlice<String>) -> Bool {
    found.count == levels.count && zip(levels, found).allSatisfy { $0 == "+" || $0 == $1 }
  }

  /// What to subscribe to for every stream of every node: `<prefix>/+/+`.
  public var subscription: String { description + "/+/+" }

  /// What to subscribe to for one stream of every node: `<prefix>/+/<stream>`.
  public func subscription(to stream: Stream) -> String { description + "/+/" + stream.rawValue }

  /// The levels with slashes between them.
  public var description: String { levels.joined(separator: "/") }
}

/// Why a text is no prefix.
public struct PrefixProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// One line: what was found and what was expected.
  public let description: String

  init(_ text: some StringProtocol, _ what: String) {
    description = "prefix \(SafeText.quoted(text)): \(what)"
  }
}

/// What stands between the slashes, at least one level. Split by bytes as brokers do: to a string, a slash and an
/// accent that follows are one character.
func topicLevels(_ text: some StringProtocol) -> [String] {
  Array(text.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) }
}

private func checkedLevels(_ text: some StringProtocol, wildcards: Bool) throws(PrefixProblem) -> [String] {
  guard text.utf8.count <= TopicPrefix.mostBytes else {
    throw PrefixProblem(text, "longer than \(TopicPrefix.mostBytes) bytes")
  }
  let levels = topicLevels(text)
  guard levels.count <= TopicPrefix.mostLevels else {
    throw PrefixProblem(text, "more than \(TopicPrefix.mostLevels) levels")
  }
  guard levels[0].utf8.first != UInt8(ascii: "$") else {
    throw PrefixProblem(text, "topics that start with $ belong to the broker")
  }
  for level in levels {
    guard !level.isEmpty else {
      throw PrefixProblem(text, "has an empty level; expected names with single slashes between them")
    }
    if level == "+", wildcards { continue }
    guard !level.utf8.contains(UInt8(ascii: "+")), !level.utf8.contains(UInt8(ascii: "#")) else {
      throw PrefixProblem(
        text, wildcards ? "a wildcard other than + as a whole level" : "wildcards are not allowed here")
    }
    guard !level.unicodeScalars.contains(where: { isUnsafeToShow($0.value) }) else {
      throw PrefixProblem(text, "has a control character")
    }
  }
  return levels
}
