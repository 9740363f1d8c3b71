import FleetLogic
import Telemetry
import Testing

/// Random lives of a small fleet: whatever happens, what people are told makes sense, and nothing is left in the end.
@Suite struct LifePropertyTests {
  /// SplitMix64 (Steele, Lea, Flood 2014).
  struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  private static func matchers(_ dice: inout Dice) -> Matchers {
    let patterns = ["a*", "a0", "@hall", "*", "b0"].map { NamePattern($0) }
    let rules = [nil, "silent", "lost-fix", "*"].map { $0.map { NamePattern($0) } }
    return Matchers(rule: rules.randomElement(using: &dice) ?? nil, subject: patterns.randomElement(using: &dice))
  }

  private static func step(_ dice: inout Dice) -> LifeWorld.Step {
    let node = Int.random(in: 0..<LifeWorld.nodes.count, using: &dice)
    switch Int.random(in: 0..<40, using: &dice) {
    case 0...4: return .online(node)
    case 5: return .stopped(node)
    case 6...9: return .will(node)
    case 10...12: return .fix(node)
    case 13...16: return .noFix(node)
    case 17: return .side(node, [.zUp, .xUp].randomElement(using: &dice) ?? .zUp)
    case 18...19: return .shake(node)
    case 20: return .shakeEnds(node)
    case 21: return .sensor(node, stalled: Bool.random(using: &dice))
    case 22...29: return .pass([0.5, 3, 10, 10.5, 21, 60, 160].randomElement(using: &dice) ?? 1)
    case 30:
      let startS: Double = [0, 0, 20].randomElement(using: &dice) ?? 0
      let endS = startS + ([5, 60, 400].randomElement(using: &dice) ?? 5)
      return .silence(node, matchers(&dice), startS: startS, endS: endS)
    case 31: return .unsilence(node)
    case 32: return .acknowledge(matchers(&dice))
    case 33: return .unacknowledge(matchers(&dice))
    case 34: return .linkLost
    case 35...36: return .linkBack
    case 37: return .restart
    case 38: return .clock([-1000, -5, 0, 5, 1000].randomElement(using: &dice) ?? 0)
    default: return .sinkIsSlow(Bool.random(using: &dice))
    }
  }

  private static func complaints(_ steps: [LifeWorld.Step], keeps: Bool) -> [String] {
    var world = LifeWorld(keeps: keeps)
    for step in steps {
      world.take(step)
      if !world.complaints.isEmpty { return world.complaints }
    }
    world.look()
    world.calm()
    return world.complaints
  }

  /// Leaves out what the complaint does not need.
  private static func shrunk(_ steps: [LifeWorld.Step], keeps: Bool) -> [LifeWorld.Step] {
    var (steps, size) = (steps, steps.count / 2)
    while size > 0 {
      var place = 0
      while place < steps.count {
        var fewer = steps
        fewer.removeSubrange(place..<min(steps.count, place + size))
        if complaints(fewer, keeps: keeps).isEmpty { place += size } else { steps = fewer }
      }
      size /= 2
    }
    return steps
  }

  @Test(arguments: [true, false]) func whateverHappensWhatIsToldMakesSense(keeps: Bool) {
    for seed in UInt64(1)...60 {
      var dice = Dice(state: seed)
      let length = Int.random(in: 20...150, using: &dice)
      let steps = (0..<length).map { _ in Self.step(&dice) }
      guard !Self.complaints(steps, keeps: keeps).isEmpty else { continue }
      let fewer = Self.shrunk(steps, keeps: keeps)
      let found = Self.complaints(fewer, keeps: keeps)
      let text = fewer.map { "\($0)" }.joined(separator: "\n")
      Issue.record("seed \(seed), with a store: \(keeps): \(found.prefix(5)) after\n\(text)")
      return
    }
  }
}
