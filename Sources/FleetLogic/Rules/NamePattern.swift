/// A pattern of node names: `*` stands for any run of characters, `?` for one, all else for itself.
public struct NamePattern: Equatable, Sendable, CustomStringConvertible {
  /// The pattern as it was written.
  public let description: String

  public init(_ description: String) {
    self.description = description
  }

  /// Every node.
  public static let everything = NamePattern("*")

  /// Whether all of `name` fits. Takes at most pattern times name steps, whatever the pattern.
  public func matches(_ name: String) -> Bool {
    let pattern = Array(description.utf8)
    let text = Array(name.utf8)
    var (p, t) = (0, 0)
    // Where to go on after the last star, should the rest not fit.
    var retry: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        retry = (p + 1, t)
        p += 1
      } else if p < pattern.count, pattern[p] == UInt8(ascii: "?") || pattern[p] == text[t] {
        p += 1
        t += 1
      } else if let last = retry {
        retry = (last.pattern, last.text + 1)
        (p, t) = (last.pattern, last.text + 1)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
