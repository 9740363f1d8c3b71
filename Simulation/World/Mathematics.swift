internal import func Glibc.log

/// The natural logarithm.
func naturalLogarithm(_ value: Double) -> Double { log(value) }
