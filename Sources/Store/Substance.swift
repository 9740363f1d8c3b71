internal import Telemetry

/// Whether two messages under one number say the same.
///
/// A node sends an event again as it was, but for what it may have learned meanwhile: that it is late (`backlog`), what
/// its clock is worth, and with it every time of the calendar; ages and durations that count a sleep of the machine. So
/// `clk`, `backlog`, times (`t`, `..._t`), ages (`..age_s`), `lost_s` and `inside_s` are not looked at, at any depth.
/// What is left was measured, `up` among it, and does not change: where it differs, another event has the number.
enum Substance {
  static func differs(_ kept: [UInt8], _ come: [UInt8]) -> Bool {
    if kept == come { return false }
    guard let one = try? JSONValue.parse(kept), let other = try? JSONValue.parse(come) else { return true }
    return core(one) != core(other)
  }

  /// Without what may change, and with keys in order.
  private static func core(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members):
      let kept = members.filter { !mayChange($0.key) }.sorted { $0.key < $1.key }
      return .object(kept.map { JSONValue.Member($0.key, core($0.value)) })
    case .array(let elements): return .array(elements.map(core))
    case .null, .bool, .number, .string: return value
    }
  }

  private static func mayChange(_ key: String) -> Bool {
    key == "t" || key == "clk" || key == "backlog" || key == "lost_s" || key == "inside_s" || key.hasSuffix("_t")
      || key.hasSuffix("age_s")
  }
}
