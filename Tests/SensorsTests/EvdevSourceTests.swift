import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

/// Real `struct input_event` bytes through a FIFO in place of the device node.
@Suite("Input devices as accelerometers")
struct EvdevSourceTests {
  private let workplace: Workplace
  private let tree: InputTree
  private let clock = MonotonicClock.process
  private let notes = NoteBook()

  init() throws {
    workplace = try Workplace("evdev")
    tree = try InputTree(in: workplace)
  }

  private func driver(
    _ device: InputTreeDevice, rateHz: Double = 100, unitsPerG: Double? = 256, hasClock: Bool = true,
    change: (inout AccelerometerSettings) -> Void = { _ in }
  ) -> SourceDriver {
    var settings = AccelerometerSettings(input: tree, device: device.chip.name, rateHz: rateHz, unitsPerG: unitsPerG)
    change(&settings)
    let control = RigControl(device: device, hasClock: hasClock)
    return SourceDriver(
      EvdevSource(settings: settings, clock: clock, control: control, note: notes.note), clock: clock)
  }

  private func isNear(_ a: Vector, _ b: Vector) -> Bool { (a - b).length < 1e-9 }

  @Test func aStillDeviceGivesItsLastValuesAtAnEvenRate() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 100 })
    let samples = driver.samples
    for sample in samples { #expect(isNear(sample.g, Vector(0, 0, 1))) }
    for (before, after) in zip(samples, samples.dropFirst()) { #expect(abs(after.at - before.at - 0.01) < 1e-6) }
    let start = try #require(driver.starts.first)
    #expect(driver.starts.count == 1)
    #expect(start.source == .evdev && start.rateHz == 100 && start.fullScaleG == 16)
    #expect(
      start.capture
        == .held(why: "an input device tells changes only; in between the last values are repeated at 100 Hz"))
    #expect(driver.gaps == 0 && driver.failures == [] && driver.faults.isEmpty)
    let before = driver.wakeUps
    driver.run(seconds: 2)
    #expect((8...16).contains(driver.wakeUps - before), "a still device wakes the reader five times a second")
    driver.source.stop()
  }

  @Test func changesAppearAtTheTimeTheKernelStampedThem() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    let moment = clock.now()
    let stamp = moment.seconds + Double(clock.originNanoseconds) * 1e-9
    // Told 100 ms late, one axis at a time.
    usleep(100_000)
    device.report(64, 0, 256, at: stamp + 0.02)
    device.report(64, -128, 256, at: stamp + 0.04)
    driver.run(seconds: 0.5)
    for sample in driver.samples where sample.at > moment + 0.12 {
      #expect(isNear(sample.g, Vector(0.25, -0.5, 1)))
    }
    let late = driver.samples.filter { $0.at > moment && $0.g.x == 0 }
    #expect(late.count <= 22, "what was said already cannot be taken back")
    driver.source.stop()
  }

  @Test func aMovingDeviceIsFollowed() throws {
    let device = try tree.add(.controller)
    device.report(0, 0, 8192)
    let driver = driver(device, unitsPerG: nil)
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    for step in 1...60 {
      device.report(100 * step, 0, 8192)
      driver.run(seconds: 0.01)
    }
    driver.run(seconds: 0.3)
    let values = driver.samples.map(\.g.x)
    #expect(values == values.sorted())
    #expect(Set(values).count > 25)
    #expect(abs((values.last ?? 0) - 6000.0 / 8192) < 1e-9)
    driver.source.stop()
  }

  @Test func theMountMatrixIsAppliedOnce() throws {
    let device = try tree.add(.adxl34x)
    device.report(256, 512, 768)
    let matrix = try MountMatrix(parsing: "0, -1, 0; 1, 0, 0; 0, 0, 1")
    let driver = driver(device) { $0.mountMatrix = matrix }
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    #expect(isNear(driver.samples[0].g, Vector(-2, 1, 3)))
    driver.source.stop()
  }

  @Test func aCalibrationCorrectsTheDevicesAxesBeforeTheMountMatrix() throws {
    let device = try tree.add(.adxl34x)
    device.report(256, 512, 768)
    let matrix = try MountMatrix(parsing: "0, -1, 0; 1, 0, 0; 0, 0, 1")
    let driver = driver(device) {
      $0.mountMatrix = matrix
      $0.correction = AxisCorrection(scale: Vector(1, 0.5, 1), offsetG: Vector(0, 0, 0.25))
    }
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    #expect(isNear(driver.samples[0].g, Vector(-1, 1, 2.75)))
    driver.source.stop()
  }

  @Test func aDeviceThatDoesNotSayWhatOneGIsIsRefusedWithTheRemedy() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device, unitsPerG: nil)
    driver.run(seconds: 0.1)
    #expect(
      driver.failures == [
        "ADXL34x accelerometer (event0) does not say how many counts are 1 g (its resolution is 0); set"
          + " accelerometer.evdev_units_per_g (an ADXL345 has 256)"
      ])
    driver.source.stop()
  }

  @Test func aResolutionWithoutTheDeclarationIsTakenAndSaid() throws {
    var chip = InputChip.adxl34x
    chip.resolution = 128
    let device = try tree.add(chip)
    device.report(0, 0, 128)
    let driver = driver(device, unitsPerG: nil)
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    #expect(isNear(driver.samples[0].g, Vector(0, 0, 1)))
    #expect(notes.lines.contains { $0.contains("is taken for counts in 1 g") })
    driver.source.stop()
  }

  @Test func lostEventsAreAGapAndTheStateIsAskedFor() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    device.lose(0, 256, 0)
    #expect(driver.run(seconds: 2) { $0.samples.last?.g == Vector(0, 1, 0) })
    #expect(driver.gaps == 1)
    #expect(driver.samples.allSatisfy { $0.g.x == 0 }, "what came with the loss is not believed")
    driver.source.stop()
  }

  @Test func whatTheChoiceOfTheClockDropsIsNoLoss() throws {
    let device = try tree.add(.adxl34x)
    device.lose(0, 0, 256)
    let driver = driver(device)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    #expect(driver.gaps == 0)
    #expect(driver.samples.allSatisfy { $0.g == Vector(0, 0, 1) })
    driver.source.stop()
  }

  // InputPlumber #102; libiio #974: gone is found out, and back too
  @Test func aDeviceThatLeavesIsReportedOnceAndFoundAgainUnderAnotherNumber() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device)
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    try device.leave()
    #expect(driver.run(seconds: 3) { !$0.failures.isEmpty })
    #expect(driver.failures[0].hasPrefix("ADXL34x accelerometer (event0): "))
    driver.run(seconds: 1)
    #expect(driver.failures.count <= 2)
    driver.source.stop()
    let back = try tree.add(.adxl34x, number: 5)
    back.report(0, 0, 256)
    let again = self.driver(back)
    #expect(again.run(seconds: 4) { !$0.samples.isEmpty })
    again.source.stop()
  }

  @Test func aDeviceThatComesLaterIsFound() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    try FileManager.default.moveItem(atPath: device.folder, toPath: device.folder + "-away")
    let driver = driver(device)
    #expect(driver.run(seconds: 1) { !$0.failures.isEmpty })
    try FileManager.default.moveItem(atPath: device.folder + "-away", toPath: tree.inputRoot + "/event0")
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    driver.source.stop()
  }

  // iio-sensor-proxy #43
  @Test func aDriverThatHasMeasuredNothingIsWaitedForAndThenGivenUp() throws {
    let device = try tree.add(.adxl34x)
    let driver = driver(device)
    driver.run(seconds: 1)
    #expect(driver.samples.isEmpty && driver.failures.isEmpty)
    #expect(driver.run(seconds: 6) { !$0.failures.isEmpty })
    #expect(driver.failures[0].contains("no event since it was opened, and its state is 0, 0, 0"))
    #expect(driver.faults == AccelerometerFaults(stalls: 1, zeros: 1))
    device.report(0, 0, 256)
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    driver.source.stop()
  }

  // iio-sensor-proxy #43
  @Test func aFrameOfZerosIsCountedAndNothingIsRepeatedUntilTheNext() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    device.report(0, 0, 0)
    driver.run(seconds: 0.4)
    let count = driver.samples.count
    driver.run(seconds: 0.6)
    #expect(driver.samples.count == count)
    device.report(0, 256, 0)
    #expect(driver.run(seconds: 2) { $0.samples.last?.g == Vector(0, 1, 0) })
    #expect(driver.gaps == 1 && driver.faults == AccelerometerFaults(zeros: 1))
    let after = try #require(driver.samples.firstIndex { $0.g == Vector(0, 1, 0) })
    #expect(driver.samples[after].at - driver.samples[after - 1].at > 0.8, "what it was meanwhile is not made up")
    #expect(driver.failures == [] && driver.starts.count == 1)
    driver.source.stop()
  }

  // iio-sensor-proxy #43
  @Test func zerosThatStayAreAStall() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    device.report(0, 0, 0)
    driver.run(seconds: 3)
    #expect(driver.failures == [])
    #expect(driver.run(seconds: 5) { !$0.failures.isEmpty })
    #expect(driver.failures == ["ADXL34x accelerometer (event0): nothing but 0, 0, 0 for 5 s"])
    #expect(driver.faults == AccelerometerFaults(stalls: 1, zeros: 1))
    driver.source.stop()
  }

  // iio-sensor-proxy #220: the input core does not clamp values
  @Test func valuesFarBeyondTheRangeAreLeftOutAndCounted() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    device.report(0, 0, 32_000)
    driver.run(seconds: 0.3)
    device.report(0, 0, 256)
    driver.run(seconds: 0.4)
    #expect(driver.samples.allSatisfy { $0.g == Vector(0, 0, 1) })
    #expect(driver.faults.outOfRange > 0 && driver.gaps > 0)
    driver.source.stop()
  }

  @Test func withoutAChoiceOfClockArrivalHasToDoAndThatIsSaid() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device, hasClock: false)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 10 })
    let moment = clock.now()
    device.report(256, 0, 256, at: 5)
    #expect(driver.run(seconds: 2) { $0.samples.last?.g.x == 1 })
    #expect(driver.samples.allSatisfy { $0.at > moment || $0.g.x == 0 })
    guard case .held(let why) = driver.starts.first?.capture else { return }
    #expect(why.hasSuffix("and its times are those of arrival"))
    driver.source.stop()
  }

  @Test func anEventThatArrivesInTwoPiecesIsPutTogether() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device)
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    let now = ScanWriter.monotonicSeconds()
    let bytes =
      InputTreeDevice.event(type: 3, code: 0, value: 128, at: now)
      + InputTreeDevice.event(type: 0, code: 0, value: 0, at: now)
    device.put(Array(bytes[..<31]))
    driver.run(seconds: 0.2)
    device.put(Array(bytes[31...]))
    #expect(driver.run(seconds: 2) { $0.samples.last?.g.x == 0.5 })
    driver.source.stop()
  }

  @Test func sleepIsRefusedWithTheReason() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    let driver = driver(device) { $0.wake = true }
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    #expect(driver.starts.first?.wake == .refused(why: "an input device cannot wake the node"))
    driver.source.stop()
  }

  @Test func checkSaysOfAnInputDeviceWhatItSaysOfOthers() throws {
    let device = try tree.add(.adxl34x)
    device.report(0, 0, 256)
    var settings = AccelerometerSettings(input: tree, device: "ADXL34x accelerometer", unitsPerG: 256)
    func findings() -> [AccelerometerFinding] {
      AccelerometerProbe.findings(settings, clock: clock, control: RigControl(device: device))
    }
    let good = findings()
    #expect(good.allSatisfy { $0.severity == .good })
    #expect(
      good.map(\.text) == [
        "accelerometer ADXL34x accelerometer (event0, at ADXL34x/input0, not declared an accelerometer)",
        "256, 256, 256 counts in 1 g, to 16 g, mount matrix the identity",
        "held at 100 Hz: an input device tells changes only; in between the last values are repeated at 100 Hz",
        "reads 0, 0, 1 g: 9.81 m/s^2",
      ])
    settings.evdevUnitsPerG = nil
    #expect(findings().map(\.severity) == [.problem])
    settings.evdevUnitsPerG = 128
    #expect(findings().last?.text.contains("which is not gravity") == true)
  }
}
