internal import Telemetry

/// A text with `{{name}}` where a notice's fields go.
public struct Template: Equatable, Sendable {
  private enum Piece: Equatable, Sendable {
    case text([UInt8])
    case field(String)
  }

  /// How values are put so that they cannot be taken for anything else.
  enum Escaping {
    /// As within a JSON string.
    case json
    /// As in a form: all but letters, digits and `-._~` as `%41`.
    case form
    /// Controls and what is invisible escaped, as in a log.
    case text

    init(contentType: String) {
      let media = contentType.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } } ?? ""
      if media == "application/json" || media.hasSuffix("+json") {
        self = .json
      } else if media == "application/x-www-form-urlencoded" {
        self = .form
      } else {
        self = .text
      }
    }
  }

  /// The fields that there are.
  public static let names = [
    "id", "alert_id", "rule", "rule_kind", "severity", "node", "site", "group", "state", "previous", "t", "time",
    "since_t", "since", "count", "value", "summary", "reason", "alert",
  ]

  /// Why a text is no template.
  public struct Problem: Error, Equatable, Sendable {
    /// Where, from 1.
    public let line: Int
    /// One line, safe to show.
    public let text: String
  }

  private var pieces: [Piece] = []

  /// - Throws: a field that does not exist, or that is not closed.
  public init(_ text: String) throws(Problem) {
    var rest = text[...]
    while let open = rest.firstRange(of: "{{") {
      pieces.append(.text(Array(rest[..<open.lowerBound].utf8)))
      let line = text[..<open.lowerBound].utf8.reduce(1) { $1 == 10 ? $0 + 1 : $0 }
      guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
        throw Problem(line: line, text: "{{ without }}")
      }
      let name = String(rest[open.upperBound..<close.lowerBound].filter { $0 != " " })
      guard Self.names.contains(name) else {
        let known = Self.names.joined(separator: ", ")
        throw Problem(line: line, text: "no field {{\(SafeText.escaped(name))}}; there are \(known)")
      }
      pieces.append(.field(name))
      rest = rest[close.upperBound...]
    }
    pieces.append(.text(Array(rest.utf8)))
  }

  func fill(_ notice: Notice, _ escaping: Escaping) -> [UInt8] {
    pieces.flatMap { piece -> [UInt8] in
      switch piece {
      case .text(let bytes): bytes
      case .field("alert"): escaping == .form ? Self.escaped(notice.jsonText, .form) : notice.json
      case .field(let name): Self.value(of: name, notice, escaping)
      }
    }
  }

  /// Whether the filled text is JSON, as far as a notice of hostile values tells.
  public var isJSON: Bool {
    let text = "a\\\"\\n{{b\\u202e"
    let sample = #"{"kind":"alert","t":1,"id":"\#(text)","rule":"\#(text)","node":"n","state":"firing","since_t":1}"#
    guard let notice = Notice(json: Array(sample.utf8)) else { return false }
    return (try? JSONValue.parse(fill(notice, .json))) != nil
  }

  private static func value(of name: String, _ notice: Notice, _ escaping: Escaping) -> [UInt8] {
    switch name {
    case "t": Array(Decimal.text(notice.time.seconds, decimals: 3).utf8)
    case "since_t": Array(Decimal.text(notice.since.seconds, decimals: 3).utf8)
    case "count": Array(String(notice.count).utf8)
    case "value": notice.value.map { Array(Decimal.text($0, decimals: 6).utf8) } ?? absent(escaping)
    default: escaped(text(of: name, notice) ?? "", escaping)
    }
  }

  /// A number that there is not.
  private static func absent(_ escaping: Escaping) -> [UInt8] { escaping == .json ? Array("null".utf8) : [] }

  private static func text(of name: String, _ notice: Notice) -> String? {
    switch name {
    case "id": notice.id
    case "alert_id": notice.alertID
    case "rule": notice.rule
    case "rule_kind": notice.ruleKind
    case "severity": notice.severity
    case "node": notice.node
    case "site": notice.site
    case "group": notice.group
    case "state": notice.state
    case "previous": notice.previous
    case "time": notice.time.rfc3339
    case "since": notice.since.rfc3339
    case "summary": notice.summary
    case "reason": notice.reason
    default: nil
    }
  }

  private static func escaped(_ text: String, _ escaping: Escaping) -> [UInt8] {
    switch escaping {
    case .json:
      var json = JSONWriter()
      json.string(text)
      return Array(json.bytes.dropFirst().dropLast())
    case .form:
      return text.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: [byte]
        default: Array("%".utf8) + hex(byte)
        }
      }
    case .text: return Array(SafeText.escaped(text, limit: 2000).utf8)
    }
  }

  private static func hex(_ byte: UInt8) -> [UInt8] {
    Array(((byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)).utf8)
  }
}

extension Notice {
  var jsonText: String { String(decoding: json, as: UTF8.self) }
}
