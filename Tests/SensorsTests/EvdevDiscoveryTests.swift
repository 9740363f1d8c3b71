import Foundation
import Rig
import Testing

@testable import Sensors

@Suite("Choosing an input device")
struct EvdevDiscoveryTests {
  private let workplace: Workplace
  private let tree: InputTree

  init() throws {
    workplace = try Workplace("evdev-discovery")
    tree = try InputTree(in: workplace)
  }

  private func choose(_ wanted: String? = nil) throws(EvdevDiscoveryFailure) -> EvdevDevice {
    try EvdevDiscovery(inputRoot: tree.inputRoot).choose(wanted)
  }

  private func failure(_ wanted: String? = nil) -> String? {
    do {
      _ = try choose(wanted)
      return nil
    } catch {
      return error.description
    }
  }

  private var joystick: InputChip {
    var chip = InputChip(name: "Gamepad")
    chip.place = "usb-2/input0"
    return chip
  }

  @Test func theOnlyDeclaredAccelerometerIsTaken() throws {
    try tree.add(joystick, number: 0)
    try tree.add(.controller, number: 7)
    #expect(try choose().identifier == "event7")
    #expect(try choose().isDeclared)
  }

  // The Raspberry Pi's adxl345 overlay binds input/adxl34x, which declares nothing.
  @Test func aDeviceThatDeclaresNothingIsChosenByNameAlone() throws {
    try tree.add(.adxl34x, number: 3)
    let line = try #require(failure())
    #expect(line.contains("no input device is declared an accelerometer; set accelerometer.device to the name of one"))
    #expect(line.contains("ADXL34x accelerometer (event3, at ADXL34x/input0, not declared an accelerometer)"))
    #expect(try choose("ADXL34x accelerometer").identifier == "event3")
  }

  // iio-sensor-proxy #166, PR #262; rot8 #114: never the first of several
  @Test func ofSeveralNoneIsTakenAndAllAreListed() throws {
    try tree.add(.controller, number: 1)
    var other = InputChip.controller
    other.place = "usb-5/input3"
    try tree.add(other, number: 2)
    let line = try #require(failure())
    #expect(line.hasPrefix("2 accelerometers and none chosen; set accelerometer.device"))
    #expect(line.contains("event1") && line.contains("event2"))
    #expect(try #require(failure(other.name)).hasPrefix("'\(other.name)' could be 2 accelerometers"))
    #expect(try choose("usb-5/input3").identifier == "event2")
    #expect(try choose("event1").identifier == "event1")
    #expect(try choose("/dev/input/event2").identifier == "event2")
  }

  @Test func aPathBesideTheDeviceNodesIsFollowed() throws {
    let device = try tree.add(.controller, number: 4)
    let byID = workplace.path("by-id-controller")
    try FileManager.default.createSymbolicLink(atPath: byID, withDestinationPath: device.node)
    #expect(try choose(byID).identifier == "event4")
    #expect(try choose(device.folder).identifier == "event4")
  }

  @Test func aDeviceWithoutThreeAxesIsNoCandidate() throws {
    var mouse = InputChip(name: "Mouse")
    mouse.axes = "3"
    try tree.add(mouse)
    #expect(try #require(failure("Mouse")).contains("no input device under \(tree.inputRoot) has the axes"))
    var many = InputChip(name: "Pen tablet")
    many.axes = "1 7"
    try tree.add(many, number: 1)
    #expect(try choose("Pen tablet").identifier == "event1", "the last word of a map is its lowest")
  }

  @Test func aWrongNameListsWhatThereIs() throws {
    try tree.add(.adxl34x)
    #expect(
      try #require(failure("lis3dh")).contains("is named 'lis3dh' by name, eventN, place or path; there is ADXL34x"))
  }

  @Test func withoutInputDevicesTheKernelIsNamed() throws {
    try FileManager.default.removeItem(atPath: tree.inputRoot)
    #expect(try #require(failure()).contains("no input devices in this kernel"))
  }
}
