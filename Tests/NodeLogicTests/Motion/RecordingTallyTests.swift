import NodeLogic
import Telemetry
import Testing

@Suite("Recording tally") struct RecordingTallyTests {
  private func tally(_ samples: [Sample]) -> RecordingTally {
    var tally = RecordingTally()
    for sample in samples { tally.count(sample) }
    return tally
  }

  @Test func whatIsAsItShouldBeIsCountedWithoutADoubt() {
    var all = samples(rateHz: 50, lengthS: 10) { _ in flat }
    all.removeSubrange(100..<105)
    let found = tally(all)
    #expect(found.doubts.isEmpty)
    #expect(found.text == "495 samples in 9.98 s, 50.0 Hz, 5 missed")
    #expect(tally([]).text == "0 samples in 0.00 s, 0 missed")
    #expect(tally([]).doubts.isEmpty)
  }

  @Test func otherUnitsAreDoubted() {
    let metres = tally(samples(lengthS: 2) { _ in Vector(0, 0, 9.81) })
    #expect(metres.doubts == ["the mean of |a| is 9.810: that looks like m/s^2; expected g"])
    let milli = tally(samples(lengthS: 2) { _ in Vector(0, 0, 1000) })
    #expect(milli.doubts == ["the mean of |a| is 1000.000: that looks like mg; expected g"])
    for (length, text) in [(256.0, "256.000"), (16384, "16384.000"), (16, "16.000")] {
      let counts = tally(samples(lengthS: 2) { _ in Vector(0, 0, length) })
      #expect(counts.doubts == ["the mean of |a| is \(text): that looks like raw counts; expected g"])
    }
    #expect(tally(samples(lengthS: 2) { _ in Vector(0, 0, 2.9) }).doubts.isEmpty, "it may be shaken")
    let milliseconds = tally(samples(rateHz: 0.05, lengthS: 2000) { _ in flat })
    #expect(milliseconds.doubts == ["t rises by 20.000 from line to line: that looks like ms; expected s"])
    let microseconds = tally(samples(rateHz: 0.0001, lengthS: 400_000) { _ in flat })
    #expect(microseconds.doubts == ["t rises by 10000.000 from line to line: that looks like us; expected s"])
  }

  @Test func timesThatDoNotRiseAreDoubted() {
    let all = samples(lengthS: 2) { _ in flat }
    let found = tally(all + all.prefix(3))
    #expect(found.doubts == ["t does not rise at 3 of 203 samples, which are not used"])
    #expect(found.unordered == 3)
  }
}
