/// A place on the globe, WGS 84.
public struct Coordinate: Equatable, Hashable, Sendable {
  /// [deg], north positive, -90...90.
  public let latitude: Double
  /// [deg], east positive, -180...180.
  public let longitude: Double

  /// Nil unless both are finite and in range.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The mean radius of the earth [m] (IUGG, GRS 80: (2a + b) / 3).
  public static let earthRadiusM = 6_371_008.8

  /// The great-circle distance [m] by the haversine formula: exact enough at any distance on a sphere, which is within
  /// 0.6 % of the ellipsoid.
  public func distanceM(to other: Coordinate) -> Double {
    let phi1 = radians(latitude)
    let phi2 = radians(other.latitude)
    let sinHalfPhi = sin((phi2 - phi1) / 2)
    let sinHalfLambda = sin(radians(other.longitude - longitude) / 2)
    let h = sinHalfPhi * sinHalfPhi + cos(phi1) * cos(phi2) * sinHalfLambda * sinHalfLambda
    return 2 * Coordinate.earthRadiusM * asin(min(1, h.squareRoot()))
  }
}
