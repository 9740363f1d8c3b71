import Rig

/// The only source of chance in a run: the same seed, the same numbers.
struct Chance {
  var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// A generator of its own, so that one part's draws don't move another's.
  mutating func fork() -> Chance { Chance(seed: random.next()) }

  /// True once in `number` times on average.
  mutating func oneIn(_ number: Int) -> Bool { Int.random(in: 0..<max(1, number), using: &random) == 0 }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func double(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }

  mutating func word() -> UInt64 { random.next() }

  /// The time to the next of things that come `meanS` apart on average, each by chance [s].
  mutating func waitS(meanS: Double) -> Double { -meanS * naturalLogarithm(double(1e-9...1)) }
}
