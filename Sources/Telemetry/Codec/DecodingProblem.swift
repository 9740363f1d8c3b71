/// Why a payload is not a message of the contract.
public struct DecodingProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// What to count it under. The raw values are stable; the first nine are those of `JSONProblem.Reason`.
  public enum Reason: String, CaseIterable, Sendable {
    case tooLarge = "too_large"
    case tooDeep = "too_deep"
    case tooManyMembers = "too_many_members"
    case notUTF8 = "not_utf8"
    case syntax
    case duplicateKey = "duplicate_key"
    case notFinite = "not_finite"
    case loneSurrogate = "lone_surrogate"
    case trailingText = "trailing_text"
    /// JSON, but no object.
    case notAnObject = "not_an_object"
    /// A version of the contract that this software doesn't read.
    case version
    /// A key that this stream must have isn't there.
    case missing
    /// A value of another kind: a text for a number, `null` for anything.
    case wrongType = "wrong_type"
    /// A number or a text outside its range.
    case outOfRange = "out_of_range"
    /// A word that is none of the closed set.
    case unknownWord = "unknown_word"
  }

  /// What to count it under.
  public var reason: Reason
  /// The key it is about, `last.lat` for one inside another; nil when it is about the whole.
  public var key: String?
  /// One line, safe to show: which key, what was found, what was expected.
  public var description: String

  init(_ reason: Reason, key: String? = nil, _ description: String) {
    self.reason = reason
    self.key = key
    self.description = description
  }

  init(_ problem: JSONProblem) {
    self.init(Reason(problem.reason), "not JSON: \(problem)")
  }
}

extension DecodingProblem.Reason {
  /// The same reason as the reader of JSON gave.
  public init(_ reason: JSONProblem.Reason) {
    switch reason {
    case .tooLarge: self = .tooLarge
    case .tooDeep: self = .tooDeep
    case .tooManyMembers: self = .tooManyMembers
    case .notUTF8: self = .notUTF8
    case .syntax: self = .syntax
    case .duplicateKey: self = .duplicateKey
    case .notFinite: self = .notFinite
    case .loneSurrogate: self = .loneSurrogate
    case .trailingText: self = .trailingText
    }
  }
}
