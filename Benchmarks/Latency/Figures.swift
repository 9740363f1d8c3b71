internal import Rig

/// Latencies from a shake's publication to its arrival at one place [s], sorted.
struct Figures {
  let name: String
  /// From right before it was sent, and from when it was to be sent.
  let fromSent: [Double], fromDue: [Double]
  /// Shakes that never arrived.
  let lost: Int

  init(_ ear: Ear, _ shakes: [Drive.Shake]) {
    name = ear.name
    let arrivals = ear.arrivals
    let heard = shakes.compactMap { shake in arrivals[shake.node].map { (shake, $0) } }
    fromSent = heard.map { $1 - $0.sentS }.sorted()
    fromDue = heard.map { $1 - $0.dueS }.sorted()
    lost = shakes.count - heard.count
  }

  /// The smallest value that so many of the values do not exceed: the nearest rank.
  static func quantile(_ sorted: [Double], _ share: Double) -> Double {
    guard !sorted.isEmpty else { return .nan }
    return sorted[max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
  }

  static let head = row("", ["n", "p50", "p99", "max", "due p50", "due p99", "x p50", "x p99"])

  private static func row(_ name: String, _ cells: [String]) -> String {
    "  " + pad(name, 14) + cells.map { pad($0, -9) }.joined()
  }

  /// A line of a table; the last two are how many times the yardstick's.
  func line(_ yardstick: Figures) -> String {
    let p50 = Self.quantile(fromSent, 0.5)
    let p99 = Self.quantile(fromSent, 0.99)
    let milliseconds = [
      p50, p99, fromSent.last ?? .nan, Self.quantile(fromDue, 0.5), Self.quantile(fromDue, 0.99),
    ].map { decimals($0 * 1000, 2) }
    let ratios = [
      p50 / Self.quantile(yardstick.fromSent, 0.5), p99 / Self.quantile(yardstick.fromSent, 0.99),
    ].map { decimals($0, 1) }
    return Self.row(name, ["\(fromSent.count)"] + milliseconds + ratios)
  }
}

/// With so many decimals.
func decimals(_ value: Double, _ count: Int) -> String {
  guard value.isFinite else { return "-" }
  let scale = count == 2 ? 100 : 10
  let whole = Int((value * Double(scale)).rounded())
  let rest = "\(whole % scale)"
  return "\(whole / scale)." + String(repeating: "0", count: count - rest.count) + rest
}

/// Filled with spaces: behind, or before where the width is negative.
func pad(_ text: String, _ width: Int) -> String {
  let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
  return width < 0 ? spaces + text : text + spaces
}
