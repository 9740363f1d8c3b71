public import Telemetry

/// What a node's answer says beyond that it was done, as lines that are safe to show.
public enum ReplyText {
  /// In the order: what changed, the figures, what follows.
  public static func lines(_ reply: ReplyMessage) -> [String] {
    var lines: [String] = []
    if let change = reply.change {
      // A node that says more in its note says why.
      let kept = change.isKept || reply.note != nil ? "" : ", until it is started anew"
      lines.append("\(setting(change.key, change.after)), was \(text(change.before))\(kept)")
    }
    if let rest = reply.rest { lines += figures(rest) }
    if let note = reply.note { lines.append(SafeText.escaped(note, limit: 1024)) }
    return lines
  }

  /// `shake.on_g = 0.9`.
  static func setting(_ key: String, _ value: SettingValue?) -> String {
    "\(SafeText.escaped(key, limit: 128)) = \(text(value))"
  }

  /// What a command takes: ` shake.on_g=0.9`, ` 60`, or nothing.
  public static func argument(_ command: ControlMessage.NodeCommand) -> String {
    if let setting = command.setting {
      return " \(SafeText.escaped(setting.key, limit: 128))=\(setting.value.map { text($0) } ?? "")"
    }
    return command.forS.map { " \(Decimal.text($0, decimals: 0))" } ?? ""
  }

  private static func text(_ value: SettingValue?) -> String {
    switch value {
    case nil: "not set"
    case .number(let number): shortest(number)
    case .text(let text): SafeText.quoted(text)
    case .flag(let flag): "\(flag)"
    }
  }

  /// 0.9, without zeros at the end.
  private static func shortest(_ number: Double) -> String {
    var text = Decimal.text(number, decimals: 9)
    guard text.contains(".") else { return text }
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }

  private static func figures(_ rest: RestFigures) -> [String] {
    let clipped = rest.clipped.map { ", \($0) clipped" } ?? ""
    let up = rest.face.map { face in
      "\(face.rawValue)" + (rest.tiltDeg.map { ", \(number($0, 1)) deg from level" } ?? "")
    }
    let length = rest.meanG.length
    return [
      "samples  \(rest.samples) in \(number(rest.durationS, 1)) s, \(number(rest.rateHz, 2)) Hz, \(rest.missed) missed"
        + clipped,
      up.map { "up       \($0)" },
      "mean     \(axes(rest.meanG, 4)) g",
      "gravity  \(number(length, 4)) g, \(length >= 1 ? "+" : "")\(number(1000 * (length - 1), 1)) mg",
      "noise    \(axes(rest.noiseMg, 3)) mg RMS",
      "in band  \(number(rest.inBandMg, 3)) mg RMS from 0.7 to 12 Hz, all axes",
    ].compactMap { $0 }
  }

  private static func number(_ value: Double, _ decimals: Int) -> String { Decimal.text(value, decimals: decimals) }

  private static func axes(_ value: Vector, _ decimals: Int) -> String {
    "x \(number(value.x, decimals)), y \(number(value.y, decimals)), z \(number(value.z, decimals))"
  }
}
