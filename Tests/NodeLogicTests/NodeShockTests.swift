import NodeLogic
import Telemetry
import Testing

@Suite("Impacts and falls as events")
struct NodeShockTests {
  /// A node with a fix, whose simulated sensor was dropped until it was told, and what that made it do.
  private func dropped(online: Bool, _ change: (inout MotionSettings) -> Void = { _ in }) -> [NodeEffect] {
    var settings = NodeSettings()
    var motion = MotionSettings()
    change(&motion)
    settings.motion = motion
    settings.location = LocationTracker.Settings()
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    var node = Node(boot: BootID(7), settings, clock: clock)
    var effects: [NodeEffect] = []
    if online { effects += node.handle(.link(isConnected: true), at: .start) }
    var position = GpsdPosition(device: "/dev/gps", mode: 3)
    position.latitude = 47.5
    position.longitude = 8.5
    position.time = WallTime(seconds: 1_800_000_001)
    effects += node.handle(.gpsd(.report(.position(position))), at: Instant(seconds: 1))
    var simulator = MotionSimulator(.dropped, rateHz: 200, seed: 4)
    for _ in 0..<3000 {
      let sample = simulator.next()
      effects += node.handle(.tick, at: sample.at)
      effects += node.handle(.accelerometer(.samples([sample])), at: sample.at)
    }
    if !online { effects += node.handle(.link(isConnected: true), at: Instant(seconds: 16)) }
    return effects
  }

  private func telegrams(_ effects: [NodeEffect]) -> [Telegram] {
    effects.compactMap { if case .publish(let outgoing) = $0 { outgoing.telegram } else { nil } }
  }

  @Test(arguments: [true, false])
  func aDropIsAFallAndAnImpactWithThePlace(online: Bool) throws {
    let telegrams = telegrams(dropped(online: online))
    let fall = try #require(telegrams.first { $0.body.stream == .freeFall })
    let hit = try #require(telegrams.first { $0.body.stream == .impact })
    guard case .freeFall(let fallMessage) = fall.body, case .impact(let impact) = hit.body else { return }
    #expect(fallMessage.place?.latitude == 47.5 && impact.place?.latitude == 47.5)
    #expect(fallMessage.id == 1 && impact.id == 1)
    #expect(impact.fallS == fallMessage.durationS)
    // Events, in the order of their decision, timed by it.
    let sequences = try #require([fall.envelope.sequence, hit.envelope.sequence] as? [UInt64])
    #expect(sequences[0] < sequences[1])
    #expect(try #require(hit.envelope.time).seconds - impact.start.seconds > 0.25)
    #expect(try #require(hit.envelope.time).seconds - impact.start.seconds < 0.6)
    #expect((try #require(fall.envelope.time).seconds - fallMessage.start.seconds - fallMessage.durationS) < 0.01)
    // As it reads on the broker.
    #expect(try Telegram.decode(stream: .impact, payload: hit.encode()).body.stream == .impact)
  }

  @Test func theLogSaysWhatHit() {
    let notes = dropped(online: true).compactMap { effect -> Note? in
      guard case .log(let note) = effect, ["impact", "freefall"].contains(note.topic) else { return nil }
      return note
    }
    #expect(notes.map(\.topic) == ["freefall", "impact"])
    #expect(notes.first?.text.hasPrefix("fall 1, ") == true)
    #expect(notes.last?.text.contains(" m/s, after a fall of ") == true)
  }

  @Test func bothCanBeTurnedOff() {
    let effects = dropped(online: true) {
      $0.impact.isEnabled = false
      $0.freeFall.isEnabled = false
    }
    #expect(telegrams(effects).allSatisfy { $0.body.stream != .impact && $0.body.stream != .freeFall })
  }
}
