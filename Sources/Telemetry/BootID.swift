/// Names one run of a node: 8 lower-case hex digits, new at each start.
public struct BootID: Hashable, Sendable, CustomStringConvertible {
  /// The digits as a number.
  public var value: UInt32

  /// The boot with this number.
  public init(_ value: UInt32) {
    self.value = value
  }

  /// Nil unless `text` is exactly 8 lower-case hex digits.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 8, !text.utf8.contains(where: { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }),
      text.utf8.first != UInt8(ascii: "+"), let value = UInt32(text, radix: 16)
    else { return nil }
    self.value = value
  }

  /// The 8 digits.
  public var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
