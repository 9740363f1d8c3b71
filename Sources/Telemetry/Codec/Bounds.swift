/// What a value in a message may be, wherever it appears. Wide enough for any device; what is outside is damage.
enum Bounds {
  /// Seconds since 1970, up to the end of the year 2199.
  static let time = 0.0...7_258_118_399.999
  /// Seconds that something took or has waited: up to a century.
  static let duration = 0.0...3.2e9
  static let latitude = -90.0...90.0
  static let longitude = -180.0...180.0
  /// A component of an acceleration [g]; the strongest sensors read some thousands.
  static let acceleration = -1e5...1e5
  /// The length of an acceleration [g].
  static let magnitude = 0.0...2e5
  /// The unit of a waveform's samples [g].
  static let unit = 1e-9...1e3
  /// A component of a unit vector, with room for rounding.
  static let direction = -1.001...1.001
  /// An energy [g^2 s] or a velocity [g s].
  static let dose = 0.0...1e15
  /// A rate or a frequency [Hz].
  static let frequency = 0.0...1e6
  /// Metres on the ground; half of the Earth's circumference is 2e7.
  static let distance = 0.0...1e8
  /// Metres of all ways of a lifetime: a train's 30 years come to 1e10.
  static let way = 0.0...1e12
  /// Spans of 1024 weeks that a time is off by: from 1980 to 2199 there are 11.
  static let rollovers = -20...20
  /// Metres above mean sea level, or above the ellipsoid.
  static let altitude = -1e5...1e6
  /// m/s; light does 3e8.
  static let speed = 0.0...3e8
  /// Degrees clockwise from north; 360 is 0.
  static let course = 0.0...360.0.nextDown
  /// Degrees between two directions.
  static let angle = 0.0...180.0
  /// Velocity of an oscillation [mm/s].
  static let vibration = 0.0...1e9
  /// A ratio, of a peak to an RMS or of moments, or a stretch.
  static let ratio = 0.0...1e9
  /// Megabytes in a month.
  static let volume = 0.0...1e9
  /// Milli-g.
  static let noise = 0.0...1e8
  /// Any number that a rule may compare.
  static let any = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
  /// The longest text, in bytes of UTF-8.
  static let textBytes = 1024
}

extension JSONWriter {
  /// A text that no receiver refuses for its length: cut where a character ends.
  mutating func text(_ key: StaticString, _ value: String?) {
    guard let value, value.utf8.count > Bounds.textBytes else { return string(key, value) }
    var end = value.utf8.index(value.startIndex, offsetBy: Bounds.textBytes)
    while end.samePosition(in: value.unicodeScalars) == nil { end = value.utf8.index(before: end) }
    string(key, String(value[..<end]))
  }
}
