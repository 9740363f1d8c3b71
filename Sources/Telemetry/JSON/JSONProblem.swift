/// Why some bytes are not JSON that this package accepts.
public struct JSONProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// What to count it under. The raw values are stable.
  public enum Reason: String, CaseIterable, Sendable {
    /// More bytes than `JSONLimits.bytes`.
    case tooLarge = "too_large"
    /// More levels than `JSONLimits.depth`.
    case tooDeep = "too_deep"
    /// More members and elements than `JSONLimits.members`.
    case tooManyMembers = "too_many_members"
    case notUTF8 = "not_utf8"
    /// Anything that the grammar doesn't allow, the end of the text in the middle of a value included.
    case syntax
    /// The same key twice in one object, by Unicode's canonical equivalence, as strings compare.
    case duplicateKey = "duplicate_key"
    /// A number that no `Double` can hold, such as 1e999.
    case notFinite = "not_finite"
    /// Half of a surrogate pair in a \u escape.
    case loneSurrogate = "lone_surrogate"
    /// Something after the value.
    case trailingText = "trailing_text"
  }

  /// What to count it under.
  public var reason: Reason
  /// The byte where it was noticed, from 0.
  public var offset: Int
  /// What is wrong, safe to show, without the place.
  public var what: String

  /// A problem noticed at a byte.
  public init(_ reason: Reason, at offset: Int, _ what: String) {
    self.reason = reason
    self.offset = offset
    self.what = what
  }

  /// One line: what and where.
  public var description: String { "\(what) at byte \(offset)" }
}

/// How much JSON may ask of its reader.
public struct JSONLimits: Equatable, Sendable {
  /// Length of the text.
  public var bytes: Int
  /// Objects and arrays inside each other; more than 256 counts as 256, so that reading never exhausts the stack.
  public var depth: Int
  /// Members and elements in the whole text.
  public var members: Int
  /// Whether the last of several members with the same key wins, rather than being an error.
  public var allowsDuplicateKeys: Bool

  /// The limits of `default`, but for those that are given.
  public init(
    bytes: Int = 64 * 1024, depth: Int = 16, members: Int = 4096, allowsDuplicateKeys: Bool = false
  ) {
    self.bytes = bytes
    self.depth = min(max(depth, 0), 256)
    self.members = members
    self.allowsDuplicateKeys = allowsDuplicateKeys
  }

  /// For what comes from the network: 64 KiB, 16 levels, 4096 members, each key once.
  public static let `default` = JSONLimits()
  /// For gpsd: the same, but the last of several equal keys wins.
  public static let lenient = JSONLimits(allowsDuplicateKeys: true)
}
