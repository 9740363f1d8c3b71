import NodeLogic
import Telemetry
import Testing

@Suite struct NodeTests {
  private static let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)

  private func node(_ change: (inout NodeSettings) -> Void = { _ in }) -> Node {
    var settings = NodeSettings()
    settings.motion = MotionSettings(.handheld)
    settings.location = LocationTracker.Settings(distanceFilterM: 0, lostAfterS: 30)
    change(&settings)
    return Node(boot: BootID(7), settings, clock: NodeTests.clock)
  }

  private let sensor = AccelerometerDescription(name: "lis3dh", source: .iio, rateHz: 100, capture: .buffered)

  private func published(_ effects: [NodeEffect]) -> [Outgoing] {
    effects.compactMap { if case .publish(let outgoing) = $0 { outgoing } else { nil } }
  }

  private func streams(_ effects: [NodeEffect]) -> [Stream] { published(effects).map(\.telegram.body.stream) }

  /// One second of a 4 Hz shake of 2 g along x, then rest.
  private func samples(from start: Double, shakeS: Double, restS: Double) -> [Sample] {
    (0..<Int((shakeS + restS) * 100)).map { index in
      let t = Double(index) / 100
      let phase = Int(t * 8) % 2 == 0 ? 2.0 : -2.0
      return Sample(at: Instant(seconds: start + t), g: Vector(t < shakeS ? phase : 0, 0, 1))
    }
  }

  private func position(_ latitude: Double, time: Double) -> NodeInput {
    var position = GpsdPosition(device: "/dev/gps", mode: 3)
    position.latitude = latitude
    position.longitude = 8.5
    position.time = WallTime(seconds: time)
    return .gpsd(.report(.position(position)))
  }

  @Test func connectingPublishesARetainedStatus() throws {
    var node = node()
    let effects = node.handle(.link(isConnected: true), at: Instant(seconds: 1))
    let outgoing = try #require(published(effects).first)
    #expect(outgoing.isRetained)
    #expect(outgoing.telegram.envelope.sequence == nil)
    #expect(outgoing.telegram.envelope.time == WallTime(seconds: 1_800_000_001))
    #expect(outgoing.telegram.envelope.uptime == 1)
    guard case .status(let status) = outgoing.telegram.body else {
      Issue.record("no status")
      return
    }
    #expect(status.state == .online)
    #expect(status.agent == softwareVersion)
    #expect(status.preset == "handheld")
  }

  @Test func aBrokerThatIsLeftForAnotherIsToldSo() throws {
    var node = node()
    #expect(node.leaveBroker(at: Instant(seconds: 1)).isEmpty, "there is none to be told")
    _ = node.handle(.link(isConnected: true), at: Instant(seconds: 2))
    let outgoing = try #require(published(node.leaveBroker(at: Instant(seconds: 3))).first)
    #expect(outgoing.isRetained)
    guard case .status(let status) = outgoing.telegram.body else {
      Issue.record("no status")
      return
    }
    #expect(status.state == .stopped)
  }

  @Test func aSensorThatStartsIsPartOfTheStatus() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    let effects = node.handle(.accelerometer(.started(sensor)), at: .start)
    guard case .status(let status)? = published(effects).first?.telegram.body else {
      Issue.record("no status")
      return
    }
    #expect(status.accelerometer == "lis3dh")
    #expect(status.rateHz == 100)
    #expect(published(node.handle(.accelerometer(.started(sensor)), at: .start)).isEmpty, "nothing has changed")
  }

  @Test func aShakeWhileOfflineWaitsAndCarriesTheTimeOfItsDecision() throws {
    var node = node()
    _ = node.handle(.accelerometer(.started(sensor)), at: .start)
    var effects: [NodeEffect] = []
    for sample in samples(from: 1, shakeS: 0, restS: 2) + samples(from: 3, shakeS: 0.8, restS: 2) {
      effects += node.handle(.accelerometer(.samples([sample])), at: sample.at)
    }
    #expect(!streams(effects).contains(.shake))
    #expect(node.pendingEvents >= 2)
    let late = published(node.handle(.link(isConnected: true), at: Instant(seconds: 100)))
    let shakes = late.filter { $0.telegram.body.stream == .shake }
    #expect(shakes.count == 2)
    #expect(shakes.allSatisfy { !$0.isRetained })
    let times = try shakes.map { try #require($0.telegram.envelope.time).seconds - 1_800_000_000 }
    #expect(times.allSatisfy { (3...6).contains($0) })
    let sequences = late.compactMap(\.telegram.envelope.sequence)
    #expect(sequences == sequences.sorted())
  }

  @Test func acknowledgedEventsAreForgottenAndOthersSentAgain() {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    let first = published(node.handle(position(1, time: 10), at: Instant(seconds: 1)))
    let second = published(node.handle(.tick, at: Instant(seconds: 2)))
    let sent = (first + second).compactMap(\.token)
    #expect(sent == [1])
    _ = node.handle(.link(isConnected: false), at: Instant(seconds: 3))
    let again = published(node.handle(.link(isConnected: true), at: Instant(seconds: 4))).compactMap(\.token)
    #expect(again == [2, 1], "the present position first, then the one that nobody acknowledged")
    _ = node.handle(.delivered(1), at: Instant(seconds: 5))
    _ = node.handle(.delivered(2), at: Instant(seconds: 5))
    #expect(node.pendingEvents == 0)
  }

  @Test func afterAnOutageThePresentPositionIsPublishedLiveBeforeTheBacklog() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(.link(isConnected: false), at: Instant(seconds: 1))
    for step in 1...3 {
      _ = node.handle(position(1 + Double(step) / 1000, time: Double(step)), at: Instant(seconds: Double(step) + 1))
    }
    _ = node.handle(.tick, at: Instant(seconds: 5))
    let sent = published(node.handle(.link(isConnected: true), at: Instant(seconds: 6))).filter {
      $0.telegram.body.stream == .location
    }
    let live = try #require(sent.first)
    guard case .location(.fixed(let present)) = live.telegram.body else {
      Issue.record("no fix")
      return
    }
    #expect(live.isRetained)
    #expect(present.cause == .request)
    #expect(present.latitude == 1.003)
    #expect(present.ageS == 2)
    #expect(sent.dropFirst().allSatisfy { !$0.isRetained })
    #expect(sent.count == 4)
  }

  @Test func aLossWhileOfflineIsRetainedAsThePresentStateAfterwards() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(position(1, time: 1), at: Instant(seconds: 1))
    _ = node.handle(.tick, at: Instant(seconds: 2))
    _ = node.handle(.link(isConnected: false), at: Instant(seconds: 3))
    _ = node.handle(.gpsd(.link(.down(reason: "refused"))), at: Instant(seconds: 4))
    _ = node.handle(.tick, at: Instant(seconds: 60))
    let sent = published(node.handle(.link(isConnected: true), at: Instant(seconds: 70)))
    let retained = try #require(sent.first { $0.telegram.body.stream == .location && $0.isRetained })
    guard case .location(.lost(let loss)) = retained.telegram.body else {
      Issue.record("no loss")
      return
    }
    #expect(loss.reason == .gpsdGone)
    #expect(loss.last?.latitude == 1)
    #expect(!loss.isBacklog)
  }

  @Test func healthAnswersTheMeasuredUsage() throws {
    var node = node { $0.healthIntervalS = 60 }
    _ = node.handle(.link(isConnected: true), at: .start)
    #expect(node.nextDeadline <= Instant(seconds: 10))
    #expect(node.handle(.tick, at: Instant(seconds: 10)).contains(.measureUsage))
    let sent = published(node.handle(.usage(ProcessLoad(residentKB: 5000, processorS: 0.25)), at: Instant(seconds: 10)))
    guard case .health(let health)? = sent.first?.telegram.body else {
      Issue.record("no health")
      return
    }
    #expect(health.residentKB == 5000)
    #expect(health.link.connects == 1)
    #expect(health.accelerometer?.state == .starting)
    #expect(health.gps != nil)
    #expect(!node.handle(.tick, at: Instant(seconds: 69)).contains(.measureUsage))
    #expect(node.handle(.tick, at: Instant(seconds: 70)).contains(.measureUsage))
  }

  @Test func whatIsNoEventIsDroppedOfflineAndCounted() {
    var node = node { $0.healthIntervalS = 60 }
    _ = node.handle(.tick, at: Instant(seconds: 10))
    _ = node.handle(.usage(ProcessLoad(residentKB: nil, processorS: nil)), at: Instant(seconds: 10))
    _ = node.handle(.link(isConnected: true), at: Instant(seconds: 20))
    _ = node.handle(.dropped, at: Instant(seconds: 21))
    let sent = published(
      node.handle(.usage(ProcessLoad(residentKB: nil, processorS: nil)), at: Instant(seconds: 70)))
    guard case .health(let health)? = sent.first?.telegram.body else {
      Issue.record("no health")
      return
    }
    #expect(health.link.dropped == 2)
    #expect(health.residentKB == nil)
  }

  @Test func stoppingCancelsTheShakeAndSaysStoppedLast() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(.accelerometer(.started(sensor)), at: .start)
    for sample in samples(from: 1, shakeS: 0, restS: 2) + samples(from: 3, shakeS: 0.6, restS: 0) {
      _ = node.handle(.accelerometer(.samples([sample])), at: sample.at)
    }
    let sent = published(node.handle(.stop, at: Instant(seconds: 3.6)))
    let shakes = sent.compactMap { outgoing -> ShakeMessage? in
      if case .shake(let shake) = outgoing.telegram.body { shake } else { nil }
    }
    #expect(shakes.map(\.reason) == [.stopped])
    guard case .status(let status)? = sent.last?.telegram.body else {
      Issue.record("no status")
      return
    }
    #expect(status.state == .stopped)
    #expect(!node.handle(.tick, at: Instant(seconds: 1000)).contains(.measureUsage))
  }

  @Test func shakesCarryTheLastFix() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(.accelerometer(.started(sensor)), at: .start)
    _ = node.handle(position(47, time: 1), at: .start)
    _ = node.handle(.tick, at: Instant(seconds: 1))
    var effects: [NodeEffect] = []
    for sample in samples(from: 1, shakeS: 0, restS: 2) + samples(from: 3, shakeS: 0.8, restS: 1) {
      effects += node.handle(.accelerometer(.samples([sample])), at: sample.at)
    }
    let place = published(effects).compactMap { outgoing -> Place? in
      if case .shake(let shake) = outgoing.telegram.body { shake.place } else { nil }
    }.first
    #expect(try #require(place).latitude == 47)
    #expect(try #require(place).fixAgeS > 3)
  }

  @Test func newSettingsTakeEffectAndKeepWhatIsUnchanged() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(position(47, time: 1), at: Instant(seconds: 1))
    _ = node.handle(.tick, at: Instant(seconds: 2))
    var settings = node.settings
    settings.motion = MotionSettings(.fixed)
    settings.healthIntervalS = 5
    let sent = published(node.reconfigure(settings, at: Instant(seconds: 3)))
    guard case .status(let status)? = sent.last?.telegram.body else {
      Issue.record("no status")
      return
    }
    #expect(status.preset == "fixed")
    #expect(status.healthIntervalS == 5)
    #expect(node.handle(.tick, at: Instant(seconds: 8)).contains(.measureUsage))
    let again =
      published(node.handle(position(47.005, time: 2), at: Instant(seconds: 9)))
      + published(node.handle(.tick, at: Instant(seconds: 10)))
    guard case .location(.fixed(let position))? = again.last?.telegram.body else {
      Issue.record("no fix")
      return
    }
    #expect(position.cause == .distance, "the tracker went on: it is no first fix")
  }

  @Test func theConventionTurnsPublishedAccelerationsRound() throws {
    var node = node { settings in
      settings.convention = .apple
      settings.motion?.acceleration.windowS = 1
      settings.motion?.acceleration.restWindowS = 1
    }
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(.accelerometer(.started(sensor)), at: .start)
    var effects: [NodeEffect] = []
    for sample in samples(from: 1, shakeS: 0, restS: 3) {
      effects += node.handle(.accelerometer(.samples([sample])), at: sample.at)
    }
    let means = published(effects).compactMap { outgoing -> Double? in
      if case .acceleration(let window) = outgoing.telegram.body { window.meanG.z } else { nil }
    }
    #expect(!means.isEmpty)
    #expect(means.allSatisfy { $0 == -1 })
  }
}
