import NodeLogic
import Telemetry
import Testing

/// A calibration and a change of a setting that somebody asks a node for.
@Suite struct RestCommandTests {
  private let sensor = AccelerometerDescription(
    name: "lis3dh", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 16)

  private func node() -> Node {
    var settings = NodeSettings()
    settings.motion = MotionSettings(.fixed)
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    var node = Node(boot: BootID(7), settings, clock: clock)
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(.accelerometer(.started(sensor)), at: .start)
    return node
  }

  private func ask(_ node: inout Node, _ command: CommandMessage, at seconds: Double) -> [NodeEffect] {
    node.handle(.command(command.encode(), isRetained: false), at: Instant(seconds: seconds))
  }

  private func replies(_ effects: [NodeEffect]) -> [ReplyMessage] {
    effects.compactMap {
      if case .publish(let outgoing) = $0, case .reply(let reply) = outgoing.telegram.body { reply } else { nil }
    }
  }

  private func wakings(_ effects: [NodeEffect]) -> [Double] {
    effects.compactMap { if case .keepAwake(let until) = $0 { until.seconds } else { nil } }
  }

  /// Hands in noise of about 0.8 mg on each axis, and `extra` on z.
  private func feel(
    _ node: inout Node, from start: Double, to end: Double, _ extra: (Double) -> Double = { _ in 0 }
  ) -> [NodeEffect] {
    var effects: [NodeEffect] = []
    var state: UInt64 = 42
    func noise() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Double(state >> 33) / Double(UInt32.max >> 1) - 0.5) * 0.0028
    }
    for index in 1...Int((end - start) * 100) {
      let at = Instant(seconds: start + Double(index) / 100)
      let g = Vector(noise(), noise(), 1.002 + noise() + extra(at.seconds))
      effects += node.handle(.accelerometer(.samples([Sample(at: at, g: g)])), at: at)
      effects += node.handle(.tick, at: at)
    }
    return effects
  }

  @Test func aNodeAtRestAnswersWithItsFiguresAndWhatFollows() throws {
    var node = node()
    _ = feel(&node, from: 0, to: 2)
    let begun = ask(&node, CommandMessage(id: "c", .calibrate, forS: 10), at: 2)
    #expect(replies(begun).isEmpty && wakings(begun) == [22])
    #expect(replies(ask(&node, CommandMessage(id: "c", .calibrate, forS: 10), at: 3)).isEmpty, "it came again")
    let other = replies(ask(&node, CommandMessage(id: "d", .calibrate, forS: 10), at: 4))
    #expect(other.first?.reason?.hasPrefix("a calibration is already running") == true)
    let effects = feel(&node, from: 4, to: 16)
    let answer = try #require(replies(effects).first)
    #expect(answer.id == "c" && answer.isDone && replies(effects).count == 1)
    let rest = try #require(answer.rest)
    #expect((0.998...1.006).contains(rest.meanG.length) && rest.face == .zUp && rest.clipped == 0)
    #expect((9.9...10.3).contains(rest.durationS) && (0.5...1.2).contains(rest.noiseMg.x))
    #expect(answer.note?.contains("below four times the noise in band") == true, "\(answer.note ?? "")")
    #expect(answer.note?.contains("set shake.on_g=0.00") == true)
    #expect(wakings(effects).last.map { $0 < 16 } == true, "the sensor may sleep again")
    #expect(replies(ask(&node, CommandMessage(id: "c", .calibrate, forS: 10), at: 20)) == [answer])
  }

  @Test func aNodeThatMovesIsNotCalibrated() throws {
    var node = node()
    _ = ask(&node, CommandMessage(id: "c", .calibrate, forS: 10), at: 0)
    let effects = feel(&node, from: 0, to: 12) { time in
      (5...5.5).contains(time) ? (Int((time * 100).rounded()) % 2 == 0 ? 0.2 : -0.2) : 0
    }
    let answer = try #require(replies(effects).first)
    #expect(!answer.isDone && answer.rest == nil)
    #expect(answer.reason?.hasPrefix("something moved it after") == true, "\(answer.reason ?? "")")
  }

  @Test func aSensorThatFallsSilentOrFailsEndsItWithTheReason() {
    var stalled = node()
    _ = ask(&stalled, CommandMessage(id: "c", .calibrate, forS: 10), at: 0)
    _ = feel(&stalled, from: 0, to: 3)
    #expect(
      replies(stalled.handle(.tick, at: Instant(seconds: 6))).first?.reason?.hasPrefix("the sensor gives no samples")
        == true)
    var failed = node()
    _ = ask(&failed, CommandMessage(id: "c", .calibrate, forS: 10), at: 0)
    let effects = failed.handle(.accelerometer(.failed(reason: "gone")), at: Instant(seconds: 1))
    #expect(replies(effects).first?.reason == "the sensor failed: gone")
    let again = ask(&failed, CommandMessage(id: "d", .calibrate, forS: 10), at: 2)
    #expect(replies(again).first?.reason == "the sensor gives no samples: gone")
  }

  @Test func tooFewSamplesAreNoCalibration() {
    var node = node()
    _ = ask(&node, CommandMessage(id: "c", .calibrate, forS: 10), at: 0)
    _ = node.handle(.accelerometer(.idle), at: Instant(seconds: 0.1))
    let end = node.handle(.tick, at: Instant(seconds: 20))
    #expect(replies(end).first?.reason?.hasPrefix("0.0 s of samples came") == true)
  }

  @Test func withoutASensorThereIsNothingToCalibrate() {
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    var node = Node(boot: BootID(7), NodeSettings(), clock: clock)
    _ = node.handle(.link(isConnected: true), at: .start)
    let effects = ask(&node, CommandMessage(id: "c", .calibrate), at: 1)
    #expect(replies(effects).first?.reason == "there is no accelerometer")
  }

  @Test func aSettingIsHandedOverOnceAndAnsweredWhenItIsDone() {
    var node = node()
    let command = CommandMessage(id: "s", .set, setting: .init("shake.on_g", .number(0.9)))
    let effects = ask(&node, command, at: 1)
    #expect(effects.contains(.set(command)) && replies(effects).isEmpty)
    #expect(!ask(&node, command, at: 1.5).contains(.set(command)), "it is being done")
    var answer = ReplyMessage(id: "s", .set, isDone: true)
    answer.change = .init("shake.on_g", from: .number(0.001), to: .number(0.9), isKept: true)
    #expect(replies(node.handle(.answered(answer), at: Instant(seconds: 2))) == [answer])
    let again = ask(&node, command, at: 3)
    #expect(replies(again) == [answer] && !again.contains(.set(command)))
    let late = CommandMessage(
      id: "t", .set, setting: .init("shake.on_g", .number(1)), expires: WallTime(seconds: 1_799_999_999))
    #expect(replies(ask(&node, late, at: 4)).first?.reason?.hasPrefix("expired") == true)
  }

  @Test func noMoreSettingsWaitThanAreRemembered() {
    var node = node()
    let answers = (0...16).map { number in
      replies(ask(&node, CommandMessage(id: "\(number)", .set, setting: .init("shake.on_g", nil)), at: 1))
    }
    #expect(answers[15].isEmpty && answers[16].first?.reason == "too many commands wait for their end")
  }
}
