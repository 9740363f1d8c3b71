/// Spans of time as people read them at a glance.
public enum Age {
  /// `3s`, `12m`, `4h`, `2d`, cut rather than rounded; `-` when it is unknown.
  public static func text(_ seconds: Double?) -> String {
    guard let seconds, seconds.isFinite else { return "-" }
    let whole = Int(min(max(seconds, 0), 1e12) + 1e-6)
    return switch whole {
    case ..<60: "\(whole)s"
    case ..<3600: "\(whole / 60)m"
    case ..<86400: "\(whole / 3600)h"
    default: "\(whole / 86400)d"
    }
  }
}

/// Numbers as people read them.
public enum Decimal {
  /// With exactly `decimals` (0...9) digits after the point, up to 10^9; `-` if it is not finite.
  public static func text(_ value: Double, decimals: Int) -> String {
    guard value.isFinite else { return "-" }
    let places = min(max(decimals, 0), 9)
    let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
    guard value.magnitude * scale < 9e18 else { return "\(value)" }
    let scaled = Int64((value.magnitude * scale).rounded())
    let whole = scaled / Int64(scale)
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(whole)" }
    let fraction = String(scaled % Int64(scale))
    return "\(sign)\(whole).\(String(repeating: "0", count: places - fraction.count))\(fraction)"
  }
}

/// A number of seconds in a sentence: without a fraction where there is none.
func plain(_ seconds: Double) -> String {
  seconds == seconds.rounded() ? Decimal.text(seconds, decimals: 0) : Decimal.text(seconds, decimals: 1)
}
