import NodeLogic
import Telemetry
import Testing

/// A node that does not know the time, learns it from gpsd, and puts right what it said before:
/// stratopi-org/stratopi#1.
@Suite struct NodeTimeTests {
  /// The true wall time at `Instant.start`.
  private static let start = 1_796_000_000.0

  private func node() -> Node {
    var settings = NodeSettings()
    settings.motion = MotionSettings(.handheld)
    settings.location = LocationTracker.Settings(lostAfterS: 20)
    return Node(
      boot: BootID(7), settings, clock: ClockState(wallAtStart: WallTime(seconds: 0), quality: .none))
  }

  private func published(_ effects: [NodeEffect]) -> [Outgoing] {
    effects.compactMap { if case .publish(let outgoing) = $0 { outgoing } else { nil } }
  }

  private func notes(_ effects: [NodeEffect]) -> [String] {
    effects.compactMap { if case .log(let note) = $0, note.topic == "clock" { note.text } else { nil } }
  }

  /// A fix a second, each 0.2 s late.
  private func drive(_ node: inout Node, _ seconds: ClosedRange<Int>, offS: Double = 0) -> [NodeEffect] {
    seconds.flatMap { second -> [NodeEffect] in
      var report = GpsdPosition(device: "/dev/a", mode: 3)
      (report.latitude, report.longitude, report.ephM) = (47, 8, 5)
      report.time = WallTime(seconds: Self.start + Double(second) - 0.2 + offS)
      let now = Instant(seconds: Double(second))
      return node.handle(.gpsd(.report(.position(report))), at: now) + node.handle(.tick, at: now + 0.4)
    }
  }

  private func shake(_ node: inout Node, at start: Double) -> [NodeEffect] {
    let sensor = AccelerometerDescription(name: "lis3dh", source: .iio, rateHz: 100, capture: .buffered)
    var effects = node.handle(.accelerometer(.started(sensor)), at: Instant(seconds: start))
    for index in 0..<600 {
      let t = Double(index) / 100
      let isShaken = (2...2.8).contains(t)
      let x = isShaken ? (Int(t * 8) % 2 == 0 ? 2.0 : -2.0) : 0
      let sample = Sample(at: Instant(seconds: start + t), g: Vector(x, 0, 1))
      effects += node.handle(.accelerometer(.samples([sample])), at: sample.at)
    }
    return effects
  }

  @Test func whatItSaysBeforeItKnowsTheTimeIsMarkedAndWhatItSaysAfterwardsIsRight() throws {
    var node = node()
    let first = try #require(published(node.handle(.link(isConnected: true), at: Instant(seconds: 1))).first)
    #expect(first.telegram.envelope.clock == ClockQuality.none)
    #expect(first.telegram.envelope.time == WallTime(seconds: 1))
    let driven = drive(&node, 2...10)
    #expect(notes(driven).count == 1 && notes(driven)[0].contains("the system clock is 56 y behind"))
    let load = ProcessLoad(residentKB: nil, processorS: nil)
    let health = try #require(published(node.handle(.usage(load), at: Instant(seconds: 11))).first)
    #expect(health.telegram.envelope.clock == .gps)
    let time = try #require(health.telegram.envelope.time)
    #expect((time - WallTime(seconds: Self.start + 10.8)).magnitude < 0.01, "late by what a fix takes")
    #expect(health.telegram.envelope.uptime == 11)
  }

  /// Complaint 35: certificates are held against that, while nothing disciplines the system clock.
  @Test func itVouchesForTheTimeByGPSWhereTheSystemClockDoesNot() throws {
    var node = node()
    #expect(node.trustedTime(at: Instant(seconds: 1)) == nil)
    _ = drive(&node, 2...10)
    let time = try #require(node.trustedTime(at: Instant(seconds: 11)))
    #expect((time - WallTime(seconds: Self.start + 10.8)).magnitude < 0.01)
    let disciplined = ClockState(wallAtStart: WallTime(seconds: Self.start), quality: .ntp)
    _ = node.handle(.clock(disciplined), at: Instant(seconds: 12))
    #expect(node.trustedTime(at: Instant(seconds: 12)) == nil)
  }

