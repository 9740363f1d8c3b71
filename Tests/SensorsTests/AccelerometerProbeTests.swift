import Daemon
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

@Suite struct AccelerometerProbeTests {
  private let workplace: Workplace
  private let tree: IIOTree
  private let clock = MonotonicClock.process

  init() throws {
    workplace = try Workplace("probe")
    tree = try IIOTree(in: workplace)
  }

  private func findings(_ settings: AccelerometerSettings, seconds: Double = 4) -> [AccelerometerFinding] {
    AccelerometerProbe.findings(settings, clock: clock, seconds: seconds)
  }

  @Test func aGoodSensorIsDescribedAndPutBack() throws {
    let device = try tree.add(.lis3dh)
    let writer = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { writer.close() }
    let findings = findings(AccelerometerSettings(tree: tree))
    #expect(findings.allSatisfy { $0.severity == .good })
    #expect(
      findings.map(\.text) == [
        "accelerometer lis3dh (iio:device0, at \(tree.sysfsRoot))",
        "scale 0.009806, 0.009806, 0.009806 m/s^2, mount matrix the identity",
        "buffered at 100 Hz",
        "reads 0, 0, 1 g: 9.81 m/s^2",
      ])
    #expect(device.text("buffer/enable") == "0")
  }

  @Test func pollingIsAWarningWithItsReason() throws {
    try tree.add(.mpu6050)
    let findings = findings(AccelerometerSettings(tree: tree, rateHz: 50))
    #expect(findings.contains { $0.severity == .warning && $0.text.hasPrefix("polled at 50 Hz: no scan_elements") })
  }

  @Test func aMagnitudeThatIsNotGravityIsAWarningWithARemedy() throws {
    let device = try tree.add(.mpu6050)
    try device.set("in_accel_scale", "0.005980")
    let finding = try #require(findings(AccelerometerSettings(tree: tree, rateHz: 50)).last)
    #expect(finding.severity == .warning)
    #expect(finding.text.contains("which is not gravity"))
    #expect(finding.remedy != nil)
  }

  @Test func whatCannotBeFoundIsAProblem() throws {
    #expect(findings(AccelerometerSettings(tree: tree)).map(\.severity) == [.problem])
    try tree.add(.lis3dh)
    try tree.add(.lis3dh, number: 1)
    let text = try #require(findings(AccelerometerSettings(tree: tree)).first).text
    #expect(text.contains("2 accelerometers"))
  }

  @Test func aSensorThatGivesNothingIsAProblem() throws {
    let device = try tree.add(.mpu6050)
    try device.setRaw(0, 0, 0)
    let finding = try #require(findings(AccelerometerSettings(tree: tree, rateHz: 50), seconds: 1).last)
    #expect(finding.severity == .problem)
    #expect(finding.text.contains("exactly 0, 0, 0"))
  }

  @Test(.enabled(if: getuid() != 0, "root may write everything"))
  func filesThatMayNotBeWrittenAreNamedWithTheRemedy() throws {
    let device = try tree.add(.lis3dh)
    try #require(chmod(device.folder + "/buffer/enable", 0o444) == 0)
    let finding = try #require(findings(AccelerometerSettings(tree: tree)).first { $0.text.contains("no permission") })
    #expect(finding.text.contains("buffer/enable"))
    #expect(try #require(finding.remedy).contains("udev"))
  }

  @Test func recordingsAndSimulationsAreTriedToo() throws {
    var settings = AccelerometerSettings()
    settings.source = .simulated
    #expect(findings(settings).map(\.text) == ["simulated-parked at 100 Hz"])
    settings.source = .recording
    #expect(findings(settings).map(\.severity) == [.problem])
    settings.source = .none
    #expect(findings(settings).map(\.text) == ["no accelerometer is configured"])
  }
}
