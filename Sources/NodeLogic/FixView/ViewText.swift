internal import Telemetry

/// Numbers as a view of positions shows them.
enum ViewText {
  /// `0.34 s`, `12 s`, `35 min`, `5.2 h`, `19 d`.
  static func duration(_ seconds: Double) -> String {
    switch seconds.magnitude {
    case ..<10: "\(Decimal.text(seconds, decimals: seconds.magnitude < 1 ? 2 : 1)) s"
    case ..<300: "\(Decimal.text(seconds, decimals: 0)) s"
    case ..<7200: "\(Decimal.text(seconds / 60, decimals: 0)) min"
    case ..<172_800: "\(Decimal.text(seconds / 3600, decimals: 1)) h"
    default: "\(Decimal.text(seconds / 86_400, decimals: 0)) d"
    }
  }

  /// `4.2 m`, `120 m`, `12.3 km`.
  static func distance(_ metres: Double) -> String {
    switch metres.magnitude {
    case ..<10: "\(Decimal.text(metres, decimals: 1)) m"
    case ..<10_000: "\(Decimal.text(metres, decimals: 0)) m"
    default: "\(Decimal.text(metres / 1000, decimals: 1)) km"
    }
  }

  /// `47.3667123, 8.5411456`: to a centimetre, as they are published.
  static func place(_ latitude: Double, _ longitude: Double) -> String {
    "\(Decimal.text(latitude, decimals: 7)), \(Decimal.text(longitude, decimals: 7))"
  }

  static func place(_ coordinate: Coordinate) -> String { place(coordinate.latitude, coordinate.longitude) }

  /// ` (near 12, standing 3)`, the most frequent first; empty without any.
  static func counts<Word: RawRepresentable>(_ counts: [Word: Int]) -> String where Word.RawValue == String {
    guard !counts.isEmpty else { return "" }
    let sorted = counts.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
    return " (\(sorted.map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", ")))"
  }
}
