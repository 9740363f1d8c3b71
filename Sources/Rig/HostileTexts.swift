/// Texts that harm whoever shows, runs, splits, formats or parses them as they are.
public struct HostileTexts: Sendable {
  /// Where a shell that is fooled leaves a file.
  public let canary: String
  private let seed: UInt64

  /// - Parameter canary: a folder, which is there.
  public init(canary: String, seed: UInt64) {
    self.canary = canary
    self.seed = seed
  }

  /// All of them, mixtures among them; none empty.
  public var all: [String] { controls + invisible + shell + formats + long + mixtures }

  /// Escapes of terminals, and what breaks lines.
  public var controls: [String] {
    let sequences = [
      "\u{1B}[2J\u{1B}[H", "\u{1B}]0;owned\u{7}", "\u{1B}]52;c;cm0gLXJm\u{7}", "\u{1B}]8;;http://x\u{1B}\\link",
      "\u{1B}P+q544e\u{1B}\\", "\u{1B}[?1049h", "\u{1B}c", "\u{9B}31m", "\u{9D}0;x\u{9C}", "\u{90}q\u{9C}", "\u{85}",
      "\u{0}", "\u{8}\u{8}\u{8}ok", "\u{7F}", "\u{E}\u{F}", "\u{C}",
    ]
    let lines = [
      "a\nlevel=error msg=forged", "a\r\nBcc: victim@example.org\r\n\r\nhello", "a\rb", "\u{2028}x", "\u{2029}x",
      "\u{B}x",
    ]
    return sequences + lines
  }

  /// What turns text round, or cannot be seen.
  public var invisible: [String] {
    [
      "\u{202E}gnp.exe", "\u{202D}\u{202A}x\u{202C}", "\u{2066}x\u{2069}", "\u{2067}\u{2068}x", "\u{61C}x",
      "a\u{200B}b",
      "\u{200E}\u{200F}", "\u{2060}\u{2064}", "\u{FEFF}x", "\u{FFF9}a\u{FFFA}b\u{FFFB}", "\u{E0041}\u{E007F}",
      "a\u{AD}b",
      "\u{180E}x", "\u{1D173}x", "\u{1BCA0}x", "Z\u{335}\u{321}\u{30D}" + String(repeating: "\u{301}", count: 200),
    ]
  }

  /// What a shell would run, and what a path would leave its folder by.
  public var shell: [String] {
    let touch = "touch \(canary)/"
    return [
      "$(\(touch)1)", "`\(touch)2`", "; \(touch)3;", "| \(touch)4", "&& \(touch)5", "\n\(touch)6\n", "' ; \(touch)7 '",
      "\" ; \(touch)8 \"", "${IFS}$(\(touch)9)", "> \(canary)/10", "-e \(touch)11", "--config=/etc/passwd",
      "../../../../etc/passwd", "/dev/null", "%s%n%x$(\(touch)12)", "\\\\$(\(touch)13)", "$'\\x1b[2J'",
    ]
  }

  /// What a spreadsheet, a template, a parser or a formatter would take for its own.
  public var formats: [String] {
    [
      "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)", "\t=1", "a,\"b\",c", "\"", "'", "%n%n%s%p", "%@%d", "{}{0}",
      "\\(x)",
      "<script>alert(1)</script>", "</name></trk><x>", "]]>", "<!DOCTYPE x [<!ENTITY a \"b\">]>&a;", "<!--",
      "&amp;&#0;",
      "\",\"state\":\"resolved", "}],[{", "\\", "\\u001b", "{{summary}}", "{{", "}}", "${jndi:ldap://x}",
      "x\u{FFFE}\u{FFFF}",
      "'; DROP TABLE nodes; --", ".", "\r\n.\r\n", "Subject: x", "=?utf-8?B?G1s=?=", "null", "NaN", "\u{FFFD}",
    ]
  }

  /// Near and at the longest text that a message may have.
  public var long: [String] {
    [
      String(repeating: "A", count: 1024), String(repeating: "\u{1B}[", count: 500),
      String(repeating: "\u{1F4A9}", count: 250), String(repeating: "\"", count: 1000),
      String(repeating: "<", count: 1000),
    ]
  }

  /// Pieces of the others, put together by chance.
  private var mixtures: [String] {
    var random = SeededRandom(seed: seed)
    let pieces = controls + invisible.dropLast() + shell + formats
    return (0..<24).map { _ in
      (0..<Int.random(in: 2...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    }
  }
}

extension String {
  /// What of it a terminal may obey or nobody can see, by its category in Unicode; besides line feeds.
  public var unshowable: [Unicode.Scalar] {
    unicodeScalars.filter { scalar in
      guard scalar != "\n" else { return false }
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
      // Emoji and several scripts are written with the two joiners.
      case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
      default: return false
      }
    }
  }
}