  @Test func whatHappenedBeforeItKnewTheTimeIsRepairedWhenItIsHandedOver() throws {
    var node = node()
    #expect(published(shake(&node, at: 5)).isEmpty)
    _ = node.handle(.gpsd(.link(.down(reason: "refused"))), at: Instant(seconds: 12))
    _ = node.handle(.tick, at: Instant(seconds: 40))
    _ = drive(&node, 41...50)
    let sent = published(node.handle(.link(isConnected: true), at: Instant(seconds: 60)))
    let shakes = sent.compactMap { outgoing -> (Envelope, ShakeMessage)? in
      if case .shake(let shake) = outgoing.telegram.body { (outgoing.telegram.envelope, shake) } else { nil }
    }
    #expect(shakes.map(\.1.phase) == [.began, .ended])
    for (envelope, shake) in shakes {
      #expect(envelope.clock == .gps)
      let offS = try #require(envelope.time) - WallTime(seconds: Self.start + (try #require(envelope.uptime)))
      #expect((-0.3...0).contains(offS))
      #expect((7.0...7.3).contains(shake.start - WallTime(seconds: Self.start) - offS))
      if let end = shake.end { #expect(abs(end - shake.start - shake.durationS) < 1e-6) }
    }
    // The loss that was noticed at 40 s.
    let losses = sent.filter { if case .location(.lost) = $0.telegram.body { true } else { false } }
    #expect(losses.count == 1 && losses[0].telegram.envelope.clock == .gps)
  }

  @Test func whatTheBrokerMayHaveIsNotChanged() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    let sent = published(shake(&node, at: 5)).filter { $0.telegram.body.stream == .shake }
    #expect(sent.count == 2)
    _ = drive(&node, 20...30)
    _ = node.handle(.link(isConnected: false), at: Instant(seconds: 31))
    let again = published(node.handle(.link(isConnected: true), at: Instant(seconds: 32)))
    for before in sent {
      let after = try #require(again.first { $0.token == before.token })
      #expect(after.telegram == before.telegram)
      #expect(after.telegram.envelope.clock == ClockQuality.none)
    }
  }

  @Test func timeThatGoesBackKeepsThePositionAndTheClock() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = drive(&node, 1...10)
    let before = node.time.state
    _ = drive(&node, 11...20, offS: -30)
    #expect(node.time.state == before)
    _ = node.handle(.link(isConnected: false), at: Instant(seconds: 20.5))
    let present = published(node.handle(.link(isConnected: true), at: Instant(seconds: 21)))
    let location = present.first { $0.telegram.body.stream == .location && $0.isRetained }
    guard case .location(.fixed(let position))? = location?.telegram.body else {
      Issue.record("no position")
      return
    }
    #expect(position.latitude == 47 && position.ageS <= 1.5)
  }

  @Test func aRolloverIsFlaggedAndCountedAndTheClockIsLeftAlone() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    let sent = published(drive(&node, 1...10, offS: -FixTimeVerdict.rolloverS))
    guard
      case .location(.fixed(let position))? = sent.first(where: { $0.telegram.body.stream == .location })?
        .telegram.body
    else {
      Issue.record("no position")
      return
    }
    #expect(position.fixTimeRollovers == 1)
    #expect(position.fixTime == WallTime(seconds: Self.start + 0.8 - FixTimeVerdict.rolloverS))
    let load = ProcessLoad(residentKB: nil, processorS: nil)
    let health = try #require(published(node.handle(.usage(load), at: Instant(seconds: 11))).first)
    #expect(health.telegram.envelope.clock == ClockQuality.none)
    guard case .health(let message) = health.telegram.body else {
      Issue.record("no health")
      return
    }
    #expect(message.gps?.faults?.rollovers == 1)
  }

  @Test func aSimulatorTeachesNoTime() {
    var node = node()
    for second in 1...20 {
      var report = GpsdPosition(device: "/dev/a", mode: 3)
      (report.latitude, report.longitude, report.status) = (47, 8, 8)
      report.time = WallTime(seconds: Self.start + Double(second))
      _ = node.handle(.gpsd(.report(.position(report))), at: Instant(seconds: Double(second)))
      _ = node.handle(.tick, at: Instant(seconds: Double(second) + 0.4))
    }
    #expect(node.time.source == .system)
  }

  @Test func aCommandThatExpiresIsDecidedOnceTheTimeIsKnown() {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    func answer(_ id: String, at seconds: Double) -> String? {
      let text = #"{"v":1,"id":"\#(id)","command":"arm","expires_t":\#(Int(Self.start) + 15)}"#
      let effects = node.handle(.command(Array(text.utf8), isRetained: false), at: Instant(seconds: seconds))
      return published(effects).compactMap { outgoing -> String? in
        if case .reply(let reply) = outgoing.telegram.body { reply.reason ?? "done" } else { nil }
      }.first
    }
    #expect(answer("a", at: 1)?.contains("does not know the time") == true)
    _ = drive(&node, 2...10)
    #expect(answer("b", at: 11) == "done")
    #expect(answer("c", at: 20)?.hasPrefix("expired") == true)
  }

  @Test func aClockThatIsSetBackGivesNoTimeThatNobodyWouldTake() throws {
    for start in [-900, 1e11, -1e12] {
      var node = node()
      _ = node.handle(.link(isConnected: true), at: Instant(seconds: 1))
      _ = node.handle(.clock(ClockState(wallAtStart: WallTime(seconds: start), quality: .rtc)), at: Instant(seconds: 2))
      let sent = published(drive(&node, 3...4, offS: -1e9) + shake(&node, at: 10))
      #expect(!sent.isEmpty)
      for outgoing in sent {
        let telegram = outgoing.telegram
        #expect(telegram.envelope.clock == ClockQuality.none)
        let read = try Telegram.decode(stream: telegram.body.stream, payload: telegram.encode())
        let time = try #require(read.envelope.time)
        let wall = try #require(read.envelope.clockState).wallAtStart
        #expect(time.seconds >= 0 && ((wall.seconds - 60).magnitude < 0.01 || wall.seconds > 5e9))
      }
    }
  }
}
