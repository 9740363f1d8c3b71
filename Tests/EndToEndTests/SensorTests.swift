import Foundation
import Rig
import Telemetry
import Testing

/// A sensor as the kernel shows it: a folder of attributes, and scans through a FIFO.
@Suite(.serialized) struct SensorTests {
  private func keys(_ tree: IIOTree) -> Keys {
    [
      "accelerometer.source": "\"iio\"", "accelerometer.sysfs_root": "\"\(tree.sysfsRoot)\"",
      "accelerometer.dev_root": "\"\(tree.devRoot)\"", "acceleration.window_s": "1",
      "acceleration.rest_window_s": "1",
    ]
  }

  @Test(arguments: [IIOChip.lis3dh, .bmi160])
  func scansAreMeasuredInGAndNoneIsMissed(chip: IIOChip) throws {
    let place = try Workplace("e2e-sensor")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    let tree = try IIOTree(in: place)
    let device = try tree.add(chip)
    let kernel = try ScanWriter(device, rateHz: 100) { time in SIMD3(0.1 + 0.05 * sin(2 * .pi * 5 * time), -0.2, 0.97) }
    defer { kernel.close() }
    let node = try NodeRun(keys(tree) + port(broker.port), in: place)
    #expect(waitUntil(seconds: 15) { watcher.accelerations.count >= 4 && watcher.healths.count >= 3 }, "\(node.log)")

    // The first window begins with the node, the others are whole.
    for window in watcher.accelerations.dropFirst().prefix(3) {
      #expect((99...101).contains(window.count))
      #expect(window.missed == 0)
      #expect((99...101).contains(window.rateHz ?? 0))
      // Five swings average out; what is left is the sensor's last digit.
      #expect((window.meanG.x - 0.1).magnitude < 0.005)
      #expect((window.meanG.y + 0.2).magnitude < 0.005)
      #expect((window.meanG.z - 0.97).magnitude < 0.005)
      #expect(((window.peakToPeakG?.x ?? 0) - 0.1).magnitude < 0.01)
    }
    let status = try #require(watcher.statuses.last)
    #expect(status.accelerometer == chip.name)
    #expect(status.source == "iio")
    #expect(status.rateHz == 100)
    let health = try #require(watcher.healths.last?.accelerometer)
    #expect(health.state == .running)
    #expect(health.polling == nil)
    #expect(health.gaps == 0 && health.dropped == 0)
    #expect(watcher.orientations.first?.face == .zUp)

    kernel.lose(30)
    let known = watcher.accelerations.count
    #expect(waitUntil(seconds: 5) { watcher.accelerations.dropFirst(known).contains { $0.missed > 0 } }, "30 are lost")
    #expect((29...31).contains(watcher.accelerations.map(\.missed).reduce(0, +)))

    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 5) == 0)
    #expect(device.text("buffer/enable") == "0", "the sensor is left as it was found")
  }

  @Test func aSensorWithoutABufferIsPolledAndSaysWhy() throws {
    let place = try Workplace("e2e-sensor")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    let tree = try IIOTree(in: place)
    try tree.add(.mpu6050)
    let node = try NodeRun(keys(tree) + port(broker.port) + ["accelerometer.rate_hz": "50"], in: place)
    #expect(waitUntil(seconds: 10) { watcher.accelerations.count >= 3 && !watcher.healths.isEmpty }, "\(node.log)")
    let window = try #require(watcher.accelerations.last)
    // raw * scale / 9.80665 of the chip at rest: 100, -200, 16400 times 0.000598.
    #expect((window.meanG.x - 0.0061).magnitude < 0.001)
    #expect((window.meanG.y + 0.0122).magnitude < 0.001)
    #expect((window.meanG.z - 1.0001).magnitude < 0.001)
    #expect((45...55).contains(window.rateHz ?? 0))
    let why = try #require(watcher.healths.last?.accelerometer?.polling)
    #expect(!why.isEmpty)
    #expect(node.log.contains { $0.contains("accelerometer: mpu6050 at 50.0 Hz, polled (\(why))") }, "\(node.log)")
  }

  @Test func aSensorThatIsPulledOutIsSaidToBeGoneAndComesBack() throws {
    let place = try Workplace("e2e-sensor")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    let tree = try IIOTree(in: place)
    let device = try tree.add(.lis3dh)
    let kernel = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { kernel.close() }
    let node = try NodeRun(keys(tree) + port(broker.port), in: place)
    #expect(waitUntil(seconds: 10) { watcher.healths.last?.accelerometer?.state == .running }, "\(node.log)")
    kernel.pause()
    let isNoticed = waitUntil(seconds: 8) { (watcher.healths.last?.accelerometer?.state ?? .running) != .running }
    #expect(isNoticed, "\(node.log)")
    #expect(watcher.healths.last?.accelerometer?.error != nil)
    #expect(node.log.contains { $0.contains(" warning: accelerometer: ") }, "\(node.log)")
    kernel.resume()
    #expect(waitUntil(seconds: 15) { watcher.healths.last?.accelerometer?.state == .running }, "\(node.log)")
    #expect((watcher.healths.last?.accelerometer?.gaps ?? 0) >= 1, "the hole is counted")
  }
}
