import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

/// How long the machine has been suspended, as the test has it.
///
/// `@unchecked Sendable`: the number is only reachable under the lock.
private final class Suspension: @unchecked Sendable {
  private let lock = NSLock()
  private var seconds = 100.0

  var total: Double { lock.withLock { seconds } }
  func add(_ more: Double) { lock.withLock { seconds += more } }
}

// iio-sensor-proxy #235
@Suite("A machine that was suspended")
struct SuspensionTests {
  private let workplace: Workplace
  private let tree: IIOTree
  private let clock = MonotonicClock.process
  private let notes = NoteBook()
  private let suspension = Suspension()

  init() throws {
    workplace = try Workplace("suspend")
    tree = try IIOTree(in: workplace)
  }

  private func driver() -> SourceDriver {
    let source = IIOSource(
      settings: AccelerometerSettings(tree: tree), clock: clock, suspendedS: { [suspension] in suspension.total },
      note: notes.note)
    return SourceDriver(source, clock: clock)
  }

  @Test func theBufferIsStartedAnewAndTheHoleIsAGap() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    #expect(driver.gaps == 0)
    suspension.add(3600)
    #expect(driver.run(seconds: 2) { $0.gaps == 1 })
    #expect(
      notes.lines.filter { $0.contains("machine was suspended") } == [
        "the machine was suspended for 3600 s; the sensor is started anew"
      ])
    let count = driver.samples.count
    #expect(driver.run(seconds: 4) { $0.samples.count >= count + 40 })
    #expect(driver.gaps == 1 && driver.starts.count == 1 && driver.failures == [] && driver.faults.isEmpty)
    #expect(device.text("buffer/enable") == "1")
    driver.source.stop()
  }

  @Test func aPolledSensorHasAGapToo() throws {
    try tree.add(.mpu6050)
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 5 })
    suspension.add(60)
    #expect(driver.run(seconds: 2) { $0.gaps == 1 })
    let count = driver.samples.count
    #expect(driver.run(seconds: 4) { $0.samples.count >= count + 5 })
    #expect(driver.starts.count == 1)
    driver.source.stop()
  }

  @Test func aBufferThatDoesNotComeBackIsAFailureAndLookedForAgain() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    try device.block("buffer/enable")
    suspension.add(60)
    #expect(driver.run(seconds: 2) { !$0.failures.isEmpty })
    #expect(driver.failures[0].contains("buffer/enable"))
    #expect(driver.run(seconds: 4) { $0.starts.count == 2 }, "polled, for want of the buffer")
    driver.source.stop()
  }

  @Test func aDifferenceBelowASecondIsNoSuspension() throws {
    let writer = try ScanWriter(try tree.add(.lis3dh), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    suspension.add(0.9)
    let count = driver.samples.count
    #expect(driver.run(seconds: 4) { $0.samples.count >= count + 40 })
    #expect(driver.gaps == 0)
    driver.source.stop()
  }
}
