import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Judging scans")
struct ScanCheckTests {
  private let unit = AccelerationScale.AxisScale(scale: 0.00980665)

  private func scale(fullScaleG: Double?) -> AccelerationScale {
    AccelerationScale(x: unit, y: unit, z: unit, fullScaleG: fullScaleG)
  }

  private func verdict(_ x: Int64, _ y: Int64, _ z: Int64, fullScaleG: Double? = 2) -> ScanCheck.Verdict {
    var check = ScanCheck(scale(fullScaleG: fullScaleG))
    var remarks: [ScanCheck.Remark] = []
    let scan = RawScan(x: x, y: y, z: z)
    return check.feed(scan, g: scale(fullScaleG: fullScaleG).sample(scan, at: .start).g, at: .start, remarks: &remarks)
  }

  // iio-sensor-proxy #43
  @Test func exactlyZeroOnAllAxesIsNoReading() {
    #expect(verdict(0, 0, 0) == .zeros)
    #expect(verdict(0, 0, 1) == .good)
    #expect(verdict(0, -1, 0) == .good)
  }

  // iio-sensor-proxy #220
  @Test func whatIsBeyondTheRangeIsGarbage() {
    #expect(verdict(2000, 2000, -2000) == .good, "all axes at their end at once: a blow")
    #expect(verdict(0, 0, 2100) == .good, "an offset may lead beyond the range")
    #expect(verdict(0, 0, 5000) == .outOfRange)
    #expect(verdict(-32_768, 12, 1000) == .outOfRange)
  }

  // iio-sensor-proxy #220
  @Test func withoutAKnownRangeOnlyTheImpossibleIsGarbage() {
    #expect(verdict(0, 0, 400_000, fullScaleG: nil) == .good)
    #expect(verdict(0, 2_147_483_647, 0, fullScaleG: nil) == .outOfRange)
    #expect(verdict(.min, .max, .min, fullScaleG: nil) == .outOfRange)
  }

  /// Feeds a still reading [g] for some time, and answers the remarks.
  private func remarks(_ check: inout ScanCheck, _ z: Double, lengthS: Double, shakenBy strayG: Double = 0.01)
    -> [String]
  {
    var remarks: [ScanCheck.Remark] = []
    for index in 0..<Int(lengthS * 100) {
      let stray = index % 2 == 0 ? strayG : -strayG
      let scan = RawScan(x: Int64(1000 * stray), y: Int64(3 + index % 7), z: Int64(1000 * z))
      _ = check.feed(
        scan, g: Vector(stray, 0, z), at: Instant(seconds: Double(index) / 100), remarks: &remarks)
    }
    return remarks.map(\.description)
  }

  // InputPlumber PR #574
  @Test(arguments: [(0.8, "7.8"), (1.2, "11.8"), (0.1, "1")])
  func restThatIsNotGravityIsToldOnce(z: Double, told: String) throws {
    var check = ScanCheck(scale(fullScaleG: nil))
    let lines = remarks(&check, z, lengthS: 60)
    #expect(lines.count == 1)
    #expect(try #require(lines.first).hasPrefix("at rest it measures \(told)"))
    #expect(lines[0].contains("not gravity (8.5 to 11.0)"))
  }

  // InputPlumber PR #574
  @Test(arguments: [0.88, 1, 1.1])
  func gravityWithASensorsErrorsIsAllRight(z: Double) {
    var check = ScanCheck(scale(fullScaleG: nil))
    #expect(remarks(&check, z, lengthS: 30).isEmpty)
  }

  @Test func motionIsNotJudgedByGravity() {
    var check = ScanCheck(scale(fullScaleG: nil))
    #expect(remarks(&check, 1.5, lengthS: 30, shakenBy: 0.3).isEmpty)
    #expect(remarks(&check, 0.8, lengthS: 4).isEmpty, "four seconds are no rest")
  }

  @Test func aSensorWhoseNoiseIsHeldBackIsNeverFrozen() {
    for (showsNoise, count) in [(true, 1), (false, 0)] {
      var check = ScanCheck(scale(fullScaleG: nil), showsNoise: showsNoise)
      var found: [ScanCheck.Remark] = []
      for index in 0..<4000 {
        let y = index < 1000 ? Int64(index % 7) : 3
        _ = check.feed(
          RawScan(x: 1, y: y, z: 1000), g: Vector(0, 0, 1), at: Instant(seconds: Double(index) / 100), remarks: &found)
      }
      #expect(found.count == count)
      #expect(check.isFrozen == showsNoise)
    }
  }
}

@Suite("Quiet")
struct QuietWatchTests {
  private func fed(_ samples: [Sample]) -> QuietWatch {
    var watch = QuietWatch()
    for sample in samples { watch.feed(sample) }
    return watch
  }

