/// How far from the truth a fix may be, for decisions alone: what is published is the receiver's own figure.
enum FixNoise {
  /// Taken for the accuracy of a fix that has none [m]: gpsd's own model gives 19 m at HDOP 1 (`P_UERE_NO_DGPS` in
  /// libgpsd_core.c), and receivers without figures are old ones.
  static let assumedM = 20.0
  /// No accuracy counts as better [m]: receivers with corrections give centimetres, and trees and walls are not in it.
  static let leastM = 1.0

  /// Of one fix [m].
  static func metres(_ fix: Fix) -> Double { metres(fix.accuracy?.metres) }

  /// Of an accuracy [m].
  static func metres(_ accuracyM: Double?) -> Double { max(accuracyM ?? assumedM, leastM) }

  /// Of the distance between two fixes [m].
  static func metres(_ a: Fix, _ b: Fix) -> Double { hypot(metres(a), metres(b)) }
}
