import Telemetry
import Testing

/// Times given before the clock was known, put right by the monotonic time beside them.
@Suite struct ClockRepairTests {
  private static let right = ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: .ntp)

  private func telegram(_ body: Telegram.Body, _ clock: ClockQuality? = ClockQuality.none) -> Telegram {
    Telegram(
      Envelope(boot: BootID(1), sequence: 3, time: WallTime(seconds: 130), clock: clock, uptime: 30), body)
  }

  @Test func disciplinedClocksRepairOthersAndNotOneAnother() {
    let worth: [ClockQuality] = [.ntp, .gps, .rtc, .none]
    let better = worth.map { a in worth.filter { a.isWorthMore(than: $0) } }
    #expect(better == [[.rtc, .none], [.rtc, .none], [.none], []])
  }

  @Test func theTimeIsWhatTheBetterClockShowedThen() throws {
    let repaired = try #require(
      telegram(
        .orientation(
          OrientationMessage(
            face: .zUp, previous: .unknown, tiltDeg: 0, up: Vector(0, 0, 1)))
      ).repaired(by: Self.right))
    #expect(repaired.envelope.time == WallTime(seconds: 1_796_000_030))
    #expect(repaired.envelope.clock == .ntp)
    #expect(repaired.envelope.uptime == 30 && repaired.envelope.sequence == 3)
  }

  @Test func aWillHasNoTimesToRepair() {
    let will = Telegram(Envelope(boot: BootID(1)), .status(StatusMessage(.lost)))
    #expect(will.repaired(by: Self.right) == nil)
    #expect(will.envelope.clockState == nil)
  }

  @Test func everyTimeOfTheNodesClockMovesByTheSame() throws {
    let shift = 1_795_999_900.0
    let old = WallTime(seconds: 128)
    let new = old + shift
    func body(_ body: Telegram.Body) throws -> Telegram.Body {
      try #require(telegram(body).repaired(by: Self.right)).body
    }
    var shake = ShakeMessage(
      id: 1, phase: .ended, start: old, end: old, durationS: 0, peakG: 1, energyG2S: 1, cavGS: 1, reversals: 2, axis: .x
    )
    let givenShake = shake
    (shake.start, shake.end) = (new, new)
    #expect(try body(.shake(givenShake)) == .shake(shake))
    var wave = WaveformMessage(id: 1, chunk: 0, isLast: true, start: old, periodS: 0, unitG: 1, x: [1], y: [1], z: [1])
    let givenWave = wave
    wave.start = new
    #expect(try body(.waveform(givenWave)) == .waveform(wave))
    var impact = ImpactMessage(id: 1, start: old, peakG: 5, durationS: 0.01, velocityChangeMPS: 1, axis: .x)
    let givenImpact = impact
    impact.start = new
    #expect(try body(.impact(givenImpact)) == .impact(impact))
    var fall = FreeFallMessage(id: 1, start: old, durationS: 0.3, dropM: 0.4)
    let givenFall = fall
    fall.start = new
    #expect(try body(.freeFall(givenFall)) == .freeFall(fall))
    var reply = ReplyMessage(id: "a", .live, isDone: true, until: old)
    let givenReply = reply
    reply.until = new
    #expect(try body(.reply(givenReply)) == .reply(reply))
    var position = LocationMessage.Position(dimensions: 3, latitude: 1, longitude: 2, ageS: 2, cause: .first)
    (position.received, position.fixTime) = (old, WallTime(seconds: 1_100_000_000))
    let givenPosition = position
    position.received = new
    #expect(try body(.location(.fixed(givenPosition))) == .location(.fixed(position)), "fix_t is the receiver's")
    func loss(_ time: WallTime) -> Telegram.Body {
      .location(
        .lost(
          .init(
            reason: .noFix, last: .init(latitude: 1, longitude: 2, accuracyM: nil, time: time, ageS: 2))))
    }
    #expect(try body(loss(old)) == loss(new))
  }
}