  @Test func aNoisySensorAtRestIsQuietWhicheverSideIsUp() {
    for up in [Vector(0, 0, 1), Vector(0.6, -0.8, 0)] {
      let watch = fed(samples(lengthS: 30) { up + Vector(0.008 * sin(700 * $0), 0, 0.008 * cos(900 * $0)) })
      #expect(watch.quietS > 29)
    }
  }

  @Test func motionOfAnyKindEndsIt() {
    #expect(fed(samples(lengthS: 30, shaken(from: 25, lengthS: 0.5, peakG: 0.3))).quietS < 5)
    // A slow turn, 5 degrees a second.
    #expect(fed(samples(lengthS: 10) { Vector(sin(0.087 * $0), 0, cos(0.087 * $0)) }).quietS < 0.1)
    // An engine: 40 mg at 25 Hz.
    #expect(fed(samples(rateHz: 200, lengthS: 10) { Vector(0.04 * sin(157 * $0), 0, 1) }).quietS < 0.1)
  }

  @Test func aHoleBeginsANewQuiet() {
    var watch = fed(samples(lengthS: 30) { _ in flat })
    watch.feed(Sample(at: .s(60), g: flat))
    #expect(watch.quietS == 0)
    #expect(watch.wasMoved(to: Vector(0.1, 0, 1)))
    #expect(!watch.wasMoved(to: Vector(0.01, 0, 1.02)))
  }
}

@Suite("The chip's motion event")
struct WakeEventTests {
  @Test func everyDriversNamesAreFound() throws {
    let bmc150 = ["x", "y", "z"].flatMap { axis in
      ["en", "value", "hysteresis", "period"].map { "in_accel_\(axis)_roc_either_\($0)" }
    }
    let event = try #require(WakeEvent(among: bmc150))
    #expect(event.enables == ["in_accel_x_roc_either_en", "in_accel_y_roc_either_en", "in_accel_z_roc_either_en"])
    #expect(event.values.count == 3 && event.name == "in_accel_x_roc_either")
    let lis2 = try #require(WakeEvent(among: ["in_accel_x_thresh_rising_en", "in_accel_x_thresh_rising_value"]))
    #expect(lis2.enables == ["in_accel_x_thresh_rising_en"])
    let mma8452 = [
      "in_accel_scale", "in_accel_x&y&z_mag_falling_en", "in_accel_x&y&z_mag_falling_value", "in_accel_x_mag_rising_en",
      "in_accel_y_mag_rising_en", "in_accel_z_mag_rising_en", "in_accel_mag_rising_value",
    ]
    let transient = try #require(WakeEvent(among: mma8452))
    #expect(transient.enables.count == 3 && transient.values == ["in_accel_mag_rising_value"])
    #expect(WakeEvent(among: ["in_accel_x|y|z_roc_rising_en"])?.enables == ["in_accel_x|y|z_roc_rising_en"])
    #expect(WakeEvent(among: ["in_accel_mag_adaptive_rising_en"])?.values == [])
  }

  @Test func aRateOfChangeGoesBeforeAThresholdThatKnowsGravity() {
    let names = ["in_accel_x_thresh_rising_en", "in_accel_z_roc_rising_en", "in_accel_mag_rising_en"]
    #expect(WakeEvent(among: names)?.enables == ["in_accel_z_roc_rising_en"])
  }

  @Test func freeFallTapsAndOtherSensorsEventsAreNoMotionEvent() {
    #expect(WakeEvent(among: []) == nil)
    #expect(WakeEvent(among: ["in_accel_x&y&z_mag_falling_en", "in_accel_gesture_singletap_en"]) == nil)
    #expect(
      WakeEvent(among: ["in_anglvel_x_roc_rising_en", "in_steps_change_en", "in_accel_x_roc_rising_value"]) == nil)
  }

  @Test func theUnitOfAThresholdIsTheDriversElseTheChipsElseTheRawOne() {
    func unit(_ name: String, scale: Double? = nil, fullScaleG: Double? = 2) -> Double {
      WakeEvent.unitG(of: name, scale: scale, rawG: 0.001, fullScaleG: fullScaleG)
    }
    #expect(abs(unit("mma8452", scale: 0.617742) - 0.063) < 1e-4)
    #expect(unit("kxcjk1013") == 0.0625)
    #expect(unit("lsm6ds3_accel") == 2.0 / 64)
    #expect(unit("bma255") == 2.0 / 512)
    #expect(unit("lis3dh") == 0.001)
    #expect(unit("lsm6ds3_accel", fullScaleG: nil) == 0.001)
  }
}
