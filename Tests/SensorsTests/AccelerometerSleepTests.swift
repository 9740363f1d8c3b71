import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

/// The FIFO at a path, or a refusal by errno.
private struct RigEvents: EventControl {
  let path: String
  var refusal: Int32?

  func openEvents(of node: String) throws(SystemFailure) -> Int32 {
    if let refusal { throw SystemFailure(operation: "IIO_GET_EVENT_FD_IOCTL of", path: node, code: refusal) }
    let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure(operation: "open", path: path, code: errno) }
    return descriptor
  }
}

/// Wake-on-motion: a FIFO stands in for the descriptor of IIO events, which only a real device node gives.
@Suite("Sleep until the chip notices motion")
struct AccelerometerSleepTests {
  private let workplace: Workplace
  private let tree: IIOTree
  private let events: String
  private let clock = MonotonicClock.process
  private let notes = NoteBook()

  init() throws {
    workplace = try Workplace("sleep")
    tree = try IIOTree(in: workplace)
    events = workplace.path("events")
    try #require(mkfifo(events, 0o600) == 0)
  }

  /// A chip of the bmc150 family: one rate of change for each axis.
  private func add(
    _ chip: IIOChip = .lis3dh, events names: [String] = ["x", "y", "z"].map { "in_accel_\($0)_roc_either" }
  )
    throws -> IIOTreeDevice
  {
    let device = try tree.add(chip)
    for name in names {
      try device.create("events/\(name)_en", "0")
      try device.create("events/\(name)_value", "5")
    }
    return device
  }

  private func driver(
    idleAfterS: Double = 0.6, thresholdG: Double? = nil, readingS: Double = 300, refusal: Int32? = nil
  ) -> SourceDriver {
    var settings = AccelerometerSettings(tree: tree)
    settings.wake = true
    settings.wakeThresholdG = thresholdG
    settings.idleAfterS = idleAfterS
    settings.idleReadingS = readingS
    let control = RigEvents(path: events, refusal: refusal)
    return SourceDriver(
      IIOSource(settings: settings, clock: clock, events: control, note: notes.note), clock: clock)
  }

  /// The chip tells that it was moved.
  private func fire(at seconds: Double = ScanWriter.monotonicSeconds()) {
    let descriptor = open(events, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(descriptor) }
    let event: [Int64] = [0x0002_0001_0000_0300, Int64(seconds * 1e9)]
    #expect(event.withUnsafeBytes { write(descriptor, $0.baseAddress, 16) } == 16)
  }

  private func isAsleep(_ driver: SourceDriver) -> Bool { driver.reports.contains(.idle) }

  private func wakings(_ driver: SourceDriver) -> [Instant] {
    driver.reports.compactMap { if case .woken(let at) = $0 { at } else { nil } }
  }

