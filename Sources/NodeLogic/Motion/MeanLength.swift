internal import Telemetry

/// What the mean of the length of a sensor's acceleration tells of its unit: at rest it is 1 g, and while a thing is
/// carried about not much else.
enum MeanLength {
  /// What a sensor at rest may show with its own errors [g]. More is a wrong scale, or no sensor.
  static let rest = 0.7...1.3
  /// No thing is shaken so hard for a whole recording; the coarsest chips have 8 counts in one g.
  private static let mostG = 3.0

  /// One line on a mean that looks as if it were in another unit than g; nil: it does not.
  static func doubt(_ length: Double) -> String? {
    let unit: String? =
      switch length {
      case 8.5...11: "m/s^2"
      case 850...1100: "mg"
      case mostG...: "raw counts"
      default: nil
      }
    return unit.map { "\(text(length)): that looks like \($0); expected g" }
  }

  /// One line on a mean that a sensor at rest cannot have; nil: it can.
  static func objection(_ length: Double) -> String? {
    rest.contains(length) ? nil : "\(text(length)), which is not gravity; expected 0.7 to 1.3 g at rest"
  }

  private static func text(_ length: Double) -> String { "the mean of |a| is \(Decimal.text(length, decimals: 3))" }
}
