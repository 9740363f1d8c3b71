import NodeLogic
import Telemetry
import Testing

@testable import Sensors

@Suite struct StallWatchdogTests {
  @Test func aSecondIsTheLeastPatience() {
    let watchdog = StallWatchdog(rateHz: 100, batch: 20, from: .start)
    #expect(watchdog.verdict(at: Instant(seconds: 0.99)) == nil)
    #expect(watchdog.verdict(at: Instant(seconds: 1)) == "no scan for 1 s")
  }

  @Test func slowSensorsHaveThreePeriods() {
    let watchdog = StallWatchdog(rateHz: 1, batch: 1, from: .start)
    #expect(watchdog.verdict(at: Instant(seconds: 2.9)) == nil)
    #expect(watchdog.verdict(at: Instant(seconds: 3)) != nil)
  }

  @Test func everyScanStartsTheWaitAnew() {
    var watchdog = StallWatchdog(rateHz: 100, batch: 20, from: .start)
    watchdog.saw(1, at: Instant(seconds: 5))
    #expect(watchdog.deadline == Instant(seconds: 6))
    watchdog.saw(ScanCheck.Verdict.zeros)
    #expect(watchdog.verdict(at: Instant(seconds: 6.5)) == "nothing but 0, 0, 0 for 1.5 s")
  }
}

@Suite struct PollScheduleTests {
  @Test func readingsFallOnAnExactGridHoweverLateEachIs() {
    var schedule = PollSchedule(intervalS: 0.1, from: .start)
    for index in 1...1000 {
      schedule.advance(past: schedule.next + 0.03, tookS: 0.001)
      #expect(abs(schedule.next.seconds - Double(index) * 0.1) < 1e-6)
    }
  }

  @Test func missedPointsAreLeftOut() {
    var schedule = PollSchedule(intervalS: 0.1, from: .start)
    schedule.advance(past: Instant(seconds: 0.55), tookS: 0.55)
    #expect(abs(schedule.next.seconds - 0.6) < 1e-9)
    #expect(!schedule.wasStretched)
  }

  @Test func aSensorThatTakesAsLongAsTheIntervalGetsALongerOne() {
    var schedule = PollSchedule(intervalS: 0.01, from: .start)
    var now = Instant.start
    for _ in 0..<10 {
      now = schedule.next + 0.08
      schedule.advance(past: now, tookS: 0.08)
    }
    #expect(schedule.wasStretched)
    #expect(abs(schedule.intervalS - 0.1) < 1e-9)
    #expect(schedule.next > now)
  }
}

@Suite struct ReadPaceTests {
  @Test func aKernelThatHeedsTheWatermarkIsWaitedFor() {
    var pace = ReadPace()
    for index in 0..<10 { pace.read(20, watermark: 20, rateHz: 100, at: Instant(seconds: Double(index))) }
    #expect(pace.resumeAt == nil)
  }

  @Test func aBufferThatWakesForEveryScanIsReadByTime() {
    var pace = ReadPace()
    for index in 0..<3 { pace.read(1, watermark: 1, rateHz: 100, at: Instant(seconds: Double(index) / 100)) }
    #expect(pace.resumeAt == Instant(seconds: 0.02 + 0.2))
  }

  @Test func slowSensorsAreNotPaced() {
    var pace = ReadPace()
    for index in 0..<10 { pace.read(1, watermark: 1, rateHz: 2, at: Instant(seconds: Double(index))) }
    #expect(pace.resumeAt == nil)
  }
}

@Suite struct RetryPauseTests {
  @Test func pausesGrowToHalfAMinute() {
    var pause = RetryPause()
    #expect((0..<9).map { _ in pause.next() } == [0.5, 1, 2, 4, 8, 16, 30, 30, 30])
  }
}
