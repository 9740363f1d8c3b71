import Daemon
import Telemetry
import Testing

@testable import Sensors

@Suite struct ScanTimelineTests {
  private let enabled = Instant(seconds: 10)

  private func timeline(rateHz: Double = 100) -> ScanTimeline { ScanTimeline(rateHz: rateHz, enabledAt: enabled) }

  /// Places a batch that is read 10 ms after its last scan.
  private func place(
    _ timeline: inout ScanTimeline, _ seconds: [Double], readAfter: Double = 0.01
  ) -> (batch: ScanTimeline.Batch, instants: [Double]) {
    var stamps = seconds.map { Instant(seconds: $0) }
    let batch = timeline.place(&stamps, read: Instant(seconds: (seconds.last ?? 0) + readAfter))
    return (batch, stamps.map(\.seconds))
  }

  /// Gaps found when scans at `times` are read in batches of 20.
  private func gaps(_ times: [Double], rateHz: Double = 100, _ timeline: inout ScanTimeline) -> [Double] {
    var found: [Double] = []
    for start in stride(from: 0, to: times.count, by: 20) {
      let (batch, instants) = place(&timeline, Array(times[start..<min(start + 20, times.count)]))
      if let index = batch.gapBefore { found.append(instants[index]) }
    }
    return found
  }

  private func evenly(_ count: Int, from start: Double = 10.01, period: Double = 0.01) -> [Double] {
    (0..<count).map { start + Double($0) * period }
  }

  @Test func stampsOnTheMonotonicClockAreTheSamplesTimes() {
    var timeline = timeline()
    let times = evenly(20)
    #expect(place(&timeline, times).instants == times)
    #expect(timeline.clock == .monotonic)
  }

  @Test func scansFromBeforeTheBufferWasEnabledAreStale() {
    var timeline = timeline()
    #expect(place(&timeline, [9.2, 9.99, 10.01, 10.02]).batch == ScanTimeline.Batch(stale: 2, gapBefore: nil))
    #expect(place(&timeline, [9.5]).batch.stale == 1)
  }

  @Test(arguments: [1, 3, 19, 21, 30, 36, 38, 39, 40, 55])
  func aMissingScanIsOneGapWhereverItWasInItsBatch(index: Int) {
    var timeline = timeline()
    var times = evenly(200)
    times.remove(at: index)
    let found = gaps(times, &timeline)
    #expect(found.count == 1)
    // At the end of a batch it takes the next one to tell.
    #expect(found.allSatisfy { $0 >= times[index] - 1e-9 && $0 <= times[index] + 0.06 })
  }

  @Test func aGapIsAsLongAsItsTimesAreApart() {
    var timeline = timeline()
    var times = evenly(60)
    times.removeSubrange(30..<40)
    _ = place(&timeline, Array(times[..<20]))
    let batch = place(&timeline, Array(times[20...])).batch
    #expect(batch.gapBefore == 10)
    #expect(abs(batch.gapS - 0.11) < 1e-9)
  }

  @Test func manyMissingScansAreOneGap() {
    var timeline = timeline()
    var times = evenly(300)
    times.removeSubrange(90..<190)
    #expect(gaps(times, &timeline) == [times[90]])
  }

  // klipper #3027, ArduPilot #6156
  @Test(arguments: [0.9, 0.96, 1.04, 1.1])
  func aRateOffTheNominalOneIsLearntWithoutGaps(factor: Double) {
    var timeline = timeline()
    #expect(gaps(evenly(600, period: 0.01 * factor), &timeline) == [])
    #expect(abs(timeline.period - 0.01 * factor) < 1e-6)
  }

  @Test func scansThatArriveLateAndThenCatchUpAreNoGap() {
    var timeline = timeline()
    // Every 37 scans one arrival is held up by 4.5 periods, and those behind it come at once.
    var times = evenly(2000)
    for index in stride(from: 30, to: 1990, by: 37) {
      let release = times[index] + 0.045
      for late in index..<(index + 5) { times[late] = max(times[late], release + Double(late - index) * 1e-5) }
    }
    #expect(gaps(times, &timeline) == [])
    #expect(abs(timeline.period - 0.01) < 2e-4)
  }