  @Test func aQuietSensorSleepsAndItsEventWakesIt() throws {
    let device = try add()
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 5, until: isAsleep))
    #expect(driver.starts.map(\.wake) == [.on(event: "in_accel_x_roc_either")])
    #expect(device.text("buffer/enable") == "0")
    for axis in ["x", "y", "z"] { #expect(device.text("events/in_accel_\(axis)_roc_either_en") == "1") }
    let wakeUps = driver.wakeUps
    driver.run(seconds: 1)
    #expect(driver.wakeUps - wakeUps <= 4, "nothing wakes a sleeping reader")
    let moment = clock.now()
    fire()
    #expect(driver.run(seconds: 2) { !wakings($0).isEmpty })
    #expect(abs(try #require(wakings(driver).first) - moment) < 0.05)
    #expect(device.text("events/in_accel_x_roc_either_en") == "0")
    let count = driver.samples.count
    #expect(driver.run(seconds: 3) { $0.samples.count >= count + 20 })
    #expect(device.text("buffer/enable") == "1")
    #expect(driver.starts.count == 1, "it is the same sensor as before")
    #expect(driver.gaps == 0 && driver.failures == [])
    // And back after quiet.
    driver.forget()
    #expect(driver.run(seconds: 5, until: isAsleep))
    driver.source.stop()
    #expect(device.text("events/in_accel_x_roc_either_en") == "0", "stopping turns the event off")
  }

  @Test func aMovingSensorDoesNotSleep() throws {
    let writer = try ScanWriter(try add(), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    driver.run(seconds: 2.5)
    #expect(!isAsleep(driver) && driver.samples.count > 150)
    driver.source.stop()
  }

  @Test func theThresholdIsWrittenInTheDriversUnit() throws {
    let device = try add(.kxcjk1013, events: ["in_accel_x_thresh_either"])
    let driver = driver(thresholdG: 0.5)
    driver.run(seconds: 0.1)
    #expect(device.text("events/in_accel_x_thresh_either_value") == "8")
    driver.source.stop()
  }

  @Test func aThresholdThatIsRefusedLeavesTheDriversOwn() throws {
    let device = try add(events: ["in_accel_x_roc_either"])
    try device.block("events/in_accel_x_roc_either_value")
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver(thresholdG: 0.1)
    #expect(driver.run(seconds: 5, until: isAsleep))
    #expect(notes.lines.contains { $0.contains("roc_either_value: Is a directory") && $0.contains("stays") })
    driver.source.stop()
  }

  @Test func aDriverWithoutAMotionEventGoesOnCapturingAndSaysWhy() throws {
    let device = try add(events: ["in_accel_x&y&z_mag_falling"])
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver()
    driver.run(seconds: 2.5)
    #expect(!isAsleep(driver) && driver.samples.count > 150)
    guard case .refused(let why) = driver.starts.first?.wake else {
      Issue.record("\(driver.starts)")
      return
    }
    #expect(why.hasPrefix("the driver offers no motion event (only in_accel_x&y&z_mag_falling_en)"))
    #expect(notes.lines.count { $0.contains("does not sleep") } == 1)
    driver.source.stop()
  }

  @Test(arguments: [(EINVAL, "Invalid argument"), (EACCES, "Permission denied; install deploy/udev"), (EBUSY, "busy")])
  func aKernelThatRefusesIsQuotedAndTheCaptureGoesOn(code: Int32, word: String) throws {
    let writer = try ScanWriter(try add(), rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver(refusal: code)
    #expect(driver.run(seconds: 4) { $0.samples.count > 100 })
    guard case .refused(let why) = driver.starts.first?.wake else {
      Issue.record("\(driver.starts)")
      return
    }
    #expect(why.contains(word))
    #expect(!isAsleep(driver))
    driver.source.stop()
  }

  @Test func anEventThatCannotBeTurnedOnIsRefused() throws {
    let device = try add(events: ["in_accel_x_roc_either"])
    try device.block("events/in_accel_x_roc_either_en")
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count > 100 })
    guard case .refused(let why) = driver.starts.first?.wake else {
      Issue.record("\(driver.starts)")
      return
    }
    #expect(why.contains("in_accel_x_roc_either_en: Is a directory"))
    driver.source.stop()
  }

  @Test func aSleepingSensorIsReadNowAndThen() throws {
    let device = try add()
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    try device.setRaw(0, 0, 1000)
    let driver = driver(readingS: 1)
    #expect(driver.run(seconds: 5, until: isAsleep))
    let count = driver.samples.count
    driver.run(seconds: 2.5)
    #expect(driver.samples.count == count + 2)
    #expect(abs(try #require(driver.samples.last).g.z - 1000 * 0.009806 / standardGravity) < 1e-9)
    #expect(wakings(driver).isEmpty)
    driver.source.stop()
  }

  @Test func anEventThatNeverCameIsNotWaitedForAgain() throws {
    let device = try add()
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver(readingS: 1)
    #expect(driver.run(seconds: 5, until: isAsleep))
    try device.setRaw(0, 1000, 0)
    #expect(driver.run(seconds: 3) { !wakings($0).isEmpty })
    driver.run(seconds: 2.5)
    #expect(driver.reports.count { $0 == .idle } == 1)
    guard case .refused(let why) = driver.starts.last?.wake else {
      Issue.record("\(driver.starts)")
      return
    }
    #expect(why.hasPrefix("it was moved and in_accel_x_roc_either did not tell: there is no interrupt line"))
    driver.source.stop()
  }

  @Test func aTurnTooSlowForAnEventThatWorksWakesItToo() throws {
    let device = try add()
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver(readingS: 1)
    #expect(driver.run(seconds: 5, until: isAsleep))
    driver.run(seconds: 2.5)
    fire()
    #expect(driver.run(seconds: 6) { $0.reports.count { $0 == .idle } == 2 })
    try device.setRaw(0, 1000, 0)
    #expect(driver.run(seconds: 3) { wakings($0).count == 2 })
    #expect(notes.lines.contains { $0.contains("did not tell; lower accelerometer.wake_threshold_g") })
    #expect(driver.run(seconds: 5) { $0.reports.count { $0 == .idle } == 3 }, "and it sleeps again")
    driver.source.stop()
  }

  @Test func anEventThatFiresAtRestEndsSleepForGood() throws {
    let device = try add()
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver()
    for round in 1...3 {
      #expect(driver.run(seconds: 6) { $0.reports.count { $0 == .idle } == round })
      fire()
      #expect(driver.run(seconds: 3) { wakings($0).count == round })
    }
    driver.run(seconds: 3)
    #expect(driver.reports.count { $0 == .idle } == 3)
    guard case .refused(let why) = driver.starts.last?.wake else {
      Issue.record("\(driver.starts)")
      return
    }
    #expect(why == "in_accel_x_roc_either fires at rest; raise accelerometer.wake_threshold_g")
    driver.source.stop()
  }

  @Test func aTimeThatCannotBeIsReplacedByTheArrival() throws {
    let writer = try ScanWriter(try add(), rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 5, until: isAsleep))
    let moment = clock.now()
    fire(at: 1_790_000_000)
    #expect(driver.run(seconds: 2) { !wakings($0).isEmpty })
    #expect(abs(try #require(wakings(driver).first) - moment) < 0.1)
    driver.source.stop()
  }

  @Test func whoeverWatchesWakesASleepingSensorAndKeepsItAwake() throws {
    let device = try add()
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 5, until: isAsleep))
    let count = driver.samples.count
    driver.source.keepAwake(until: clock.now() + 3)
    #expect(driver.run(seconds: 2) { $0.samples.count >= count + 20 })
    #expect(wakings(driver).count == 1)
    #expect(device.text("events/in_accel_x_roc_either_en") == "0" && device.text("buffer/enable") == "1")
    driver.forget()
    driver.run(seconds: 1.5)
    #expect(!isAsleep(driver), "quiet for long, and somebody watches")
    #expect(driver.run(seconds: 4, until: isAsleep), "and then it sleeps again")
    driver.source.stop()
  }

  // iio-sensor-proxy #43: asleep too, a silent hub's zeros are no rest
  @Test func zerosInSleepAreTriedAgainCountedAndThenAFailure() throws {
    let device = try add()
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver(readingS: 1)
    #expect(driver.run(seconds: 5, until: isAsleep))
    try device.setRaw(0, 0, 0)
    #expect(driver.run(seconds: 8) { !$0.failures.isEmpty })
    #expect(driver.failures == ["lis3dh: it reads exactly 0, 0, 0, 4 times in a row"])
    #expect(driver.faults == AccelerometerFaults(zeros: 4))
    driver.forget()
    #expect(driver.run(seconds: 5) { $0.samples.count >= 20 }, "and it is looked for again")
    driver.source.stop()
  }

  @Test func oneReadingOfZerosInSleepIsCountedAndSleepGoesOn() throws {
    let device = try add()
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    try device.setRaw(0, 0, 1000)
    let driver = driver(readingS: 1)
    #expect(driver.run(seconds: 5, until: isAsleep))
    let count = driver.samples.count
    try device.setRaw(0, 0, 0)
    #expect(driver.run(seconds: 3) { $0.faults.zeros == 1 })
    try device.setRaw(0, 0, 1000)
    #expect(driver.run(seconds: 6) { $0.samples.count >= count + 4 })
    #expect(driver.failures == [] && driver.faults == AccelerometerFaults(zeros: 1))
    driver.source.stop()
  }

  // Tasmota #4521
  @Test func aSensorWhoseValuesHaveFrozenDoesNotSleep() throws {
    let end = ScanWriter.monotonicSeconds() + 4
    let writer = try ScanWriter(try add(), rateHz: 100) { time in
      guard time < end else { return SIMD3(0, 0, 1) }
      let step = Double(Int(time * 100) % 5 - 2)
      return SIMD3(0.002 * step, 0.001 * Double(Int(time * 100) % 3), 1)
    }
    defer { writer.close() }
    let driver = driver(idleAfterS: 11)
    #expect(driver.run(seconds: 12) { $0.faults.frozen == 1 })
    driver.run(seconds: 4)
    #expect(!isAsleep(driver))
    driver.source.stop()
  }

  @Test func aSensorThatLeavesInItsSleepIsAFailure() throws {
    let device = try add()
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = driver(readingS: 1)
    #expect(driver.run(seconds: 5, until: isAsleep))
    try FileManager.default.removeItem(atPath: device.folder)
    #expect(driver.run(seconds: 4) { !$0.failures.isEmpty })
    driver.source.stop()
  }
}
