import Foundation
import Rig
import Testing

@testable import Sensors

@Suite struct AccelerometerDiscoveryTests {
  private let workplace: Workplace
  private let tree: IIOTree

  init() throws {
    workplace = try Workplace("discovery")
    tree = try IIOTree(in: workplace)
  }

  private func choose(_ wanted: String?) throws(IIODiscoveryFailure) -> IIODevice {
    try IIODiscovery(sysfsRoot: tree.sysfsRoot).choose(wanted)
  }

  private func failure(_ wanted: String?) -> IIODiscoveryFailure? {
    do {
      _ = try choose(wanted)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [IIOChip.lis3dh, .kxcjk1013, .bmi160, .mpu6050, .hid])
  func theOnlyAccelerometerIsTaken(chip: IIOChip) throws {
    try tree.add(chip, number: 3)
    #expect(try choose(nil).name == chip.name)
    #expect(try choose(nil).identifier == "iio:device3")
  }

  @Test func otherSensorsAreNoCandidates() throws {
    let light = try tree.add(.lis3dh, number: 0)
    for axis in ["x", "y", "z"] {
      try light.remove("in_accel_\(axis)_raw")
      try light.remove("scan_elements/in_accel_\(axis)_en")
    }
    try light.set("name", "veml7700")
    try tree.add(.mpu6050, number: 1)
    #expect(try choose(nil).name == "mpu6050")
  }

  // iio-sensor-proxy #166, PR #262
  @Test func aDeviceIsFoundByNameLabelNumberAndPath() throws {
    var lid = IIOChip.lis3dh
    lid.label = "accel-display"
    let first = try tree.add(lid, number: 0)
    let second = try tree.add(.kxcjk1013, number: 1)
    #expect(try choose("lis3dh").identifier == "iio:device0")
    #expect(try choose("accel-display").identifier == "iio:device0")
    #expect(try choose("iio:device1").name == "kxcjk1013")
    #expect(try choose("/dev/iio:device1").name == "kxcjk1013")
    #expect(try choose(first.folder).name == "lis3dh")
    #expect(try choose(second.folder).name == "kxcjk1013")
  }

  @Test func aPathThroughALinkMeansTheDeviceBehindIt() throws {
    let device = try tree.add(.lis3dh)
    try tree.add(.kxcjk1013, number: 1)
    let link = workplace.path("by-place")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: device.folder)
    #expect(try choose(link).name == "lis3dh")
  }

  // rot8 #114
  @Test func twoCandidatesAreRefusedAndListedWithAllThatTellsThemApart() throws {
    var lid = IIOChip.lis3dh
    lid.label = "accel-display"
    try tree.add(lid, number: 0)
    try tree.add(.kxcjk1013, number: 1)
    let text = try #require(failure(nil)).description
    #expect(text.contains("2 accelerometers"))
    #expect(text.contains("accelerometer.device"))
    #expect(text.contains("lis3dh (label accel-display, iio:device0, at \(tree.sysfsRoot))"))
    #expect(text.contains("kxcjk1013 (iio:device1, at \(tree.sysfsRoot))"))
    #expect(!text.contains("\n"))
  }

  @Test func aNameThatTwoShareIsRefused() throws {
    try tree.add(.lis3dh, number: 0)
    try tree.add(.lis3dh, number: 1)
    guard case .ambiguous(wanted: "lis3dh", let candidates) = failure("lis3dh") else {
      Issue.record("took one of two")
      return
    }
    #expect(candidates.count == 2)
    #expect(try choose("iio:device1").identifier == "iio:device1")
  }

  @Test func anUnknownNameListsTheCandidates() throws {
    try tree.add(.lis3dh)
    let text = try #require(failure("adxl345")).description
    #expect(text.contains("'adxl345'"))
    #expect(text.contains("lis3dh (iio:device0"))
  }

  @Test func aKernelWithoutIIOIsToldApartFromOneWithoutSensors() throws {
    let none = IIODiscovery(sysfsRoot: workplace.path("nowhere"))
    #expect(throws: IIODiscoveryFailure.noIIO(root: workplace.path("nowhere"))) { try none.choose(nil) }
    #expect(failure(nil) == .noDevice(root: tree.sysfsRoot))
    #expect(IIODiscoveryFailure.noIIO(root: "/x").description.contains("modprobe"))
  }

  @Test func devicesWithoutAccelerationAreNamedInTheReason() throws {
    let light = try tree.add(.mpu6050)
    try light.remove("in_accel_z_raw")
    let text = try #require(failure(nil)).description
    #expect(text.contains("no accelerometer"))
    #expect(text.contains("mpu6050 (iio:device0"))
  }
}
