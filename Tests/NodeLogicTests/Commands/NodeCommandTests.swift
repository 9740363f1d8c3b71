import NodeLogic
import Telemetry
import Testing

/// What a whole node does when it is asked to.
@Suite struct NodeCommandTests {
  private let sensor = AccelerometerDescription(name: "lis3dh", source: .iio, rateHz: 100, capture: .buffered)
  private var settings: NodeSettings {
    var settings = NodeSettings()
    settings.motion = MotionSettings(.handheld)
    return settings
  }

  /// A connected node whose sensor has lain still for three seconds.
  private func node() -> Node {
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    var node = Node(boot: BootID(7), settings, clock: clock)
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(.accelerometer(.started(sensor)), at: .start)
    _ = rest(&node, from: 0, seconds: 3)
    return node
  }

  private func rest(_ node: inout Node, from start: Double, seconds: Double) -> [NodeEffect] {
    var effects: [NodeEffect] = []
    for index in 1...Int(seconds * 100) {
      let at = Instant(seconds: start + Double(index) / 100)
      effects += node.handle(.accelerometer(.samples([Sample(at: at, g: Vector(0, 0, 1))])), at: at)
    }
    return effects
  }

  private func ask(_ node: inout Node, _ command: CommandMessage, at seconds: Double) -> [NodeEffect] {
    node.handle(.command(command.encode(), isRetained: false), at: Instant(seconds: seconds))
  }

  private func bodies(_ effects: [NodeEffect]) -> [Telegram.Body] {
    effects.compactMap { if case .publish(let outgoing) = $0 { outgoing.telegram.body } else { nil } }
  }

  private func replies(_ effects: [NodeEffect]) -> [ReplyMessage] {
    bodies(effects).compactMap { if case .reply(let reply) = $0 { reply } else { nil } }
  }

  private func orientations(_ effects: [NodeEffect]) -> [OrientationMessage] {
    bodies(effects).compactMap { if case .orientation(let message) = $0 { message } else { nil } }
  }

  @Test func aDisarmedNodeDoesNotRepeatWhichSideWasUp() {
    var node = node()
    #expect(orientations(reconnect(&node, at: 3.2)).map(\.face) == [.zUp], "an armed one does")
    #expect(
      replies(ask(&node, CommandMessage(id: "a", .disarm), at: 3.5)) == [ReplyMessage(id: "a", .disarm, isDone: true)])
    #expect(orientations(reconnect(&node, at: 4)).isEmpty)
    #expect(bodies(rest(&node, from: 5, seconds: 12)).allSatisfy { $0.stream == .status })
  }

  private func reconnect(_ node: inout Node, at seconds: Double) -> [NodeEffect] {
    for sequence in 1...UInt64(20) { _ = node.handle(.delivered(sequence), at: Instant(seconds: seconds)) }
    _ = node.handle(.link(isConnected: false), at: Instant(seconds: seconds))
    return node.handle(.link(isConnected: true), at: Instant(seconds: seconds + 0.1))
  }

  @Test func anotherConventionIsToldOfTheSideThatIsUp() {
    var node = node()
    var turned = settings
    turned.convention = .apple
    let told = orientations(node.reconfigure(turned, at: Instant(seconds: 4)))
    #expect(told.count == 1)
    #expect((told.first?.up.z ?? 0) < -0.99)
    #expect(orientations(node.reconfigure(turned, at: Instant(seconds: 5))).isEmpty, "nothing has changed")
  }

  @Test func aNodeStaysDisarmedWhenItsSensorIsTakenAwayAndBroughtBack() {
    var node = node()
    _ = ask(&node, CommandMessage(id: "a", .disarm), at: 3.5)
    var without = settings
    without.motion = nil
    _ = node.reconfigure(without, at: Instant(seconds: 4))
    #expect(replies(ask(&node, CommandMessage(id: "b", .arm), at: 4.5)).first?.reason == "there is no accelerometer")
    let effects = node.reconfigure(settings, at: Instant(seconds: 5))
    let armed = bodies(effects).compactMap { if case .status(let status) = $0 { status.isArmed } else { nil } }
    #expect(armed == [false])
  }

  @Test func aLeaseIsToldWithItsEndAndTheSameCommandIsNotDoneTwice() {
    var node = node()
    let first = replies(ask(&node, CommandMessage(id: "l", .live, forS: 60), at: 4))
    #expect(first.first?.until == WallTime(seconds: 1_800_000_064))
    #expect(replies(ask(&node, CommandMessage(id: "l", .live, forS: 60), at: 30)) == first, "it came twice")
    let samples = bodies(rest(&node, from: 30, seconds: 2)).compactMap { body -> [Vector]? in
      if case .acceleration(let message) = body { message.samples } else { nil }
    }
    #expect(samples.count >= 1)
    #expect(replies(ask(&node, CommandMessage(id: "m", .live, forS: 0), at: 33)).first?.until == nil)
    let after = bodies(rest(&node, from: 33, seconds: 3)).filter { $0.stream == .acceleration }
    #expect(after.isEmpty, "ended")
  }

  @Test func aDisarmedNodeStreamsNothing() {
    var node = node()
    _ = ask(&node, CommandMessage(id: "a", .disarm), at: 4)
    #expect(
      replies(ask(&node, CommandMessage(id: "l", .live, forS: 60), at: 5)).first?.reason == "the node is disarmed")
  }
}
