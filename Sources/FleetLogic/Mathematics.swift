// The one file of this target that imports anything of the system, and that only mathematics (libm).

internal import func Glibc.acos
internal import func Glibc.asin
internal import func Glibc.atan2
internal import func Glibc.cos
internal import func Glibc.exp
internal import func Glibc.log
internal import func Glibc.sin

/// acos(3): the angle whose cosine is `x` [rad], 0...pi; NaN outside -1...1.
func acos(_ x: Double) -> Double { Glibc.acos(x) }

/// asin(3): the angle whose sine is `x` [rad], -pi/2...pi/2; NaN outside -1...1.
func asin(_ x: Double) -> Double { Glibc.asin(x) }

/// atan2(3): the angle of the point (x, y) from the x axis [rad], -pi...pi.
func atan2(_ y: Double, _ x: Double) -> Double { Glibc.atan2(y, x) }

/// cos(3) of an angle [rad].
func cos(_ x: Double) -> Double { Glibc.cos(x) }

/// exp(3).
func exp(_ x: Double) -> Double { Glibc.exp(x) }

/// log(3): the natural logarithm.
func log(_ x: Double) -> Double { Glibc.log(x) }

/// sin(3) of an angle [rad].
func sin(_ x: Double) -> Double { Glibc.sin(x) }

/// The angle [rad] in degrees.
func degrees(_ radians: Double) -> Double { radians * (180 / .pi) }
