import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

/// Readings that are no data, in the middle of good ones.
@Suite("Faults of a sensor that goes on")
struct AccelerometerFaultTests {
  private let workplace: Workplace
  private let tree: IIOTree
  private let clock = MonotonicClock.process
  private let notes = NoteBook()

  init() throws {
    workplace = try Workplace("faults")
    tree = try IIOTree(in: workplace)
  }

  private func driver(rateHz: Double = 100) -> SourceDriver {
    let settings = AccelerometerSettings(tree: tree, rateHz: rateHz)
    return SourceDriver(IIOSource(settings: settings, clock: clock, note: notes.note), clock: clock)
  }

  // iio-sensor-proxy #220
  @Test func aSingleGarbageFrameIsLeftOutCountedAndAGap() throws {
    // 32 bits a value, as HID hubs have them: garbage can be anything.
    let writer = try ScanWriter(try tree.add(.hid), rateHz: 100) { _ in SIMD3(0.01, 0.02, 1) }
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    writer.write(g: SIMD3(0, 150_000, 1), stamp: Int64(ScanWriter.monotonicSeconds() * 1e9))
    let count = driver.samples.count
    #expect(driver.run(seconds: 4) { $0.samples.count >= count + 60 })
    #expect(driver.samples.allSatisfy { $0.g.y < 1 })
    #expect(driver.faults == AccelerometerFaults(outOfRange: 1))
    #expect(driver.gaps == 1)
    #expect(driver.starts.count == 1)
    driver.source.stop()
  }

  // iio-sensor-proxy #43
  @Test func aSingleScanOfZerosIsLeftOutCountedAndAGap() throws {
    let writer = try ScanWriter(try tree.add(.lis3dh), rateHz: 100) { _ in SIMD3(0.01, 0.02, 1) }
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    writer.write(g: .zero, stamp: Int64(ScanWriter.monotonicSeconds() * 1e9))
    let count = driver.samples.count
    #expect(driver.run(seconds: 4) { $0.samples.count >= count + 60 })
    #expect(driver.faults == AccelerometerFaults(zeros: 1))
    #expect(driver.gaps == 1)
    driver.source.stop()
  }

  // Tasmota #4521
  @Test func valuesThatStopAreCountedAndSaidOnceAndNothingIsDropped() throws {
    let device = try tree.add(.lis3dh)
    let end = ScanWriter.monotonicSeconds() + 4
    let writer = try ScanWriter(device, rateHz: 100) { time in
      guard time < end else { return SIMD3(0, 0, 1) }
      let step = Double(Int(time * 100) % 5 - 2)
      return SIMD3(0.002 * step, 0.001 * Double(Int(time * 100) % 3), 1)
    }
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 14) { $0.faults.frozen > 0 })
    driver.run(seconds: 0.5)
    writer.pause()
    driver.run(seconds: 0.3)
    #expect(driver.faults == AccelerometerFaults(frozen: 1))
    #expect(driver.samples.count == writer.written)
    #expect(driver.gaps == 0)
    #expect(notes.lines.count { $0.contains("exactly the same values for 5") } == 1)
    driver.source.stop()
  }

  // InputPlumber PR #574
  @Test func aScaleThatIsWrongIsSaidOnceWhileItRuns() throws {
    var chip = IIOChip.lis3dh
    chip.scale = "0.019612"
    let device = try tree.add(chip)
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1.5) }
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 12) { _ in notes.lines.contains { $0.contains("not gravity") } })
    driver.run(seconds: 1)
    #expect(notes.lines.count { $0.contains("lis3dh: at rest it measures 14.7 m/s^2") } == 1)
    #expect(driver.samples.count > 400, "nothing is left out for it")
    driver.source.stop()
  }

  // iio-sensor-proxy #55, #66, #69, #160, #224
  @Test func eachStepOfAStallIsCounted() throws {
    let writer = try ScanWriter(try tree.add(.lis3dh), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    writer.pause()
    #expect(driver.run(seconds: 5) { $0.starts.count == 2 })
    #expect(driver.faults == AccelerometerFaults(stalls: 2), "after the first the buffer is restarted")
    driver.source.stop()
  }

  // iio-sensor-proxy #235: a sensor that floods its reader does not hold it
  @Test func aFloodIsReadInBoundedPortions() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let driver = driver()
    #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
    writer.pause()
    let now = ScanWriter.monotonicSeconds()
    for index in 0..<4000 { writer.write(g: SIMD3(0, 0.1, 1), stamp: Int64((now + Double(index) * 1e-5) * 1e9)) }
    let began = clock.now()
    let reports = driver.source.handle(at: began)
    let samples = reports.reduce(0) { sum, report in
      if case .samples(let some) = report { sum + some.count } else { sum }
    }
    #expect(samples <= 8 * 80)
    #expect(clock.now() - began < 0.5)
    driver.source.stop()
    #expect(device.text("buffer/enable") == "0", "and it is released when the node stops")
  }
}
