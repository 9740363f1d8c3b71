internal import Telemetry

extension Matchers {
  /// One object of JSON: `rule`, `subject`, `site`, `group`, `severity`, `kind`, those that matter.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.string("rule", rule?.description)
      json.string("subject", subject?.description)
      json.string("site", site?.description)
      json.string("group", group?.description)
      json.string("severity", severity?.rawValue)
      json.string("kind", kind?.rawValue)
    }
    return json.bytes
  }

  /// Nil when it is not what `encode` writes.
  public init?(decoding bytes: [UInt8]) {
    guard let json = try? JSONValue.parse(bytes), json.members != nil else { return nil }
    func pattern(_ key: String) -> NamePattern? { json[key]?.string.map { NamePattern($0) } }
    self.init(
      rule: pattern("rule"), subject: pattern("subject"), site: pattern("site"), group: pattern("group"),
      severity: json["severity"]?.string.flatMap { Rule.Severity(rawValue: $0) },
      kind: json["kind"]?.string.flatMap { Rule.Kind(rawValue: $0) })
  }

  /// For people: `rule shake, node pump-*`.
  public var text: String {
    let parts = [
      rule.map { "rule \($0)" }, subject.map { "node \($0)" }, site.map { "site \($0)" }, group.map { "group \($0)" },
      severity.map { "severity \($0.rawValue)" }, kind.map { "kind \($0.rawValue)" },
    ].compactMap { $0 }
    return parts.isEmpty ? "all alerts" : SafeText.escaped(parts.joined(separator: ", "), limit: 300)
  }
}
