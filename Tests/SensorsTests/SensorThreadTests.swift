import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

/// A source that hangs in `handle`, as the kernel does with a silent hub.
private final class HangingSource: AccelerometerSource {
  let seconds: Double
  init(seconds: Double) { self.seconds = seconds }
  var descriptor: Int32? { nil }
  var nextDeadline: Instant? { .start }
  func handle(at now: Instant) -> [AccelerometerReport] {
    usleep(UInt32(seconds * 1e6))
    return [.gap]
  }
  func stop() {}
}

/// A source that always has something.
private final class BusySource: AccelerometerSource {
  private var count = 0
  var descriptor: Int32? { nil }
  var nextDeadline: Instant? { count < 1000 ? .start : nil }
  func handle(at now: Instant) -> [AccelerometerReport] {
    count += 1
    return [.samples([Sample(at: Instant(seconds: Double(count)), g: .zero)])]
  }
  func stop() {}
}

/// A source that has nothing to do but to note what it is told, and on which thread.
private final class WaitingSource: AccelerometerSource {
  private var told: [AccelerometerReport] = []
  var descriptor: Int32? { nil }
  var nextDeadline: Instant? { nil }
  func handle(at now: Instant) -> [AccelerometerReport] {
    defer { told = [] }
    return told
  }
  func keepAwake(until: Instant) {
    let name = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "?"
    told += [.woken(at: until), .failed(reason: name)]
  }
  func stop() {}
}

@Suite(.serialized) struct SensorThreadTests {
  private let clock = MonotonicClock.process

  private func threads(_ name: String) -> Int {
    let folder = "/proc/self/task"
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return tasks.count { task in
      (try? String(contentsOfFile: "\(folder)/\(task)/comm", encoding: .utf8))?.hasPrefix(name) ?? false
    }
  }

  /// Open descriptors whose file is in `folder`.
  private func descriptors(in folder: String) -> Int {
    let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return links.count { link in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(link)")
      return target?.hasPrefix(folder) ?? false
    }
  }

  @Test(arguments: [IIOChip.lis3dh, .mpu6050])
  func stoppingLeavesNoThreadNoDescriptorAndNoRunningBuffer(chip: IIOChip) throws {
    let workplace = try Workplace("thread")
    let tree = try IIOTree(in: workplace)
    let device = try tree.add(chip)
    let writer = chip.hasBuffer ? try ScanWriter(device, rateHz: 100, motion: testMotion) : nil
    // The writer holds its end of the FIFO open, and opens others for moments only.
    let before = writer == nil ? 0 : 1
    let settings = AccelerometerSettings(tree: tree)
    for _ in 0..<3 {
      let thread = SensorThread(name: "test-stop", clock: clock) { [clock] in
        IIOSource(settings: settings, clock: clock) { _, _, _ in }
      }
      let driver = SourceDriver(thread, clock: clock)
      #expect(driver.run(seconds: 4) { $0.samples.count >= 20 })
      #expect(threads("test-stop") == 1)
      #expect(waitUntil(seconds: 2) { descriptors(in: workplace.folder.path) > before })
      thread.stop()
      #expect(waitUntil(seconds: 1) { threads("test-stop") == 0 })
      #expect(waitUntil(seconds: 2) { descriptors(in: workplace.folder.path) == before })
      if chip.hasBuffer { #expect(device.text("buffer/enable") == "0") }
    }
    writer?.close()
  }

  @Test func aBufferedSensorWakesItsThreadFiveTimesASecond() throws {
    let workplace = try Workplace("thread")
    let tree = try IIOTree(in: workplace)
    let writer = try ScanWriter(try tree.add(.lis3dh), rateHz: 100, motion: testMotion)
    defer { writer.close() }
    let settings = AccelerometerSettings(tree: tree)
    let thread = SensorThread(name: "test-wakes", clock: clock) { [clock] in
      IIOSource(settings: settings, clock: clock) { _, _, _ in }
    }
    let driver = SourceDriver(thread, clock: clock)
    #expect(driver.run(seconds: 4) { !$0.samples.isEmpty })
    let (threadBefore, loopBefore) = (thread.wakeUps, driver.wakeUps)
    driver.run(seconds: 2)
    #expect((6...14).contains(thread.wakeUps - threadBefore))
    #expect((6...18).contains(driver.wakeUps - loopBefore))
    thread.stop()
  }

  // iio-sensor-proxy #235
  @Test func aHangingReadHoldsNeitherTheLoopNorTheStop() {
    let thread = SensorThread(name: "test-hang", clock: clock) { HangingSource(seconds: 2.5) }
    let began = clock.now()
    #expect(thread.handle(at: began) == [])
    usleep(50_000)
    thread.stop()
    #expect(clock.now() - began < 1.5)
    #expect(waitUntil(seconds: 5) { threads("test-hang") == 0 }, "it ends when the kernel lets go")
  }

  @Test func aWishToStayAwakeReachesTheSourceOnItsOwnThreadAtOnce() {
    let thread = SensorThread(name: "test-wish", clock: clock) { WaitingSource() }
    defer { thread.stop() }
    let driver = SourceDriver(thread, clock: clock)
    driver.run(seconds: 0.2)
    for round in 1...3 {
      thread.keepAwake(until: Instant(seconds: Double(round)))
      #expect(driver.run(seconds: 2) { $0.reports.count == 2 * round })
    }
    #expect(driver.reports.prefix(2) == [.woken(at: Instant(seconds: 1)), .failed(reason: "test-wish\n")])
    let wakeUps = thread.wakeUps
    driver.run(seconds: 0.3)
    #expect(thread.wakeUps == wakeUps, "and then it sleeps again")
  }

  @Test func whatTheLoopDoesNotTakeInTimeIsDroppedAndShowsAsAGap() {
    let thread = SensorThread(name: "test-full", clock: clock, capacity: 10) { BusySource() }
    defer { thread.stop() }
    #expect(waitUntil(seconds: 3) { thread.wakeUps >= 500 })
    let first = thread.handle(at: clock.now())
    #expect(first.count == 10)
    var later: [AccelerometerReport] = []
    _ = waitUntil(seconds: 3) {
      later += thread.handle(at: clock.now())
      return thread.wakeUps >= 1000
    }
    if let next = later.first { #expect(next == .gap) }
  }
}
