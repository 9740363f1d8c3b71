internal import Telemetry

/// A mail about notices: RFC 5322, all ASCII, a body in base64 (RFC 2045), so that no value can become a header, a line
/// of its own, or a dot.
struct MailMessage {
  /// Notices that are listed; the others are counted.
  static let mostLines = 200

  let bytes: [UInt8]

  /// - Parameter notices: at least one.
  init(_ settings: MailSettings, _ notices: [Notice], at now: WallTime) {
    let host = settings.from.split(separator: "@").last.map(String.init) ?? "localhost"
    let headers = [
      "From: \(settings.from)",
      "To: \(settings.to.joined(separator: ",\r\n "))",
      "Subject: \(Self.encoded(Self.subject(notices)))",
      "Date: \(now.rfc5322)",
      "Message-ID: <judder.\(Self.digest(notices.map(\.id)))@\(host)>",
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: base64",
    ]
    let body = Base64.lines(Array(Self.body(notices).utf8))
    bytes = Array((headers.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }

  private static func subject(_ notices: [Notice]) -> String {
    let firing = notices.filter { !$0.isResolved }.count
    guard notices.count > 1, let first = notices.first else {
      return notices.first.map { "[judder] \($0.state): \(SafeText.escaped($0.summary, limit: 120))" } ?? ""
    }
    let summary = SafeText.escaped(first.summary, limit: 80)
    return "[judder] \(firing) firing, \(notices.count - firing) resolved: \(summary), ..."
  }

  private static func body(_ notices: [Notice]) -> String {
    let lines = notices.prefix(mostLines).map { notice in
      "\(notice.time.rfc3339) \(word(notice.node)) \(word(notice.rule)) \(word(notice.state))"
        + " (\(word(notice.severity))): \(SafeText.escaped(notice.summary, limit: 400))"
        + (notice.reason.map { "\r\n    why: \(SafeText.escaped($0, limit: 400))" } ?? "")
        + "\r\n    id: \(word(notice.id))"
    }
    let rest = notices.count - lines.count
    return lines.joined(separator: "\r\n") + (rest > 0 ? "\r\nand \(rest) more" : "") + "\r\n"
  }

  private static func word(_ text: String) -> String { SafeText.escaped(text, limit: 200) }

  /// RFC 2047: words of at most 75 characters, each of whole characters.
  static func encoded(_ text: String) -> String {
    var words: [String] = []
    var word: [UInt8] = []
    for scalar in text.unicodeScalars {
      let bytes = Array(String(scalar).utf8)
      if word.count + bytes.count > 45 {
        words.append("=?utf-8?B?\(Base64.text(word))?=")
        word = []
      }
      word += bytes
    }
    words.append("=?utf-8?B?\(Base64.text(word))?=")
    return words.joined(separator: "\r\n ")
  }

  /// The same for the same notices: FNV-1a, twice from different starts.
  static func digest(_ ids: [String]) -> String {
    [0xcbf2_9ce4_8422_2325, 0x9ae1_6a3b_2f90_404f].map { (start: UInt64) in
      let hash = ids.joined(separator: "\n").utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
      return String(hash, radix: 36)
    }.joined(separator: ".")
  }

  /// What is wrong with an address, for a configuration; nil: nothing. Only plain ones, `name@host.example`.
  static func complaint(_ address: String) -> String? {
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    let marks: Set<Character> = [".", "-", "_", "+", "=", "/"]
    let isPlain = address.allSatisfy { ($0.isASCII && ($0.isLetter || $0.isNumber)) || marks.contains($0) || $0 == "@" }
    let isThere = (1...2).contains(parts.count) && parts.allSatisfy { !$0.isEmpty } && address.utf8.count <= 254
    return isPlain && isThere && !address.hasPrefix("-") ? nil : "must be an address such as ops@example.org"
  }
}

/// What is wrong with an address of mail, for a configuration; nil: nothing.
public func mailAddressComplaint(_ address: String) -> String? { MailMessage.complaint(address) }

/// RFC 4648.
enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0..<4 {
        text.append(place <= group.count ? digits[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Lines of 76 characters.
  static func lines(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 57).map { text(Array(bytes[$0..<min($0 + 57, bytes.count)])) + "\r\n" }
      .joined()
  }
}

extension WallTime {
  /// `Mon, 30 Nov 2026 00:53:20 +0000`, always UTC; the start of 1970 where the time has no such form.
  var rfc5322: String {
    let text = rfc3339
    let parts = text.split { "-T:.Z".contains($0) }
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard !text.hasPrefix("@"), parts.count >= 6, let month = Int(parts[1]), (1...12).contains(month) else {
      return "Thu, 01 Jan 1970 00:00:00 +0000"
    }
    let days = Int((seconds / 86_400).rounded(.down))
    // 1970 began on a Thursday.
    let day = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][((days % 7) + 7) % 7]
    return "\(day), \(parts[2]) \(names[month - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) +0000"
  }
}
