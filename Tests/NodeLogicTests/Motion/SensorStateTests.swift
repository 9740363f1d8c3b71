import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("What the driver tells besides samples")
struct SensorStateTests {
  private let sensor = AccelerometerDescription(
    name: "bma255", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 2)

  /// A pipeline that has seen `lengthS` of rest from 0 on.
  private func rested(_ lengthS: Double = 20) -> MotionPipeline {
    var pipeline = MotionPipeline()
    _ = pipeline.handle(.started(sensor), at: .start)
    feed(&pipeline, samples(lengthS: lengthS) { _ in flat })
    return pipeline
  }

  @discardableResult
  private func feed(_ pipeline: inout MotionPipeline, _ samples: [Sample]) -> [MotionOutput] {
    samples.flatMap { pipeline.handle(.samples([$0]), at: $0.at) }
  }

  @Test func aSleepingSensorIsNoStall() {
    var pipeline = rested()
    let outputs = pipeline.handle(.idle, at: .s(20))
    #expect(warnings(outputs).isEmpty)
    #expect(windows(outputs).map(\.closing) == [.rest])
    #expect(pipeline.nextDeadline == nil)
    #expect(pipeline.tick(at: .s(5000)).isEmpty)
    let health = pipeline.health(at: .s(5000))
    #expect(health.state == .idle)
    #expect(health.error == nil && health.rateHz == nil)
    #expect(abs((health.ageS ?? 0) - 4980) < 0.1)
  }

  @Test func singleReadingsInSleepAreWindowsAndKeepTheAge() throws {
    var pipeline = rested()
    let gaps = pipeline.health(at: .s(20)).gaps
    _ = pipeline.handle(.idle, at: .s(20))
    let outputs = pipeline.handle(.samples([Sample(at: .s(320), g: flat)]), at: .s(320.1))
    let window = try #require(windows(outputs).first)
    #expect(window.count == 1 && window.meanG == flat && window.missed == 0)
    #expect(warnings(outputs).isEmpty)
    let health = pipeline.health(at: .s(321))
    #expect(health.state == .idle && health.ageS == 1 && health.gaps == gaps)
  }

  @Test func aDataBudgetMakesReadingsInSleepRarerButOrientationStaysAsQuick() {
    for (stretch, told) in [(1.0, 24), (3, 8), (1000, 2)] {
      var pipeline = rested()
      pipeline.setStretch(stretch)
      _ = pipeline.handle(.idle, at: .s(20))
      // Every five minutes for two hours.
      let outputs = feed(&pipeline, (1...24).map { Sample(at: .s(20 + 300 * Double($0)), g: flat) })
      #expect(windows(outputs).count == told, "stretched \(stretch) times")
      let turned = feed(&pipeline, [7520.0, 7820].map { Sample(at: .s($0), g: Vector(0, 1, 0)) })
      #expect(orientations(turned).map(\.face) == [.yUp])
    }
  }

  @Test func aSlowTurnInSleepIsSeen() {
    var pipeline = rested()
    _ = pipeline.handle(.idle, at: .s(20))
    let turned = Vector(0, 1, 0)
    #expect(orientations(pipeline.handle(.samples([Sample(at: .s(320), g: turned)]), at: .s(320))).isEmpty)
    let outputs = pipeline.handle(.samples([Sample(at: .s(620), g: turned)]), at: .s(620))
    #expect(orientations(outputs).map(\.face) == [.yUp])
  }

  @Test func afterItsEventTheSensorRunsAgainWithoutAGapAndAShakeIsFound() {
    var pipeline = rested()
    let gaps = pipeline.health(at: .s(20)).gaps
    _ = pipeline.handle(.idle, at: .s(20))
    #expect(pipeline.handle(.woken(at: .s(600)), at: .s(600.1)).isEmpty)
    #expect(pipeline.health(at: .s(600.2)).state == .starting)
    #expect(pipeline.nextDeadline == .s(601.1))
    let outputs = feed(&pipeline, samples(from: 600.3, lengthS: 6, shaken(from: 603, lengthS: 0.8)))
    #expect(shakes(outputs).map(\.phase) == [.began, .ended])
    #expect(warnings(outputs).isEmpty)
    let health = pipeline.health(at: .s(606.3))
    #expect(health.state == .running && health.gaps == gaps)
    #expect(abs((health.rateHz ?? 0) - 100) < 0.1)
  }

