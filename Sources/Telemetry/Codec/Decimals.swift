/// How many digits after the point a number has in messages: somewhat finer than any sensor.
enum Decimals {
  /// Seconds.
  static let time = 3
  /// Seconds of a blow: a hard one lasts a millisecond.
  static let pulse = 5
  /// Seconds since 1970 of a waveform's sample: 1 us at 3200 Hz is 0.3 % of a period.
  static let fineTime = 6
  /// The spacing of samples [s]: 100 samples add up to less than 1 us of error.
  static let period = 9
  /// The unit of a waveform's samples [g].
  static let unit = 9
  /// 1e-7 deg is 1 cm.
  static let degrees = 7
  /// Directions and courses [deg].
  static let angle = 2
  /// Metres and m/s.
  static let metres = 2
  /// Metres of a way: a position is not known better.
  static let distance = 0
  static let speed = 3
  /// Components of an acceleration, in 10 ug.
  static let acceleration = 5
  /// Lengths of an acceleration and their integral over time: a machine's shake may peak at 1 mg.
  static let magnitude = 6
  /// Integrals of a square: 1 mg over 0.1 s is 1e-7 g^2 s.
  static let energy = 9
  static let frequency = 3
  /// Components of a unit vector: 0.01 deg.
  static let direction = 4
  /// Any number that a rule may compare.
  static let any = 6
}
