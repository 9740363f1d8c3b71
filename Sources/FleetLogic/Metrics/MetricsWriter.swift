internal import Telemetry

/// Writes Prometheus's text format, version 0.0.4: families of samples, each with its help and type. A family without
/// samples is left out, and so is a sample whose value is unknown.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
struct MetricsWriter {
  /// What a family's values are.
  enum Kind: String {
    /// Goes up only, but for a restart; the name ends in `_total`.
    case counter
    case gauge
    /// Pairs `_sum` and `_count`.
    case summary
  }

  private(set) var bytes: [UInt8] = []
  private var name = ""
  /// Written before the first sample.
  private var head: [UInt8] = []

  init(capacity: Int = 16_384) { bytes.reserveCapacity(capacity) }

  /// A family; `body` writes its samples.
  mutating func family(_ name: String, _ kind: Kind, _ help: String, _ body: (inout MetricsWriter) -> Void) {
    self.name = name
    head = Array("# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n".utf8)
    body(&self)
    head = []
  }

  /// A family of one sample; nil leaves it out.
  mutating func family(_ name: String, _ kind: Kind, _ help: String, _ value: Double?, decimals: Int = 3) {
    family(name, kind, help) { $0.sample(value: value, decimals: decimals) }
  }

  mutating func family(_ name: String, _ kind: Kind, _ help: String, _ value: Int?) {
    family(name, kind, help, value.map { Double($0) }, decimals: 0)
  }

  /// - Parameters:
  ///   - suffix: of the name, for summaries.
  ///   - labels: as `labels` makes them.
  mutating func sample(
    _ suffix: StaticString = "", labels: [UInt8] = [], value: Double?, decimals: Int = 0
  ) {
    guard let value, value.isFinite else { return }
    bytes += head
    head = []
    bytes += name.utf8
    suffix.withUTF8Buffer { bytes += $0 }
    if !labels.isEmpty {
      bytes.append(UInt8(ascii: "{"))
      bytes += labels
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: " "))
    bytes += Decimal.text(value, decimals: decimals).utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  /// `name="value"`, commas between; those without a value are left out.
  static func labels(_ pairs: KeyValuePairs<String, String?>) -> [UInt8] {
    var text = ""
    for case (let name, let value?) in pairs {
      text += (text.isEmpty ? "" : ",") + name + "=\"" + escaped(value, quotes: true) + "\""
    }
    return Array(text.utf8)
  }

  /// Backslash, line feed and, in values of labels, the quote.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    guard text.utf8.contains(where: { "\\\n\"".utf8.contains($0) }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
