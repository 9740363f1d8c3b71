import NodeLogic
import Telemetry
import Testing

@Suite("Asking for live samples")
struct LiveCommandTests {
  private let sensor = AccelerometerDescription(
    name: "bma255", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 2)

  /// A connected node that has seen 5 s of rest.
  private func node() -> Node {
    var settings = NodeSettings()
    settings.motion = MotionSettings()
    settings.location = nil
    let clock = ClockState(wallAtStart: WallTime(seconds: 1e9), quality: .ntp)
    var node = Node(boot: BootID(1), settings, clock: clock)
    _ = node.handle(.link(isConnected: true), at: .s(0))
    _ = node.handle(.accelerometer(.started(sensor)), at: .s(0))
    for sample in samples(lengthS: 5, { _ in flat }) {
      _ = node.handle(.accelerometer(.samples([sample])), at: sample.at)
    }
    return node
  }

  private func ask(_ node: inout Node, _ id: String = "a", forS: Double = 60, at now: Instant) -> [NodeEffect] {
    node.handle(.command(CommandMessage(id: id, .live, forS: forS).encode(), isRetained: false), at: now)
  }

  private func reply(_ effects: [NodeEffect]) -> ReplyMessage? {
    for case .publish(let outgoing) in effects {
      if case .reply(let reply) = outgoing.telegram.body { return reply }
    }
    return nil
  }

  private func wakings(_ effects: [NodeEffect]) -> [Instant] {
    effects.compactMap { if case .keepAwake(let until) = $0 { until } else { nil } }
  }

  @Test func aSleepingSensorIsWokenForWhoeverWatchesAndSamplesCome() {
    var node = node()
    _ = node.handle(.accelerometer(.idle), at: .s(5))
    let effects = ask(&node, at: .s(6))
    #expect(reply(effects)?.isDone == true)
    #expect(wakings(effects) == [.s(66)])
    _ = node.handle(.accelerometer(.woken(at: .s(6))), at: .s(6.1))
    var batches = 0
    for sample in samples(from: 6.2, lengthS: 4, { _ in flat }) {
      for case .publish(let outgoing) in node.handle(.accelerometer(.samples([sample])), at: sample.at) {
        if case .acceleration(let message) = outgoing.telegram.body, message.samples != nil { batches += 1 }
      }
    }
    #expect(batches > 0)
  }

  @Test func aLeaseKeepsAWakeSensorFromSleepingAndItsEndLetsItSleep() {
    var node = node()
    let begin = ask(&node, at: .s(6))
    #expect(wakings(begin) == [.s(66)])
    let end = ask(&node, "b", forS: 0, at: .s(10))
    #expect(wakings(end) == [.s(10)])
  }

  @Test func aDriverThatSleepsOrBeginsAnewInALeaseIsToldOfIt() {
    var node = node()
    _ = ask(&node, at: .s(6))
    let asleep = node.handle(.accelerometer(.idle), at: .s(7))
    #expect(wakings(asleep) == [.s(66)])
    let anew = node.handle(.accelerometer(.started(sensor)), at: .s(8))
    #expect(wakings(anew) == [.s(66)])
    let gap = node.handle(.accelerometer(.gap), at: .s(9))
    #expect(wakings(gap).isEmpty)
    _ = node.handle(.tick, at: .s(67))
    let later = node.handle(.accelerometer(.idle), at: .s(68))
    #expect(wakings(later).isEmpty, "the lease has run out")
  }

  @Test func aSensorThatFailedIsNoSensorToWatchAndTheReplySaysWhy() throws {
    var node = node()
    _ = node.handle(.accelerometer(.failed(reason: "bma255: it reads exactly 0, 0, 0")), at: .s(6))
    let effects = ask(&node, at: .s(7))
    let answer = try #require(reply(effects))
    #expect(!answer.isDone && answer.until == nil)
    #expect(answer.reason == "the sensor gives no samples: bma255: it reads exactly 0, 0, 0")
    #expect(wakings(effects).isEmpty)
  }

  @Test func aSensorThatStalledIsNoSensorToWatchAndTheReplySaysWhy() throws {
    var node = node()
    _ = node.handle(.tick, at: .s(9))
    let effects = ask(&node, at: .s(10))
    let answer = try #require(reply(effects))
    #expect(!answer.isDone)
    #expect(answer.reason == "the sensor gives no samples: none for 5.0 s")
  }

  @Test func aLeaseCanBeEndedWhateverTheSensorDoes() {
    var node = node()
    _ = ask(&node, at: .s(6))
    _ = node.handle(.accelerometer(.failed(reason: "gone")), at: .s(7))
    let effects = ask(&node, "b", forS: 0, at: .s(8))
    #expect(reply(effects)?.isDone == true)
  }
}
