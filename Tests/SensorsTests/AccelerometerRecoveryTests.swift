import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

/// Sensors that go, fall silent, or cannot be buffered.
@Suite struct AccelerometerRecoveryTests {
  private let workplace: Workplace
  private let tree: IIOTree
  private let clock = MonotonicClock.process
  private let notes = NoteBook()

  init() throws {
    workplace = try Workplace("recovery")
    tree = try IIOTree(in: workplace)
  }

  private func driver(rateHz: Double = 100) -> SourceDriver {
    let settings = AccelerometerSettings(tree: tree, rateHz: rateHz)
    return SourceDriver(IIOSource(settings: settings, clock: clock, note: notes.note), clock: clock)
  }

  /// Why the first capture is polled.
  private func whyPolled(_ driver: SourceDriver) -> String? {
    guard driver.run(seconds: 3, until: { !$0.starts.isEmpty }), case .polled(let why) = driver.starts[0].capture else {
      return nil
    }
    return why
  }

  // InputPlumber #102; libiio #974
  @Test func aDeviceThatEndsIsReportedOnceAndFoundAgain() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    writer.close()
    #expect(driver.run(seconds: 3) { !$0.failures.isEmpty })
    #expect(driver.failures == ["lis3dh (iio:device0): the device node ended"])
    #expect(device.text("buffer/enable") == "0")
    driver.run(seconds: 2)
    #expect(driver.failures.count == 1, "the same reason is told once")
    let again = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { again.close() }
    driver.forget()
    #expect(driver.run(seconds: 8) { $0.samples.count >= 20 })
    #expect(driver.starts.map(\.capture) == [.buffered])
    driver.source.stop()
  }

  @Test func aDeviceThatIsPluggedInLaterIsFound() throws {
    let driver = driver()
    #expect(driver.run(seconds: 1) { !$0.failures.isEmpty })
    #expect(driver.failures[0].contains("no sensor under"))
    let device = try tree.add(.mpu6050, number: 4)
    #expect(driver.run(seconds: 4) { $0.samples.count > 5 })
    #expect(driver.starts.first?.name == "mpu6050")
    // It goes, and comes back under another number.
    driver.forget()
    try FileManager.default.removeItem(atPath: device.folder)
    try tree.add(.mpu6050, number: 5)
    driver.source.stop()
  }

  // iio-sensor-proxy #55, #66, #69, #160, #224
  @Test func aSilentBufferIsRestartedThenPolledAndBothAreTold() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    writer.pause()
    #expect(driver.run(seconds: 5) { $0.starts.count == 2 })
    guard case .polled(let why) = driver.starts[1].capture else {
      Issue.record("still \(driver.starts[1].capture)")
      return
    }
    #expect(why.contains("no scan for 1"))
    #expect(driver.failures == [])
    #expect(
      driver.run(seconds: 2) { driver in
        driver.samples.last.map { ($0.g - Vector(10, -20, 1000) * (0.009806 / standardGravity)).length < 1e-9 } ?? false
      })
    #expect(device.text("buffer/enable") == "0")
    #expect(notes.lines.contains { $0.contains("no scan for 1") })
    driver.source.stop()
  }

  @Test func aBufferThatComesBackAfterItsRestartStaysBuffered() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    writer.pause()
    #expect(driver.run(seconds: 3) { $0.gaps == 1 }, "the restart is a gap")
    writer.resume()
    let count = driver.samples.count
    #expect(driver.run(seconds: 3) { $0.samples.count >= count + 40 })
    #expect(driver.starts.count == 1)
    driver.source.stop()
  }

  // libiio #941
  @Test func withoutScanElementsItPollsAndSaysSo() throws {
    try tree.add(.mpu6050)
    let driver = driver(rateHz: 50)
    #expect(try #require(whyPolled(driver)).contains("no scan_elements"))
    driver.source.stop()
  }

  // libiio #450; raspberrypi/linux #4984
  @Test func withoutATriggerItPollsAndSaysHowToMakeOne() throws {
    var chip = IIOChip.lis3dh
    chip.trigger = .none
    try tree.add(chip)
    let driver = driver(rateHz: 50)
    #expect(try #require(whyPolled(driver)).contains("modprobe iio-trig-hrtimer"))
    driver.source.stop()
  }

  @Test func triggersOfOtherDevicesAndEventsAreLeftAlone() throws {
    var chip = IIOChip.lis3dh
    chip.trigger = .none
    try tree.add(chip)
    try tree.addTrigger("bmc150-dev7", number: 0)
    try tree.addTrigger("lis3dh-any-motion-dev0", number: 1)
    let driver = driver(rateHz: 50)
    #expect(try #require(whyPolled(driver)).contains("needs a trigger"))
    driver.source.stop()
  }

  @Test func aDriverWithItsOwnFIFONeedsNoTrigger() throws {
    var chip = IIOChip.bmi160
    chip.needsTrigger = false
    chip.trigger = .none
    let writer = try ScanWriter(try tree.add(chip), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    #expect(driver.starts.map(\.capture) == [.buffered])
    driver.source.stop()
  }

  @Test func aBufferThatRefusesToBeEnabledIsLeftForPollingWithTheKernelsWord() throws {
    let device = try tree.add(.lis3dh)
    try device.block("buffer/enable")
    let driver = driver(rateHz: 50)
    #expect(try #require(whyPolled(driver)).contains("buffer/enable: Is a directory"))
    driver.source.stop()
  }

  // libiio #1215, #1195
  @Test(.enabled(if: getuid() != 0, "root may write everything"))
  func aBufferThatMayNotBeSetUpIsLeftForPollingWithTheUdevRule() throws {
    let device = try tree.add(.lis3dh)
    try #require(chmod(device.folder + "/buffer/enable", 0o444) == 0)
    let driver = driver(rateHz: 50)
    let why = try #require(whyPolled(driver))
    #expect(why.contains("buffer/enable: Permission denied; install deploy/udev/60-judder-iio.rules"))
    driver.source.stop()
  }

  @Test func aMissingDeviceNodeIsNamed() throws {
    let device = try tree.add(.lis3dh)
    try FileManager.default.removeItem(atPath: device.node)
    let driver = driver(rateHz: 50)
    #expect(try #require(whyPolled(driver)).contains("No such file or directory (no device node"))
    driver.source.stop()
  }

  @Test func aScanTypeThatMakesNoSenseIsLeftForPolling() throws {
    var chip = IIOChip.lis3dh
    chip.scanType = "le:s12/16>>9"
    try tree.add(chip)
    let driver = driver(rateHz: 50)
    #expect(try #require(whyPolled(driver)).contains("le:s12/16>>9"))
    driver.source.stop()
  }

  // mpu6050 #21, #27, #40; enviroplus-mqtt #12: tried again three times, counted, and never the end
  @Test func aNodeThatAnswersWithBusErrorsIsTriedRestartedAndThenPolled() throws {
    let device = try tree.add(.lis3dh)
    try FileManager.default.removeItem(atPath: device.node)
    // The first page of a process is never mapped: reading it is EIO.
    try FileManager.default.createSymbolicLink(atPath: device.node, withDestinationPath: "/proc/self/mem")
    let driver = driver(rateHz: 50)
    let why = try #require(whyPolled(driver))
    #expect(why.contains("Input/output error, 4 times in a row"))
    #expect(driver.gaps == 2, "the restart and the change to polling: what the kernel kept is not lost")
    #expect(driver.faults == AccelerometerFaults(retried: 8, stalls: 2))
    #expect(driver.failures == [])
    driver.source.stop()
  }

  @Test func absurdAnswersOfADriverDoNotEndTheProgram() throws {
    var chip = IIOChip.lis3dh
    chip.ratesAvailable = "1e300 nan"
    chip.hasTimestamp = false
    let device = try tree.add(chip)
    for value in ["1e300", "-5", "nan", "0", "0x1p9"] {
      try device.create("sampling_frequency", value)
      try device.block("sampling_frequency_available")
      let driver = driver()
      driver.run(seconds: 0.05)
      driver.source.stop()
      try device.remove("sampling_frequency_available")
      try device.create("sampling_frequency_available", "")
    }
    var settings = AccelerometerSettings(tree: tree)
    for rate in [0, -1, Double.nan, .infinity] {
      settings.rateHz = rate
      settings.updateIntervalS = rate
      let driver = SourceDriver(IIOSource(settings: settings, clock: clock, note: notes.note), clock: clock)
      driver.run(seconds: 0.05)
      driver.source.stop()
    }
    #expect(device.text("buffer/enable") == "0")
  }
}
