/// Where an event happened, as far as the node knew: a position and how old it is.
public struct Place: Equatable, Sendable {
  /// WGS 84 [deg], north positive.
  public var latitude: Double
  /// WGS 84 [deg], east positive.
  public var longitude: Double
  /// The age of the fix at `Envelope.time` [s].
  public var fixAgeS: Double

  /// The place of a fix of this age.
  public init(latitude: Double, longitude: Double, fixAgeS: Double) {
    self.latitude = latitude
    self.longitude = longitude
    self.fixAgeS = fixAgeS
  }
}
