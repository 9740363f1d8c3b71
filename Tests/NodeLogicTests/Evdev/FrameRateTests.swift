import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("The rate of a sensor that tells changes only")
struct FrameRateTests {
  private let device = AccelerometerDescription(
    name: "ADXL34x accelerometer", source: .evdev, rateHz: 100, capture: .held(why: "it tells changes only"))

  /// Samples at 100 Hz of a device that measures at `rateHz` and swings at 1 Hz by `swingG`.
  private func held(rateHz: Double, swingG: Double, lengthS: Double = 20) -> [Sample] {
    var state = HeldState(rateHz: 100)
    var samples: [Sample] = []
    for index in 0..<Int(lengthS * rateHz) {
      let time = Double(index) / rateHz
      while let (scan, at) = state.take(before: .s(time)) {
        var sample = Sample(at: at, g: Vector(Double(scan.x), Double(scan.y), Double(scan.z)) * 0.001)
        sample.isRepeat = state.isRepeat
        samples.append(sample)
      }
      let x = swingG * 1000 * sin(2 * Double.pi * time + 0.3)
      state.set(RawScan(x: Int64(x.rounded()), y: 0, z: 1000), at: .s(time))
    }
    return samples
  }

  private func run(_ samples: [Sample]) -> (pipeline: MotionPipeline, outputs: [MotionOutput]) {
    var pipeline = MotionPipeline(MotionSettings(.handheld))
    var outputs = pipeline.handle(.started(device), at: .start)
    for sample in samples { outputs += pipeline.handle(.samples([sample]), at: sample.at) }
    return (pipeline, outputs)
  }

  @Test func whatIsRepeatedIsMarkedAndWhatIsToldIsNot() {
    let samples = held(rateHz: 10, swingG: 1, lengthS: 2)
    let told = samples.count { !$0.isRepeat }
    #expect(samples.count == 190)
    #expect(told == 19)
  }

  @Test(arguments: [5.0, 8, 12.5, 25, 50])
  func theRateIsThatOfTheDeviceWhileSomethingMoves(rateHz: Double) throws {
    let (pipeline, outputs) = run(held(rateHz: rateHz, swingG: 1.5))
    let healthHz = try #require(pipeline.health(at: .s(20)).rateHz)
    #expect(abs(healthHz - rateHz) < 0.05 * rateHz)
    let window = try #require(windows(outputs).last { $0.closing == .full })
    #expect(abs(try #require(window.rateHz) - rateHz) < 0.05 * rateHz)
    let lengthS = window.end - window.start
    #expect(abs(Double(window.count) - lengthS * rateHz) <= 1.5, "repeats are no samples")
  }

  @Test func aDeviceThatIsTooSlowForThePresetIsNotLookedAtForShakes() {
    let (pipeline, outputs) = run(held(rateHz: 8, swingG: 1.5))
    #expect(pipeline.health(at: .s(20)).error?.contains("8.0 samples/s are fewer") == true)
    #expect(warnings(outputs).contains { if case .tooSlow = $0 { true } else { false } })
  }

  @Test func aDeviceThatIsFastEnoughIs() {
    let (pipeline, outputs) = run(held(rateHz: 50, swingG: 1.5))
    #expect(pipeline.health(at: .s(20)).error == nil)
    #expect(warnings(outputs).isEmpty)
  }

  @Test func atRestTheRateIsNotKnown() {
    let (pipeline, outputs) = run(held(rateHz: 50, swingG: 0.004))
    #expect(pipeline.health(at: .s(20)).rateHz == nil)
    #expect(windows(outputs).allSatisfy { $0.rateHz == nil })
    #expect(!windows(outputs).isEmpty)
  }

  @Test func pausesBetweenMotionsSayNothing() throws {
    var rate = FrameRate()
    for swing in 0..<10 {
      for index in 0..<20 {
        let time = Double(swing) * 10 + Double(index) * 0.1
        rate.feed(Sample(at: .s(time), g: Vector(index % 2 == 0 ? 1 : -1, 0, 1)))
      }
    }
    #expect(abs(try #require(rate.rateHz) - 10) < 1e-6)
  }
}
