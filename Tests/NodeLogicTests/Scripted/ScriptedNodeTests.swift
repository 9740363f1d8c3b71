import NodeLogic
import Telemetry
import Testing

@Suite struct ScriptedNodeTests {
  private static let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)

  /// A node that is connected and 10 s old, and what it has said.
  private struct Life {
    var node: ScriptedNode
    var now = Instant(seconds: 100)
    var told: [Telegram] = []

    init(seed: UInt64 = 1, _ change: (inout NodeSettings) -> Void = { _ in }) throws {
      var logic = NodeSettings()
      logic.motion = MotionSettings(.handheld)
      logic.location = LocationTracker.Settings(lostAfterS: 2)
      change(&logic)
      let home = try #require(Coordinate(latitude: 47.3769, longitude: 8.5417))
      node = ScriptedNode(
        .init(node: logic, rateHz: 25, home: home, seed: seed), boot: BootID(0), clock: clock, at: now)
      take(node.start(boot: BootID(7), at: now))
      take(node.handle(.link(isConnected: true), at: now))
      live(10)
    }

    /// Lets time pass in steps of 0.1 s; the broker acknowledges all.
    mutating func live(_ seconds: Double) {
      for _ in 0..<Int((seconds * 10).rounded()) {
        now = now + 0.1
        take(node.advance(to: now))
      }
    }

    mutating func obey(_ order: ScriptedOrder) { take(node.obey(order, at: now)) }

    private mutating func take(_ effects: [NodeEffect]) {
      for effect in effects {
        guard case .publish(let outgoing) = effect else { continue }
        told.append(outgoing.telegram)
        if let token = outgoing.token { take(node.handle(.delivered(token), at: now)) }
      }
    }

    var shakes: [ShakeMessage] { told.compactMap { if case .shake(let message) = $0.body { message } else { nil } } }
    var losses: [LocationMessage.Loss.Reason] {
      told.compactMap {
        guard case .location(let message) = $0.body, case .lost(let loss) = message else { return nil }
        return loss.reason
      }
    }
    var faces: [Face] {
      told.compactMap { if case .orientation(let message) = $0.body { message.face } else { nil } }
    }
  }

  @Test func itLiesStillAndHasAFix() throws {
    var life = try Life()
    life.live(120)
    #expect(life.shakes.isEmpty && life.losses.isEmpty)
    #expect(life.faces == [.zUp])
    #expect(life.told.count { $0.body.stream == .location } == 1)
  }

  @Test func aShakeIsOneAndABurstIsMany() throws {
    var life = try Life()
    life.obey(.shake(peakG: 2, forS: 0.8))
    life.live(4)
    #expect(life.shakes.map(\.phase) == [.began, .ended])
    #expect(life.shakes.allSatisfy { (1.2...2.2).contains($0.peakG) })
    life.obey(.burst(count: 3, withinS: 6, peakG: 2))
    life.live(8)
    #expect(Set(life.shakes.map(\.id)).count == 4)
    #expect(life.shakes.count { $0.phase == .ended } == 4)
  }

  @Test func aBlowAndATurnAreSeenAt25Hz() throws {
    var life = try Life()
    life.obey(.strike(peakG: 8))
    life.live(3)
    #expect(life.told.count { $0.body.stream == .impact } == 1)
    life.obey(.tip(.zDown))
    life.live(4)
    #expect(life.faces.last == .zDown)
  }

  @Test(arguments: LocationMessage.Loss.Reason.allCases)
  func everyReasonOfALossCanBeHad(reason: LocationMessage.Loss.Reason) throws {
    var life = try Life()
    life.obey(.loseFix(reason))
    life.live(10)
    #expect(life.losses == [reason])
    life.obey(.regainFix)
    life.live(4)
    guard case .location(.fixed)? = life.told.last(where: { $0.body.stream == .location })?.body else {
      Issue.record("no position")
      return
    }
  }

  @Test func aRunBeginsAtZeroAndAWrongClockIsWrong() throws {
    var life = try Life { $0.location = nil }
    #expect(life.told[0].envelope.uptime == 0)
    #expect(life.told[0].envelope.time == WallTime(seconds: 1_800_000_100))
    life.obey(.clock(.of1970))
    life.obey(.shake(peakG: 2, forS: 0.8))
    life.live(4)
    let time = try #require(life.told.last { $0.body.stream == .shake }?.envelope)
    #expect((0..<100).contains(try #require(time.time).seconds))
    #expect(time.clock == ClockQuality.none)
  }

  @Test func theSameSeedTellsTheSame() throws {
    let seeds: [UInt64] = [5, 5, 6]
    let lives = try seeds.map { seed in
      var life = try Life(seed: seed)
      life.obey(.shake(peakG: 2, forS: 0.8))
      life.live(4)
      return life.told
    }
    #expect(lives[0] == lives[1])
    #expect(lives[0] != lives[2])
  }

  /// Peer complaint: a machine that was stopped for long and goes on, whose fix counts as lost for a moment.
  @Test func aNodeThatHungGoesOnWithoutALoss() throws {
    var life = try Life()
    life.now = life.now + 60
    life.live(5)
    #expect(life.losses.isEmpty && life.shakes.isEmpty)
  }
}
