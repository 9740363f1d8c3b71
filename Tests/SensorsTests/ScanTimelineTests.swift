import Daemon
import Telemetry
import Testing

@testable import Sensors

@Suite struct ScanTimelineTests {
  private let enabled = Instant(seconds: 10)

  private func place(_ timeline: inout ScanTimeline, _ seconds: Double) -> ScanTimeline.Placement {
    timeline.place(Instant(seconds: seconds))
  }

  private func instant(_ placement: ScanTimeline.Placement) -> Instant {
    switch placement {
    case .sample(let at), .afterGap(let at): at
    case .stale: Instant(seconds: .nan)
    }
  }

  private func started(rateHz: Double = 100, first: Double = 10.01) -> ScanTimeline {
    var timeline = ScanTimeline(rateHz: rateHz, enabledAt: enabled)
    timeline.anchor(newest: Instant(seconds: first), read: Instant(seconds: first))
    _ = timeline.place(Instant(seconds: first))
    return timeline
  }

  @Test func stampsOnTheMonotonicClockAreTheSamplesTimes() {
    var timeline = started()
    #expect(timeline.clock == .monotonic)
    #expect(place(&timeline, 10.02) == .sample(Instant(seconds: 10.02)))
  }

  @Test func scansFromBeforeTheBufferWasEnabledAreStale() {
    var timeline = ScanTimeline(rateHz: 100, enabledAt: enabled)
    timeline.anchor(newest: Instant(seconds: 10.02), read: Instant(seconds: 10.05))
    #expect(place(&timeline, 9.2) == .stale)
    #expect(place(&timeline, 10.01) == .sample(Instant(seconds: 10.01)))
  }

  @Test func aMissingScanIsAGap() {
    var timeline = started()
    #expect(place(&timeline, 10.03) == .afterGap(Instant(seconds: 10.03)))
    #expect(place(&timeline, 10.04) == .sample(Instant(seconds: 10.04)))
  }

  @Test(arguments: [0.96, 1.04])
  func aRateSlightlyOffTheNominalOneIsLearntWithoutGaps(factor: Double) {
    var timeline = started()
    for index in 1...300 {
      let at = Instant(seconds: 10.01 + Double(index) * 0.01 * factor)
      #expect(timeline.place(at) == .sample(at))
    }
    #expect(abs(timeline.period - 0.01 * factor) < 1e-5)
  }

  @Test func aSensorAtAnotherRateThanItClaimsIsBelievedAfterEightScans() {
    var timeline = started()
    let placements = (1...20).map { place(&timeline, 10.01 + Double($0) * 0.02) }
    #expect(placements.count { if case .afterGap = $0 { true } else { false } } == 8)
    #expect(abs(timeline.period - 0.02) < 1e-9)
  }

  @Test func stampsOnAnotherClockAreAnchoredAtTheQuickestDelivery() {
    var timeline = ScanTimeline(rateHz: 100, enabledAt: enabled)
    timeline.anchor(newest: Instant(seconds: 1_790_000_000), read: Instant(seconds: 10.2))
    #expect(abs(instant(place(&timeline, 1_790_000_000)).seconds - 10.2) < 1e-6)
    // Delivered 50 ms quicker than before: the anchor follows.
    timeline.anchor(newest: Instant(seconds: 1_790_000_000.2), read: Instant(seconds: 10.35))
    #expect(abs(instant(place(&timeline, 1_790_000_000.16)).seconds - 10.31) < 1e-3)
  }

  @Test func aStampClockThatWasSetMovesTheAnchorAtOnce() {
    var timeline = ScanTimeline(rateHz: 100, enabledAt: enabled)
    timeline.anchor(newest: Instant(seconds: 1_790_000_000), read: Instant(seconds: 10.2))
    _ = place(&timeline, 1_790_000_000)
    timeline.anchor(newest: Instant(seconds: 1_790_003_600), read: Instant(seconds: 10.21))
    #expect(abs(instant(place(&timeline, 1_790_003_600)).seconds - 10.21) < 1e-6)
  }

  @Test func absurdStampsDoNotTrap() {
    let clock = MonotonicClock(originNanoseconds: .max)
    var timeline = started()
    for stamp in [Int64.min, .max, 0, -1] { _ = timeline.place(clock.instant(monotonicNanoseconds: stamp)) }
    #expect(timeline.period.isFinite)
  }

  @Test func scansWithoutStampsAreSpreadBackFromTheRead() {
    var timeline = ScanTimeline(rateHz: 100, enabledAt: enabled)
    let spread = timeline.spread(20, read: Instant(seconds: 10.5))
    #expect(abs(spread.first.seconds - 10.31) < 1e-9)
    #expect(spread.step == 0.01)
    // The next read comes early: its scans must not reach back over the last ones.
    let early = timeline.spread(20, read: Instant(seconds: 10.6))
    #expect(early.first > Instant(seconds: 10.5))
    #expect(abs((early.first + 19 * early.step).seconds - 10.6) < 1e-9)
  }
}
