// The one file of this target that imports anything of the system, and that only mathematics (libm).

internal import func Glibc.acos
internal import func Glibc.asin
internal import func Glibc.cos
internal import func Glibc.sin

/// acos(3): the angle whose cosine is `x` [rad], 0...pi; NaN outside -1...1.
func acos(_ x: Double) -> Double { Glibc.acos(x) }

/// The angle [rad] in degrees.
func degrees(_ radians: Double) -> Double { radians * (180 / .pi) }

/// The great-circle distance between two places, each by its latitude and longitude [deg] [m]: the haversine formula on
/// a sphere of 6371.0088 km (the mean radius of IUGG), within 0.6 % of the ellipsoid.
func greatCircleM(_ latitudeA: Double, _ longitudeA: Double, _ latitudeB: Double, _ longitudeB: Double) -> Double {
  func radians(_ degrees: Double) -> Double { degrees * (.pi / 180) }
  func squaredSine(_ angle: Double) -> Double { Glibc.sin(angle / 2) * Glibc.sin(angle / 2) }
  let latitudes = Glibc.cos(radians(latitudeA)) * Glibc.cos(radians(latitudeB))
  let h = squaredSine(radians(latitudeB - latitudeA)) + latitudes * squaredSine(radians(longitudeB - longitudeA))
  return 2 * 6_371_008.8 * Glibc.asin(min(1, h.squareRoot()))
}
