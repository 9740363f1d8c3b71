import Telemetry
import Testing

@testable import NodeLogic

/// In decibels, how strong a tone of `hz` comes out of what `feed` gives for each sample.
func gainDB(hz: Double, rateHz: Double, lengthS: Double, _ feed: (Sample) -> [Vector]) -> Double {
  let answers = samples(rateHz: rateHz, lengthS: lengthS) {
    Vector(sin(2 * .pi * hz * $0), cos(2 * .pi * hz * $0), 1)
  }.map(feed)
  // x and y are a quarter apart, so their length is the amplitude at every moment.
  let late = answers.suffix(answers.count / 2).joined().map { ($0.x * $0.x + $0.y * $0.y).squareRoot() }
  return 20 * log(max(late.max() ?? 0, 1e-12)) / log(10)
}

@Suite struct AntiAliasFilterTests {
  private func gain(hz: Double, rateHz: Double, outputHz: Double) -> Double {
    var filter = AntiAliasFilter()
    filter.prepare(periodS: 1 / rateHz, outputS: 1 / outputHz)
    return gainDB(hz: hz, rateHz: rateHz, lengthS: 100 / outputHz) {
      [filter.feed($0.g, SampleStep(seconds: 1 / rateHz, periodS: 1 / rateHz))]
    }
  }

  @Test(arguments: [(100.0, 25.0), (104, 26), (100, 10), (400, 25), (3200, 25), (60, 25), (1000, 2)])
  func whatIsAboveHalfTheOutputRateGoesAndWhatIsBelowAQuarterStays(rateHz: Double, outputHz: Double) {
    for part in [0.5, 0.55, 0.6, 0.75, 0.96, 1, 1.04, 1.2] where part * outputHz < rateHz / 2 {
      let gain = gain(hz: part * outputHz, rateHz: rateHz, outputHz: outputHz)
      #expect(gain <= -40, "\(part) of \(outputHz) Hz at \(rateHz) Hz: \(gain) dB")
    }
    for part in [0.01, 0.05, 0.1, 0.2, 0.25] {
      let gain = gain(hz: part * outputHz, rateHz: rateHz, outputHz: outputHz)
      #expect(gain.magnitude < 1, "\(part) of \(outputHz) Hz at \(rateHz) Hz: \(gain) dB")
    }
  }

  @Test(arguments: [(100.0, 25.0), (3200, 25), (3200, 1), (4000, 0.1)])
  func aConstantStaysExactly(rateHz: Double, outputHz: Double) {
    var filter = AntiAliasFilter()
    filter.prepare(periodS: 1 / rateHz, outputS: 1 / outputHz)
    let still = Vector(0.123, -0.456, 0.987)
    var largest = 0.0
    for _ in 0..<20_000 {
      let answer = filter.feed(still, SampleStep(seconds: 1 / rateHz, periodS: 1 / rateHz))
      largest = max(largest, (answer - still).length)
    }
    // What is left is rounding, a hundredth of the last digit that is published.
    #expect(largest < 1e-7)
  }

  @Test func aSlowRampComesLaterByTheDelayItStates() {
    var filter = AntiAliasFilter()
    filter.prepare(periodS: 0.01, outputS: 0.04)
    var answer = Vector.zero
    for index in 0..<500 {
      answer = filter.feed(Vector(Double(index) * 0.01, 0, 0), SampleStep(seconds: 0.01, periodS: 0.01))
    }
    #expect((4.99 - answer.x - filter.delayS).magnitude < 1e-9)
    #expect(filter.delayS > 0.1 && filter.delayS < 0.13, "some three outputs")
  }

  @Test func smallChangesOfTheRateLeaveTheFilterAloneAndLargerOnesDoNotStepIt() {
    var filter = AntiAliasFilter()
    filter.prepare(periodS: 0.01, outputS: 0.04)
    let before = filter
    filter.prepare(periodS: 0.0101, outputS: 0.0404)
    #expect(filter == before)
    let still = Vector(0, 0, 1)
    for index in 0..<300 {
      if index == 150 { filter.prepare(periodS: 0.0103, outputS: 0.0412) }
      #expect((filter.feed(still, SampleStep(seconds: 0.01, periodS: 0.01)) - still).length < 1e-12)
    }
    #expect(filter.delayS != before.delayS)
  }

  @Test func nothingIsFilteredWhereNothingIsThinnedOut() {
    var filter = AntiAliasFilter()
    filter.prepare(periodS: 0.04, outputS: 0.04)
    for g in [Vector(1, 0, 0), Vector(-1, 0, 0)] { #expect(filter.feed(g, SampleStep(seconds: 0.04)) == g) }
    #expect(filter.delayS == 0)
  }

  @Test func aShortHoleIsBridgedAndAfterALongOneItBeginsAnew() {
    var filter = AntiAliasFilter()
    filter.prepare(periodS: 0.01, outputS: 0.1)
    var whole = filter
    for index in 0...40 where index < 20 || index > 23 {
      let missed = index == 24 ? 4 : 0
      filter.feed(
        Vector(Double(index), 0, 0), SampleStep(seconds: Double(missed + 1) * 0.01, missed: missed, periodS: 0.01))
    }
    for index in 0...40 { whole.feed(Vector(Double(index), 0, 0), SampleStep(seconds: 0.01, periodS: 0.01)) }
    #expect(((filter.value ?? .zero) - (whole.value ?? .zero)).length < 1e-9)
    let far = Vector(7, 0, 0)
    #expect((filter.feed(far, SampleStep(seconds: 3, missed: 299, periodS: 0.01)) - far).length < 1e-12)
  }
}
