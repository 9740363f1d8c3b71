import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

/// Whole scans through a FIFO in place of the character device.
@Suite struct AccelerometerBufferTests {
  private let workplace: Workplace
  private let tree: IIOTree
  private let clock = MonotonicClock.process
  private let notes = NoteBook()

  init() throws {
    workplace = try Workplace("buffer")
    tree = try IIOTree(in: workplace)
  }

  private func driver(device: String? = nil, rateHz: Double = 100) -> SourceDriver {
    let settings = AccelerometerSettings(tree: tree, device: device, rateHz: rateHz)
    return SourceDriver(IIOSource(settings: settings, clock: clock, note: notes.note), clock: clock)
  }

  /// What the motion was at a sample's time [g].
  private func truth(_ sample: Sample) -> Vector {
    let g = testMotion(sample.at.seconds + Double(clock.originNanoseconds) * 1e-9)
    return Vector(g.x, g.y, g.z)
  }

  @Test(arguments: [IIOChip.lis3dh, .kxcjk1013, .bmi160, .hid])
  func twoSecondsAtHundredHertzArriveWholeAndRight(chip: IIOChip) throws {
    let device = try tree.add(chip)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 6) { $0.samples.count >= 200 })
    writer.pause()
    driver.run(seconds: 0.3)
    let samples = driver.samples
    #expect(driver.starts.map(\.capture) == [.buffered])
    #expect(driver.starts.first?.rateHz == 100)
    #expect(samples.count == writer.written, "no scan may be lost")
    #expect(driver.gaps == 0)
    #expect(driver.failures == [])
    let resolution = (Double(chip.scale) ?? 0) / standardGravity
    for sample in samples { #expect((sample.g - truth(sample)).length <= resolution) }
    for (before, after) in zip(samples, samples.dropFirst()) { #expect(abs(after.at - before.at - 0.01) < 1e-6) }
    let span = try #require(samples.last).at - samples[0].at
    #expect(abs(Double(samples.count - 1) / span - 100) < 0.01)
    driver.source.stop()
    #expect(device.text("buffer/enable") == "0")
  }

  @Test func theDeviceIsSetUpAsTheKernelWantsIt() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    try device.create("scan_elements/in_temp_en", "1")
    let driver = driver()
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    #expect(device.text("trigger/current_trigger") == "lis3dh-dev0")
    #expect(device.text("current_timestamp_clock") == "monotonic")
    #expect(device.text("buffer/watermark") == "20")
    #expect(device.text("buffer/length") == "80")
    #expect(device.text("buffer/enable") == "1")
    for axis in ["accel_x", "accel_y", "accel_z", "timestamp"] {
      #expect(device.text("scan_elements/in_\(axis)_en") == "1")
    }
    #expect(device.text("scan_elements/in_temp_en") == "0")
    driver.source.stop()
  }

  // iio-sensor-proxy #100
  @Test func scanIndicesDecideTheOrderAndNotTheAxisNames() throws {
    var chip = IIOChip.lis3dh
    chip.scanIndices = [2, 0, 1, 3]
    let writer = try ScanWriter(try tree.add(chip), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    for sample in driver.samples { #expect((sample.g - truth(sample)).length < 0.002) }
    driver.source.stop()
  }

  @Test func aTimerTriggerIsSetToTheRate() throws {
    let writer = try ScanWriter(try tree.add(.kxcjk1013), rateHz: 50, motion: testMotion)
    defer { writer.close() }
    let driver = driver(rateHz: 50)
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    let rate = try String(contentsOfFile: "\(tree.sysfsRoot)/trigger0/sampling_frequency", encoding: .utf8)
    #expect(rate.trimmingCharacters(in: .whitespacesAndNewlines) == "50")
    driver.source.stop()
  }

  @Test func aKernelThatHeedsTheWatermarkWakesTheReaderFiveTimesASecond() throws {
    let writer = try ScanWriter(try tree.add(.lis3dh), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    let before = driver.wakeUps
    driver.run(seconds: 2)
    #expect((6...14).contains(driver.wakeUps - before))
    driver.source.stop()
  }

  @Test func aBufferWithoutWatermarkIsStillReadOnlyFiveTimesASecond() throws {
    let writer = try ScanWriter(try tree.add(.kxcjk1013), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count > 50 })
    let before = driver.wakeUps
    driver.run(seconds: 2)
    #expect((6...14).contains(driver.wakeUps - before))
    #expect(driver.gaps == 0)
    driver.source.stop()
  }

  @Test func manyScansThatTheKernelDroppedAreOneGap() throws {
    let writer = try ScanWriter(try tree.add(.lis3dh), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 40 })
    writer.lose(27)
    let count = driver.samples.count
    #expect(driver.run(seconds: 4) { $0.samples.count >= count + 60 })
    #expect(driver.gaps == 1)
    let holes = zip(driver.samples, driver.samples.dropFirst()).filter { $1.at - $0.at > 0.015 }
    #expect(holes.count == 1)
    #expect(abs(try #require(holes.first).1.at - holes[0].0.at - 0.28) < 1e-6)
    driver.source.stop()
  }

  @Test func aFewScansThatTheKernelDroppedShowInTheTimesAlone() throws {
    let writer = try ScanWriter(try tree.add(.lis3dh), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 40 })
    writer.lose(7)
    let count = driver.samples.count
    #expect(driver.run(seconds: 4) { $0.samples.count >= count + 60 })
    #expect(driver.gaps == 0)
    let holes = zip(driver.samples, driver.samples.dropFirst()).filter { $1.at - $0.at > 0.015 }
    #expect(holes.count == 1)
    #expect(abs(try #require(holes.first).1.at - holes[0].0.at - 0.08) < 1e-6)
    driver.source.stop()
  }

  @Test func aShakeIsFoundThoughTheKernelDropsScans() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    writer.pause()
    let sensor = try IIOSensor(device: IIODiscovery(sysfsRoot: tree.sysfsRoot).choose(nil), mountMatrix: nil)
    let source = IIOSource(settings: AccelerometerSettings(tree: tree), clock: clock, note: notes.note)
    let capture = try source.capture(of: sensor)
    defer { capture.close() }
    var pipeline = MotionPipeline(MotionSettings(.handheld))
    var phases: [ShakeMessage.Phase] = []
    // A shake of 1.2 s in the midst of rest, read in one go; every twentieth scan is missing.
    let begin = ScanWriter.monotonicSeconds()
    for index in 0..<700 {
      let time = Double(index) / 100
      let g = SIMD3(time < 4 || time > 5.2 ? 0.01 : 1.5 * sin(2 * Double.pi * 4 * time), 0.02, 1)
      if index % 20 != 13 { writer.write(g: g, stamp: Int64((begin + time) * 1e9)) }
      guard index % 10 == 9 else { continue }
      for report in capture.collect(at: clock.now() + 0.5).reports {
        #expect(report != .gap)
        let read = clock.instant(monotonicNanoseconds: Int64((begin + time) * 1e9))
        for case .shake(let event) in pipeline.handle(report, at: read) { phases.append(event.phase) }
      }
    }
    #expect(phases == [.began, .ended], "and no loss cuts it short")
  }

  // librealsense PR #15659
  @Test func scansOlderThanTheStartAreDroppedAndCounted() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    let begin = Int64(ScanWriter.monotonicSeconds() * 1e9)
    for age in [900, 600, 300] {
      writer.write(g: SIMD3(0, 0, 1), stamp: begin - Int64(age) * 1_000_000)
    }
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    #expect(driver.samples.allSatisfy { $0.at >= clock.instant(monotonicNanoseconds: begin) })
    #expect(driver.gaps == 0)
    #expect(notes.lines.contains { $0.contains("dropped 3 scans from before the buffer was enabled") })
    driver.source.stop()
  }

  @Test func aScanThatArrivesInTwoPiecesIsPutTogether() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    writer.pause()
    let driver = driver()
    driver.run(seconds: 0.1)
    let scan: [UInt8] = [0, 0, 0, 0, 0, 0x40, 0, 0]
    let stamp = withUnsafeBytes(of: Int64(ScanWriter.monotonicSeconds() * 1e9).littleEndian) { Array($0) }
    writer.put(Array((scan + stamp)[..<5]))
    driver.run(seconds: 0.05)
    #expect(driver.samples.isEmpty)
    writer.put(Array((scan + stamp)[5...]))
    #expect(driver.run(seconds: 0.5) { $0.samples.count == 1 })
    #expect(abs(try #require(driver.samples.first).g.z - 1024 * 0.009806 / standardGravity) < 1e-9)
    driver.source.stop()
  }

  @Test func withoutTimeStampsSamplesAreSpreadOverTheTimeBetweenReads() throws {
    var chip = IIOChip.lis3dh
    chip.hasTimestamp = false
    let writer = try ScanWriter(try tree.add(chip), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 8) { $0.samples.count >= 300 })
    // Where the first batch lies is a guess; what follows is drawn towards the time of the reads.
    let samples = Array(driver.samples.dropFirst(20))
    for (before, after) in zip(samples, samples.dropFirst()) {
      #expect(after.at > before.at)
      #expect(after.at - before.at < 0.06)
    }
    let span = try #require(samples.last).at - samples[0].at
    #expect(abs(Double(samples.count - 1) / span - 100) < 10)
    driver.source.stop()
  }

  // iio-sensor-proxy #43
  @Test func nothingButZerosIsAFaultAndNoData() throws {
    let writer = try ScanWriter(try tree.add(.hid), rateHz: 100) { _ in SIMD3(0, 0, 0) }
    defer { writer.close() }
    let driver = driver()
    driver.run(seconds: 2.6)
    #expect(driver.samples.allSatisfy { $0.g != .zero })
    #expect(driver.gaps > 0)
    #expect(notes.lines.contains { $0.contains("nothing but 0, 0, 0") })
    driver.source.stop()
  }
}
