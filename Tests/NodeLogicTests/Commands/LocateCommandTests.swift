import NodeLogic
import Telemetry
import Testing

/// What a node answers and publishes when it is asked where it is.
@Suite struct LocateCommandTests {
  private func node(hasLocation: Bool = true) -> Node {
    var settings = NodeSettings()
    if hasLocation { settings.location = LocationTracker.Settings() }
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    var node = Node(boot: BootID(7), settings, clock: clock)
    _ = node.handle(.link(isConnected: true), at: .start)
    return node
  }

  private func pass(_ node: inout Node, to seconds: Double) {
    while node.nextDeadline.seconds <= seconds { _ = node.handle(.tick, at: node.nextDeadline) }
  }

  private func fix(_ node: inout Node, at seconds: Double) {
    var position = GpsdPosition(device: "/dev/a", mode: 3)
    (position.latitude, position.longitude, position.ephM) = (47, 8, 5)
    let now = Instant(seconds: seconds)
    if seconds < 2 { _ = node.handle(.gpsd(.link(.up(release: nil))), at: now) }
    _ = node.handle(.gpsd(.report(.position(position))), at: now)
  }

  private func ask(_ node: inout Node, at seconds: Double) -> (reply: ReplyMessage?, location: LocationMessage?) {
    let command = CommandMessage(id: "w\(seconds)", .locate)
    let effects = node.handle(.command(command.encode(), isRetained: false), at: Instant(seconds: seconds))
    var answer: (reply: ReplyMessage?, location: LocationMessage?) = (nil, nil)
    for case .publish(let outgoing) in effects {
      switch outgoing.telegram.body {
      case .reply(let reply): answer.reply = reply
      case .location(let location): answer.location = location
      default: Issue.record("\(outgoing.telegram.body)")
      }
    }
    return answer
  }

  @Test func aNodeWithAFixPublishesIt() throws {
    var node = node()
    fix(&node, at: 1)
    pass(&node, to: 3)
    let answer = ask(&node, at: 3)
    #expect(answer.reply?.isDone == true)
    guard case .fixed(let position)? = answer.location else {
      Issue.record("no position")
      return
    }
    #expect(position.cause == .request)
    #expect(position.ageS == 2)
    #expect(position.received == WallTime(seconds: 1_800_000_001))
  }

  @Test func aNodeWithoutOneSaysWhy() {
    var node = node()
    #expect(ask(&node, at: 2).reply?.reason == "no fix yet, and not long enough to call it lost")
    pass(&node, to: 40)
    let answer = ask(&node, at: 40)
    #expect(answer.reply?.isDone == true)
    #expect(answer.location == .lost(LocationMessage.Loss(reason: .gpsdGone, last: nil)))
  }

  @Test func aNodeThatDoesNotLookSaysSo() {
    var node = node(hasLocation: false)
    let answer = ask(&node, at: 2)
    #expect(answer.reply?.reason == "location is off")
    #expect(answer.location == nil)
  }
}
