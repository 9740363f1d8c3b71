import NodeLogic
import Telemetry
import Testing

/// A node whose machine is suspended.
@Suite struct NodeSleepTests {
  /// The true wall time at `Instant.start`.
  private static let start = 1_796_000_000.0
  private static let nightS = 28_800.0

  private func node(_ quality: ClockQuality = .none) -> Node {
    var settings = NodeSettings()
    settings.motion = MotionSettings(.handheld)
    settings.location = LocationTracker.Settings(lostAfterS: 20)
    let wall = quality == .none ? 0 : Self.start
    return Node(boot: BootID(7), settings, clock: ClockState(wallAtStart: WallTime(seconds: wall), quality: quality))
  }

  private func published(_ effects: [NodeEffect]) -> [Outgoing] {
    effects.compactMap { if case .publish(let outgoing) = $0 { outgoing } else { nil } }
  }

  /// A fix a second, each 0.2 s late.
  private func drive(_ node: inout Node, _ seconds: ClosedRange<Int>, sleptS: Double = 0) -> [NodeEffect] {
    seconds.flatMap { second -> [NodeEffect] in
      var report = GpsdPosition(device: "/dev/a", mode: 3)
      (report.latitude, report.longitude, report.ephM) = (47, 8, 5)
      report.time = WallTime(seconds: Self.start + sleptS + Double(second) - 0.2)
      let now = Instant(seconds: Double(second))
      return node.handle(.gpsd(.report(.position(report))), at: now) + node.handle(.tick, at: now + 0.4)
    }
  }

  private func shake(_ node: inout Node, at start: Double) -> [NodeEffect] {
    let sensor = AccelerometerDescription(name: "lis3dh", source: .iio, rateHz: 100, capture: .buffered)
    var effects = node.handle(.accelerometer(.started(sensor)), at: Instant(seconds: start))
    for index in 0..<600 {
      let t = Double(index) / 100
      let x = (2...2.8).contains(t) ? (Int(t * 8) % 2 == 0 ? 2.0 : -2.0) : 0
      let sample = Sample(at: Instant(seconds: start + t), g: Vector(x, 0, 1))
      effects += node.handle(.accelerometer(.samples([sample])), at: sample.at)
    }
    return effects
  }

  @Test func itSaysSoAndKnowsTheTimeAtOnce() throws {
    var node = node()
    _ = node.handle(.gpsd(.link(.up(release: "3.22"))), at: .start)
    _ = node.handle(.link(isConnected: true), at: Instant(seconds: 0.5))
    _ = drive(&node, 1...10)
    let effects = node.handle(.suspended(seconds: Self.nightS), at: Instant(seconds: 11))
    let notes = effects.compactMap { if case .log(let note) = $0 { note } else { nil } }
    #expect(notes.map(\.topic) == ["sleep"])
    #expect(notes.first?.text.hasPrefix("the machine slept for 8 h, until 2026-11-30T") == true)
    #expect(published(effects).isEmpty, "no loss, and no old position")
    let load = ProcessLoad(residentKB: nil, processorS: nil)
    let sent = try #require(published(node.handle(.usage(load), at: Instant(seconds: 12))).first).telegram
    #expect(sent.envelope.clock == .gps && sent.envelope.uptime == 12)
    let time = try #require(sent.envelope.time)
    #expect((time - WallTime(seconds: Self.start + Self.nightS + 11.8)).magnitude < 0.01)
    guard case .health(let health) = sent.body else {
      Issue.record("no health")
      return
    }
    #expect(((health.gps?.ageS ?? 0) - Self.nightS - 2).magnitude < 0.01)
  }

  @Test func whatWaitsFromBeforeGetsTheTimeOfThen() throws {
    var node = node()
    #expect(published(shake(&node, at: 5)).isEmpty)
    _ = node.handle(.suspended(seconds: Self.nightS), at: Instant(seconds: 20))
    _ = node.handle(
      .clock(ClockState(wallAtStart: WallTime(seconds: Self.nightS), quality: .none)), at: Instant(seconds: 20))
    _ = drive(&node, 41...50, sleptS: Self.nightS)
    let sent = published(node.handle(.link(isConnected: true), at: Instant(seconds: 60)))
    let shakes = sent.filter { $0.telegram.body.stream == .shake }.map(\.telegram.envelope)
    #expect(shakes.count == 2)
    for envelope in shakes {
      #expect(envelope.clock == .gps)
      let offS = try #require(envelope.time) - WallTime(seconds: Self.start + (try #require(envelope.uptime)))
      #expect((-0.3...0).contains(offS))
    }
  }

  @Test func whatIsSaidAgainFromBeforeKeepsItsTime() throws {
    var node = node(.ntp)
    var effects = node.handle(.link(isConnected: true), at: .start)
    effects += shake(&node, at: 5)
    let turn = try #require(published(effects).first { $0.telegram.body.stream == .orientation })
    _ = node.handle(.delivered(try #require(turn.token)), at: Instant(seconds: 12))
    _ = node.handle(.link(isConnected: false), at: Instant(seconds: 13))
    _ = node.handle(.suspended(seconds: Self.nightS), at: Instant(seconds: 14))
    _ = node.handle(
      .clock(ClockState(wallAtStart: WallTime(seconds: Self.start + Self.nightS), quality: .ntp)),
      at: Instant(seconds: 14))
    let waiting = node.pendingEvents
    let again = published(node.handle(.link(isConnected: true), at: Instant(seconds: 15)))
    let orientation = try #require(again.first { $0.telegram.body.stream == .orientation })
    #expect(orientation.telegram.envelope.time == turn.telegram.envelope.time)
    // It is the same event once more, and no new one that would have to be kept.
    #expect(orientation.telegram.envelope.sequence == turn.telegram.envelope.sequence)
    #expect(orientation.isRetained && orientation.token == nil && node.pendingEvents == waiting)
    let status = try #require(again.first { $0.telegram.body.stream == .status })
    #expect(status.telegram.envelope.time == WallTime(seconds: Self.start + Self.nightS + 15))
  }

  @Test func anEpochThatWasComingInIsToldWithTheTimeOfThen() throws {
    var node = node(.ntp)
    _ = node.handle(.gpsd(.link(.up(release: "3.22"))), at: .start)
    _ = node.handle(.link(isConnected: true), at: Instant(seconds: 0.5))
    var report = GpsdPosition(device: "/dev/a", mode: 3)
    (report.latitude, report.longitude, report.ephM) = (47, 8, 5)
    _ = node.handle(.gpsd(.report(.position(report))), at: Instant(seconds: 2))
    let sent = published(node.handle(.suspended(seconds: Self.nightS), at: Instant(seconds: 2.1)))
    let telegram = try #require(sent.first).telegram
    #expect(telegram.envelope.time == WallTime(seconds: Self.start + 2))
    guard case .location(.fixed(let position)) = telegram.body else {
      Issue.record("no position")
      return
    }
    #expect(position.ageS == 0 && position.received == WallTime(seconds: Self.start + 2))
  }
}
