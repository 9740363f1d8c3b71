/// A measure of a window that is taken only when it is asked for, by its word in `acceleration.measures`.
///
/// All but the bands are taken of the acceleration without gravity, with its corner at `acceleration.cutoff_hz`.
public enum AccelerationMeasure: String, CaseIterable, Hashable, Sendable {
  /// `peak_g` by `rms_g`.
  case crest
  /// The vibration dose, (integral of the length's 4th power)^(1/4) [m/s^1.75], as ISO 2631-1 defines it for an axis,
  /// but of the length and without its frequency weighting.
  case vdv
  /// The cumulative absolute velocity, the integral of the length [g s], in pieces of 1 s of which only those count
  /// whose peak is above 0.025 g: otherwise the sensor's own noise grows it for ever (PEER report 2010/102).
  case cav
  /// The peak particle velocity on each axis [mm/s], with its frequency.
  case ppv
  /// n times the sum of the 4th powers by the squared sum of squares, on the axis that moves most.
  case kurtosis
  /// The RMS from 0.5 to 2, from 2 to 8 and from 8 to 30 Hz.
  case bands

  /// Not one of the words.
  public struct UnknownWord: Error, Equatable, CustomStringConvertible {
    /// The word as it was written.
    public let word: String

    public var description: String {
      "'\(word)' is no measure; there are \(AccelerationMeasure.allCases.map(\.rawValue).joined(separator: ", ")), all"
    }
  }

  /// Reads words between commas or blanks, in any order, or `all`. No word is no measure.
  public static func parse(_ text: String) throws(UnknownWord) -> Set<AccelerationMeasure> {
    var measures: Set<AccelerationMeasure> = []
    for word in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
      if word == "all" {
        measures.formUnion(allCases)
      } else if let measure = AccelerationMeasure(rawValue: String(word)) {
        measures.insert(measure)
      } else {
        throw UnknownWord(word: String(word))
      }
    }
    return measures
  }
}
