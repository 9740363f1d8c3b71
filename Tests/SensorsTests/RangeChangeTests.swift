import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

/// Another program may change the range while a sensor is read.
@Suite("A range that is changed from outside")
struct RangeChangeTests {
  private let workplace: Workplace
  private let tree: IIOTree
  private let clock = MonotonicClock.process
  private let notes = NoteBook()

  init() throws {
    workplace = try Workplace("range")
    tree = try IIOTree(in: workplace)
  }

  private func source(_ device: String? = nil) -> IIOSource {
    IIOSource(settings: AccelerometerSettings(tree: tree, device: device), clock: clock, note: notes.note)
  }

  /// From 2 g to 16 g.
  private func widen(_ device: IIOTreeDevice) throws {
    for axis in ["x", "y", "z"] { try device.set("in_accel_\(axis)_scale", "0.078448") }
  }

  private func samples(_ result: CaptureResult) -> [Sample] {
    result.reports.flatMap { if case .samples(let samples) = $0 { samples } else { [Sample]() } }
  }

  @Test func aBufferedReadingWithinTheNewRangeIsRight() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    writer.pause()
    let sensor = try IIOSensor(device: IIODiscovery(sysfsRoot: tree.sysfsRoot).choose(nil), mountMatrix: nil)
    let capture = try source().capture(of: sensor)
    defer { capture.close() }
    #expect(abs(try #require(capture.description.fullScaleG) - 2.047) < 0.01)
    try widen(device)
    capture.refresh()
    // 1 g of the old range is 8 g of the new one.
    let now = clock.now()
    writer.write(g: SIMD3(0, 0, 1), stamp: Int64(ScanWriter.monotonicSeconds() * 1e9))
    let result = capture.collect(at: now)
    #expect(result.faults.isEmpty && !result.reports.contains(.gap))
    #expect(abs(try #require(samples(result).first).g.z - 8) < 0.01)
    #expect(abs(try #require(capture.description.fullScaleG) - 16.37) < 0.01)
  }

  @Test func aPolledReadingWithinTheNewRangeIsRight() throws {
    var chip = IIOChip.lis3dh
    chip.trigger = .none
    let device = try tree.add(chip)
    let sensor = try IIOSensor(device: IIODiscovery(sysfsRoot: tree.sysfsRoot).choose(nil), mountMatrix: nil)
    let capture = try PolledCapture(sensor: sensor, intervalS: 0.01, why: "a test", clock: clock)
    defer { capture.close() }
    try widen(device)
    capture.refresh()
    try device.setRaw(0, 0, 1000)
    let result = capture.collect(at: clock.now() + 1)
    #expect(result.faults.isEmpty && result.state == .running)
    #expect(abs(try #require(samples(result).first).g.z - 8) < 0.01)
    #expect(abs(try #require(capture.description.fullScaleG) - 16.37) < 0.01)
  }

  @Test func theNewRangeIsAnnouncedWithTheNextSamples() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let driver = SourceDriver(source(), clock: clock)
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    // A buffer that is turned off and on has its attributes read anew.
    writer.pause()
    try widen(device)
    #expect(driver.run(seconds: 3) { $0.gaps == 1 })
    writer.resume()
    #expect(driver.run(seconds: 3) { $0.starts.count == 2 })
    #expect(abs(try #require(driver.starts.last?.fullScaleG) - 16.37) < 0.01)
    #expect(driver.run(seconds: 3) { ($0.samples.last?.g.z ?? 0) > 7.9 })
    #expect(driver.faults.outOfRange == 0)
    #expect(notes.lines.contains { $0.contains("its range was changed from outside, and is now to 16.4 g") })
    driver.source.stop()
  }

  @Test func whatASensorLearntAwakeDoesNotBoundAnotherRangeLater() throws {
    let unit = AccelerationScale.AxisScale(scale: 0.00980665)
    var check = ScanCheck(AccelerationScale(x: unit, y: unit, z: unit, fullScaleG: 2))
    var remarks: [ScanCheck.Remark] = []
    let scan = RawScan(x: 1, y: 2, z: 3)
    #expect(check.feed(scan, g: Vector(0, 0, 8), at: .start, remarks: &remarks) == .outOfRange)
    check.setRange(of: AccelerationScale(x: unit, y: unit, z: unit, fullScaleG: 16))
    #expect(check.feed(scan, g: Vector(0, 0, 8), at: .start, remarks: &remarks) == .good)
  }
}
