/// A node's name: `[a-z0-9][a-z0-9-]{0,62}`, one level of a topic.
public struct NodeName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The name itself.
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

  /// The name that a host has by default: lower case, every other character a dash, no dash at either end, 63 bytes at
  /// most. Nil when nothing is left.
  public init?(fromHostName host: some StringProtocol) {
    var bytes: [UInt8] = []
    for scalar in host.unicodeScalars {
      switch scalar {
      case "a"..."z", "0"..."9": bytes.append(UInt8(ascii: scalar))
      case "A"..."Z": bytes.append(UInt8(ascii: scalar) + 0x20)
      default: bytes.append(UInt8(ascii: "-"))
      }
    }
    let dash = UInt8(ascii: "-")
    var kept = bytes.drop { $0 == dash }.prefix(63)
    while kept.last == dash { kept.removeLast() }
    self.init(String(decoding: kept, as: UTF8.self))
  }

  /// Alphabetical order.
  public static func < (a: NodeName, b: NodeName) -> Bool { a.description < b.description }
}
