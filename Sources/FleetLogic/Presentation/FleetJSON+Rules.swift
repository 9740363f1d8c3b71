internal import Telemetry

extension FleetJSON {
  /// A rule, `kind` `rule`: `name`, `rule_kind`, `severity`, `for_s` (absent where the node decides), `clear_for_s`,
  /// `repeat_s`, `nodes`.
  public static func rule(_ rule: Rule) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.string("kind", "rule")
      json.string("name", rule.name)
      json.string("rule_kind", rule.kind.rawValue)
      json.string("severity", rule.severity.rawValue)
      json.number("for_s", rule.forS, decimals: 3)
      json.number("clear_for_s", rule.clearForS, decimals: 3)
      json.number("repeat_s", rule.repeatS, decimals: 3)
      json.string("nodes", rule.scope.text)
    }
    return json.bytes
  }

  /// What a rule would have done, `kind` `rehearsal`: `rule`, `tried`, and where it was: `told`, `repeated`, `muted`,
  /// `firing` at the end, `subjects`.
  public static func rehearsal(_ rule: Rule, _ count: Rehearsal.Count, firing: Int, isTried: Bool) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.string("kind", "rehearsal")
      json.string("rule", rule.name)
      json.boolean("tried", isTried)
      guard isTried else { return }
      json.integer("told", count.told)
      json.integer("repeated", count.repeated)
      json.integer("muted", count.muted)
      json.integer("firing", firing)
      json.integer("subjects", count.subjects.count)
    }
    return json.bytes
  }
}

extension Scope {
  /// For people: `pump-*, site north`.
  public var text: String {
    let parts =
      nodes.map(\.description) + sites.map { "site \($0)" } + groups.map { "group \($0)" }
    return parts.isEmpty ? "*" : SafeText.escaped(parts.joined(separator: ", "), limit: 200)
  }
}