  @Test(arguments: [0, 60, 130, 180, 195, 199])
  func aReadAmidScansThatCatchUpSeesNoGap(held: Int) {
    var timeline = timeline(rateHz: 1000)
    // In every batch of 200 scans 40 are held up, here over the end of the batch too, and come at once.
    let times = (0..<2000).map { index in
      let phase = (index - held + 200) % 200
      let lateness = phase < 40 ? Double(40 - phase) * 0.00098 : 0
      return 10.01 + Double(index) * 0.001 + lateness
    }
    var found = 0
    for start in stride(from: 0, to: times.count, by: 200) {
      if place(&timeline, Array(times[start..<start + 200])).batch.gapBefore != nil { found += 1 }
    }
    #expect(found == 0)
    #expect(abs(timeline.period - 0.001) < 2e-5)
  }

  @Test func aLossAmongLateArrivalsIsStillFound() {
    var timeline = timeline()
    var times = evenly(1000).enumerated().map { $1 + ($0 % 3 == 0 ? 0.004 : 0) }
    times.removeSubrange(500..<503)
    #expect(gaps(times, &timeline).count == 1)
  }

  @Test func singleScansOfASlowSensorAreJudgedOneByOne() {
    var timeline = timeline(rateHz: 1)
    #expect(place(&timeline, [11]).batch.gapBefore == nil)
    #expect(place(&timeline, [12.02]).batch.gapBefore == nil)
    #expect(place(&timeline, [14.04]).batch.gapBefore == 0)
    #expect(place(&timeline, [15.06]).batch.gapBefore == nil)
  }

  @Test func aSlowSensorAtAnotherRateThanItClaimsIsBelievedInTheEnd() {
    var timeline = timeline(rateHz: 1)
    let found = (0..<30).compactMap { place(&timeline, [11 + Double($0) * 2]).batch.gapBefore }
    #expect(found.count == 8)
    #expect(abs(timeline.period - 2) < 1e-9)
  }

  @Test func stampsOnAnotherClockAreAnchoredAtTheQuickestDelivery() {
    var timeline = timeline()
    let first = evenly(20, from: 1_790_000_000)
    let begin = place(&timeline, first, readAfter: 10.2 - 1_790_000_000.19).instants
    #expect(abs(begin[19] - 10.2) < 1e-5)
    // Delivered 50 ms quicker than before: the anchor follows.
    let next = place(&timeline, evenly(20, from: 1_790_000_000.2), readAfter: 10.35 - 1_790_000_000.39).instants
    #expect(abs(next[19] - 10.35) < 1e-5)
  }

  @Test func stampsOfAHubThatStartedAfterTheMachineAreNotStale() {
    var timeline = timeline()
    // The hub's clock is 8.5 s behind, so that all its stamps are from before the buffer was enabled.
    let first = place(&timeline, evenly(20, from: 1.51), readAfter: 8.51)
    #expect(first.batch.stale == 20)
    let second = place(&timeline, evenly(20, from: 1.71), readAfter: 8.51)
    #expect(second.batch == ScanTimeline.Batch())
    #expect(abs(second.instants[19] - 10.41) < 1e-9)
    #expect(place(&timeline, evenly(20, from: 1.91), readAfter: 8.51).batch == ScanTimeline.Batch())
  }

  @Test func whatAChipHadKeptIsStaleHoweverOftenItIsRead() {
    var timeline = timeline()
    // Read 30 ms apart, while the stamps are those of half a second.
    for (index, newest) in [8.5, 9, 9.5].enumerated() {
      var stamps = evenly(50, from: newest - 0.49).map { Instant(seconds: $0) }
      #expect(timeline.place(&stamps, read: Instant(seconds: 10.03 + Double(index) * 0.03)).stale == 50)
    }
    #expect(timeline.clock == .monotonic)
    #expect(place(&timeline, evenly(20)).batch.stale == 0)
  }

  @Test func aStampClockThatWasSetMovesTheAnchorAtOnce() {
    var timeline = timeline()
    _ = place(&timeline, evenly(20, from: 1_790_000_000), readAfter: 10.2 - 1_790_000_000.19)
    let next = place(&timeline, evenly(20, from: 1_790_003_600), readAfter: 10.4 - 1_790_003_600.19)
    #expect(abs(next.instants[19] - 10.4) < 1e-5)
    #expect(next.batch.gapBefore == nil)
  }

  @Test func absurdStampsDoNotTrap() {
    let clock = MonotonicClock(originNanoseconds: .max)
    var timeline = timeline()
    for stamp in [Int64.min, .max, 0, -1] {
      var stamps = [clock.instant(monotonicNanoseconds: stamp), clock.instant(monotonicNanoseconds: ~stamp)]
      _ = timeline.place(&stamps, read: Instant(seconds: 11))
      var none: [Instant] = []
      _ = timeline.place(&none, read: Instant(seconds: 11))
    }
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
