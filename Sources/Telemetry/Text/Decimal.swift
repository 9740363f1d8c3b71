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
