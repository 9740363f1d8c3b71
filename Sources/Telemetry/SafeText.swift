/// Shows text of unknown origin so that no terminal obeys it and no reader is misled.
///
/// Control characters (C0, DEL, C1), separators of lines, bidirectional controls and invisible characters appear as
/// escapes (`\n`, `\u{202e}`), bytes that are not UTF-8 as `\xff`, a backslash as `\\`; everything else stands for
/// itself. What is longer than the limit is cut and ends in `...`.
public enum SafeText {
  /// The escaped text of a string, at most `limit` characters of the original.
  public static func escaped(_ text: some StringProtocol, limit: Int = 80) -> String {
    var text = String(text)
    return text.withUTF8 { escaped($0, limit: limit) }
  }

  /// The escaped text of bytes that may be anything, at most `limit` characters of the original.
  public static func escaped(_ bytes: [UInt8], limit: Int = 80) -> String {
    bytes.withUnsafeBufferPointer { escaped($0, limit: limit) }
  }

  /// The escaped text of bytes that may be anything, at most `limit` characters of the original.
  public static func escaped(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int = 80) -> String {
    var shown = String.UnicodeScalarView()
    var index = 0
    for _ in 0..<max(limit, 0) where index < bytes.count {
      if let scalar = scanScalar(bytes, at: index) {
        append(scalar.value, to: &shown)
        index += scalar.length
      } else {
        shown.append(contentsOf: "\\x".unicodeScalars)
        appendHex(UInt32(bytes[index]), digits: 2, to: &shown)
        index += 1
      }
    }
    return String(shown) + (index < bytes.count ? "..." : "")
  }

  /// The same in double quotes, quotes inside escaped: for messages that name what was found.
  public static func quoted(_ text: some StringProtocol, limit: Int = 40) -> String {
    quoted(escaped: escaped(text, limit: limit))
  }

  /// The same for bytes.
  public static func quoted(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int = 40) -> String {
    quoted(escaped: escaped(bytes, limit: limit))
  }

  private static func quoted(escaped text: String) -> String {
    var shown = String.UnicodeScalarView()
    shown.append("\"")
    for scalar in text.unicodeScalars {
      if scalar == "\"" { shown.append("\\") }
      shown.append(scalar)
    }
    shown.append("\"")
    return String(shown)
  }

  private static func append(_ value: UInt32, to shown: inout String.UnicodeScalarView) {
    switch value {
    case 0x09: shown.append(contentsOf: "\\t".unicodeScalars)
    case 0x0A: shown.append(contentsOf: "\\n".unicodeScalars)
    case 0x0D: shown.append(contentsOf: "\\r".unicodeScalars)
    case 0x5C: shown.append(contentsOf: "\\\\".unicodeScalars)
    case let value where isUnsafeToShow(value):
      shown.append(contentsOf: "\\u{".unicodeScalars)
      appendHex(value, digits: value < 0x100 ? 2 : value < 0x1_0000 ? 4 : 5, to: &shown)
      shown.append("}")
    default:
      if let scalar = Unicode.Scalar(value) { shown.append(scalar) }
    }
  }

  private static func appendHex(_ value: UInt32, digits: UInt32, to shown: inout String.UnicodeScalarView) {
    for place in (0..<digits).reversed() { shown.append(Unicode.Scalar(hexDigit(value >> (4 * place)))) }
  }
}
