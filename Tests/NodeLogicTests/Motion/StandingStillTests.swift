import NodeLogic
import Telemetry
import Testing

/// What the accelerometer tells the location part about standing still.
@Suite struct StandingStillTests {
  private func pipeline(rateHz: Double = 100) -> MotionPipeline {
    var pipeline = MotionPipeline()
    _ = pipeline.handle(
      .started(AccelerometerDescription(name: "bma255", source: .iio, rateHz: rateHz, capture: .buffered)), at: .start)
    return pipeline
  }

  /// Feeds `lengthS` of samples that swing by `amplitudeG` about `middle`.
  private func feed(
    _ pipeline: inout MotionPipeline, from startS: Double, lengthS: Double, rateHz: Double = 100,
    amplitudeG: Double = 0, middle: Vector = flat
  ) {
    for index in 0..<Int(lengthS * rateHz) {
      let at = Instant(seconds: startS + Double(index) / rateHz)
      let swing = index % 2 == 0 ? amplitudeG : -amplitudeG
      _ = pipeline.handle(.samples([Sample(at: at, g: middle + Vector(0, 0, swing))]), at: at)
    }
  }

  @Test func whatLiesIsStillSinceItWasPutDown() {
    var pipeline = pipeline()
    #expect(pipeline.stillness(at: .start) == .unknown)
    feed(&pipeline, from: 1, lengthS: 5, amplitudeG: 0.2)
    #expect(pipeline.stillness(at: .s(6)) == .moving)
    feed(&pipeline, from: 6, lengthS: 30, amplitudeG: 0.01)
    guard case .still(let since) = pipeline.stillness(at: .s(36)) else {
      Issue.record("\(pipeline.stillness(at: .s(36)))")
      return
    }
    #expect(abs(since.seconds - 6) < 0.6)
  }

  @Test func whatVibratesOrTurnsMoves() {
    var pipeline = pipeline()
    feed(&pipeline, from: 1, lengthS: 30)
    feed(&pipeline, from: 31, lengthS: 5, amplitudeG: 0.025)
    #expect(pipeline.stillness(at: .s(36)) == .moving)
    feed(&pipeline, from: 36, lengthS: 30)
    // Laid on another side without a jerk.
    feed(&pipeline, from: 66, lengthS: 0.5, middle: Vector(1, 0, 0))
    guard case .still(let since) = pipeline.stillness(at: .s(66.6)) else {
      Issue.record("it lies again")
      return
    }
    #expect(since.seconds > 65.9)
  }

  @Test func aSensorThatSleepsIsStillSinceItLay() {
    var pipeline = pipeline()
    feed(&pipeline, from: 1, lengthS: 20)
    _ = pipeline.handle(.idle, at: .s(21))
    #expect(pipeline.stillness(at: .s(5000)) == .still(since: .s(1)))
    _ = pipeline.handle(.woken(at: .s(5001)), at: .s(5001))
    #expect(pipeline.stillness(at: .s(5001)) == .unknown)
    feed(&pipeline, from: 5001, lengthS: 1, amplitudeG: 0.5)
    #expect(pipeline.stillness(at: .s(5002)) == .moving)
  }

  @Test func aSensorThatIsSilentOrSlowSaysNothing() {
    var silent = pipeline()
    feed(&silent, from: 1, lengthS: 20)
    _ = silent.tick(at: .s(30))
    #expect(silent.stillness(at: .s(30)) == .unknown)
    var slow = pipeline(rateHz: 0.5)
    feed(&slow, from: 1, lengthS: 60, rateHz: 0.5)
    #expect(slow.stillness(at: .s(61)) == .unknown)
    var failed = pipeline()
    feed(&failed, from: 1, lengthS: 20)
    _ = failed.handle(.failed(reason: "gone"), at: .s(21))
    #expect(failed.stillness(at: .s(21)) == .unknown)
  }
}