  @Test func aSensorThatDoesNotComeBackFromSleepIsAStall() {
    var pipeline = rested()
    _ = pipeline.handle(.idle, at: .s(20))
    _ = pipeline.handle(.woken(at: .s(600)), at: .s(600))
    #expect(warnings(pipeline.tick(at: .s(601.5))) == [.stalled(ageS: 1.5)])
  }

  @Test func noShakeOutlivesTheBeginningOfSleep() {
    var pipeline = rested(3)
    let began = feed(&pipeline, samples(from: 3, lengthS: 0.6, shaken(from: 3, lengthS: 2)))
    #expect(shakes(began).map(\.phase) == [.began])
    let outputs = pipeline.handle(.idle, at: .s(3.6))
    #expect(shakes(outputs).map(\.reason) == [.interrupted])
    #expect(!pipeline.isShaking)
  }

  @Test func aSensorThatFailsInSleepIsAFailure() {
    var pipeline = rested()
    _ = pipeline.handle(.idle, at: .s(20))
    #expect(warnings(pipeline.handle(.failed(reason: "gone"), at: .s(30))) == [.failed(reason: "gone")])
    #expect(pipeline.health(at: .s(31)).state == .failed)
  }

  // mpu6050 #21, #27, #40; enviroplus-mqtt #12; Tasmota #4521; iio-sensor-proxy #43, #220
  @Test func faultsAreCountedInHealthAndToldAtEachDoubling() {
    var pipeline = rested()
    #expect(pipeline.health(at: .s(20)).faults == nil)
    var told: [MotionWarning] = []
    for _ in 0..<5 { told += warnings(pipeline.handle(.faults(AccelerometerFaults(retried: 1)), at: .s(20))) }
    #expect(told == [1, 2, 4].map { .faulty(.retried, count: $0) })
    let more = AccelerometerFaults(stalls: 1, zeros: 20, frozen: 1, outOfRange: 3)
    #expect(
      warnings(pipeline.handle(.faults(more), at: .s(20))) == [
        .faulty(.stalls, count: 1), .faulty(.zeros, count: 20), .faulty(.frozen, count: 1),
        .faulty(.outOfRange, count: 3),
      ])
    #expect(
      pipeline.health(at: .s(21)).faults
        == AccelerometerFaults(retried: 5, stalls: 1, zeros: 20, frozen: 1, outOfRange: 3))
    #expect(MotionWarning.faulty(.frozen, count: 1).isProblem)
    #expect(
      MotionWarning.faulty(.outOfRange, count: 3).description
        == "readings beyond what the sensor can measure are not used; 3 times since the start")
  }

  @Test func whyTheStateOfAnInputDeviceIsRepeatedStandsInHealth() {
    var pipeline = MotionPipeline()
    let device = AccelerometerDescription(
      name: "ADXL34x accelerometer", source: .evdev, rateHz: 100, capture: .held(why: "it tells changes only"))
    _ = pipeline.handle(.started(device), at: .start)
    #expect(pipeline.health(at: .s(1)).polling == "it tells changes only")
  }

  // Mysa_HA #25, goecharger #86: windows by default, and few of them while nothing changes
  @Test func anHourOfRestAtAHundredSamplesASecondIsAHandfulOfMessages() {
    var pipeline = MotionPipeline()
    _ = pipeline.handle(.started(sensor), at: .start)
    var count = 0
    for second in 0..<3600 {
      let batch = samples(from: Double(second), lengthS: 1) { time in Vector(0, 0.002 * sin(40 * time), 1) }
      count += windows(pipeline.handle(.samples(batch), at: .s(Double(second) + 1))).count
    }
    #expect((10...16).contains(count), "\(count)")
  }
}
