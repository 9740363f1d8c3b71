/// Random numbers that a seed determines, the same on every machine: SplitMix64 (Steele, Lea and Flood 2014, "Fast
/// splittable pseudorandom number generators").
struct RandomNumbers: Equatable, Sendable, RandomNumberGenerator {
  private var state: UInt64
  private var spare: Double?

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// Evenly from `range`.
  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    let unit = Double(next() >> 11) * 0x1p-53
    return range.lowerBound + unit * (range.upperBound - range.lowerBound)
  }

  /// From the normal distribution with mean 0 and standard deviation 1 (Box and Muller 1958).
  mutating func normal() -> Double {
    if let spare {
      self.spare = nil
      return spare
    }
    // 1 - u is never 0, and so never the logarithm of 0.
    let radius = (-2 * log(1 - uniform(0...0x1.fffffffffffffp-1))).squareRoot()
    let angle = uniform(0...(2 * .pi))
    spare = radius * sin(angle)
    return radius * cos(angle)
  }
}
