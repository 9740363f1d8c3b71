/// A node's name: `[a-z0-9][a-z0-9-]{0,62}`, one level of a topic.
public struct NodeName: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let description: String

  /// Nil unless `text` is a valid name.
  public init?(_ text: some StringProtocol) {
    let bytes = text.utf8
    guard (1...63).contains(bytes.count), bytes.first != UInt8(ascii: "-") else { return nil }
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): continue
      default: return nil
      }
    }
    description = String(text)
  }

  public static func < (a: NodeName, b: NodeName) -> Bool { a.description < b.description }
}
