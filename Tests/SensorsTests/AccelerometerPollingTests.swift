import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

@Suite struct AccelerometerPollingTests {
  private let workplace: Workplace
  private let tree: IIOTree
  private let clock = MonotonicClock.process
  private let notes = NoteBook()

  init() throws {
    workplace = try Workplace("polling")
    tree = try IIOTree(in: workplace)
  }

  private func driver(rateHz: Double, intervalS: Double? = nil) -> SourceDriver {
    var settings = AccelerometerSettings(tree: tree, rateHz: rateHz)
    settings.updateIntervalS = intervalS
    return SourceDriver(IIOSource(settings: settings, clock: clock, note: notes.note), clock: clock)
  }

  @Test func attributesAreReadAtTheRateAndConverted() throws {
    let device = try tree.add(.mpu6050)
    let driver = driver(rateHz: 60)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 60 })
    let unit = 0.000598 / standardGravity
    #expect(driver.samples[0].g == Vector(100 * unit, -200 * unit, 16_400 * unit))
    #expect(driver.starts.first?.rateHz == 60)
    let span = try #require(driver.samples.last).at - driver.samples[0].at
    #expect(abs(Double(driver.samples.count - 1) / span - 60) < 10)
    try device.setRaw(-1, 2, -16_000)
    driver.run(seconds: 0.2)
    #expect(try #require(driver.samples.last).g == Vector(-1 * unit, 2 * unit, -16_000 * unit))
    #expect(driver.gaps == 0)
    driver.source.stop()
  }

  @Test func theSensorsOwnRateIsSetWellAboveThePollingRate() throws {
    var chip = IIOChip.lis3dh
    chip.trigger = .none
    let device = try tree.add(chip)
    let driver = driver(rateHz: 20)
    #expect(driver.run(seconds: 2) { !$0.samples.isEmpty })
    #expect(device.text("sampling_frequency") == "200")
    driver.source.stop()
  }

  @Test func theUpdateIntervalGoesBeforeTheRate() throws {
    try tree.add(.mpu6050)
    let driver = driver(rateHz: 100, intervalS: 0.25)
    driver.run(seconds: 1.1)
    #expect((4...5).contains(driver.samples.count))
    #expect(driver.starts.first?.rateHz == 4)
    driver.source.stop()
  }

  // iio-sensor-proxy #43
  @Test func exactlyZeroIsAFaultAndFourInARowEndTheCapture() throws {
    let device = try tree.add(.mpu6050)
    let driver = driver(rateHz: 50)
    #expect(driver.run(seconds: 2) { !$0.samples.isEmpty })
    try device.setRaw(0, 0, 0)
    #expect(driver.run(seconds: 2) { !$0.failures.isEmpty })
    #expect(driver.failures == ["mpu6050 (iio:device0): it reads exactly 0, 0, 0, 4 times in a row"])
    #expect(driver.gaps >= 4)
    #expect(driver.faults == AccelerometerFaults(stalls: 1, zeros: 4))
    #expect(driver.samples.allSatisfy { $0.g != .zero })
    try device.setRaw(1, 2, 16_000)
    driver.forget()
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    #expect(driver.starts.count == 1, "it is announced again")
    driver.source.stop()
  }

  @Test func anAttributeThatIsNoNumberIsAFault() throws {
    let device = try tree.add(.mpu6050)
    try device.set("in_accel_y_raw", "-12x")
    let driver = driver(rateHz: 50)
    #expect(driver.run(seconds: 2) { !$0.failures.isEmpty })
    #expect(driver.failures[0].contains("in_accel_y_raw is no number"))
    driver.source.stop()
  }

  // iio-sensor-proxy #43
  @Test func aReadingThatTakesOverASecondIsAFault() {
    #expect(throws: Never.self) { try PollFault.check(tookS: 0.9) }
    #expect(throws: PollFault.slow(seconds: 5.02)) { try PollFault.check(tookS: 5.02) }
    #expect(PollFault.slow(seconds: 5.02).description == "a reading took 5 s")
  }

  // mpu6050 #21, #27, #40; enviroplus-mqtt #12
  @Test func aBusErrorIsTriedThreeTimesMoreBeforeItIsReported() throws {
    let device = try tree.add(.mpu6050)
    try device.remove("in_accel_z_raw")
    // The first page of a process is never mapped: reading it is EIO, as reading a chip that does not answer is.
    let attribute = device.folder + "/in_accel_z_raw"
    try FileManager.default.createSymbolicLink(atPath: attribute, withDestinationPath: "/proc/self/mem")
    let driver = driver(rateHz: 50)
    #expect(driver.run(seconds: 2) { !$0.failures.isEmpty })
    #expect(driver.failures == ["mpu6050 (iio:device0): read \(attribute): Input/output error, 4 times in a row"])
    #expect(driver.gaps == 1, "three tries may still be in time")
    #expect(driver.faults == AccelerometerFaults(retried: 4, stalls: 1))
    driver.source.stop()
  }

  @Test func anErrorThatNoOtherTryCuresIsReportedAtOnce() throws {
    let device = try tree.add(.mpu6050)
    try device.remove("in_accel_z_raw")
    try #require(mkfifo(device.folder + "/in_accel_z_raw", 0o600) == 0)
    let fifo = open(device.folder + "/in_accel_z_raw", O_RDWR)
    defer { close(fifo) }
    let driver = driver(rateHz: 50)
    driver.run(seconds: 1) { !$0.failures.isEmpty }
    #expect(try #require(driver.failures.first).hasSuffix("Illegal seek"))
    driver.source.stop()
  }

  @Test func aScaleThatIsChangedFromOutsideIsReadAgain() throws {
    let device = try tree.add(.mpu6050)
    var sensor = try IIOSensor(
      device: IIODevice(identifier: "iio:device0", folder: AttributeFolder(path: device.folder)), mountMatrix: nil)
    try device.set("in_accel_scale", "0.001196")
    sensor.refresh()
    #expect(sensor.scale.x.scale == 0.001196)
    try device.set("in_accel_scale", "broken")
    sensor.refresh()
    #expect(sensor.scale.x.scale == 0.001196, "what cannot be read stays as it was")
  }
}
