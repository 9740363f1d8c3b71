import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

@Suite struct AccelerometerAttributeTests {
  private let workplace: Workplace
  private let tree: IIOTree

  init() throws {
    workplace = try Workplace("attributes")
    tree = try IIOTree(in: workplace)
  }

  private func sensor(_ chip: IIOChip, mountMatrix: MountMatrix? = nil) throws -> IIOSensor {
    try sensor(tree.add(chip), mountMatrix: mountMatrix)
  }

  private func sensor(_ device: IIOTreeDevice, mountMatrix: MountMatrix? = nil) throws(SensorFault) -> IIOSensor {
    let folder = AttributeFolder(path: device.folder)
    return try IIOSensor(device: IIODevice(identifier: "iio:device0", folder: folder), mountMatrix: mountMatrix)
  }

  private func fault(_ device: IIOTreeDevice) -> String? {
    do {
      _ = try sensor(device)
      return nil
    } catch {
      return error.description
    }
  }

  private func g(_ sensor: IIOSensor, _ x: Int64, _ y: Int64, _ z: Int64) -> Vector {
    sensor.scale.sample(RawScan(x: x, y: y, z: z), at: .start).g
  }

  private func isNear(_ a: Vector, _ b: Vector, _ tolerance: Double = 1e-9) -> Bool { (a - b).length < tolerance }

  // iio-sensor-proxy #4, PR #284
  @Test(arguments: [IIOChip.ScaleNaming.perAxis, .byType, .shared])
  func scaleIsFoundUnderEachOfItsNames(naming: IIOChip.ScaleNaming) throws {
    var chip = IIOChip.mpu6050
    chip.scaleNaming = naming
    chip.scale = "0.0980665"
    #expect(try isNear(g(sensor(chip), 10, -20, 100), Vector(0.1, -0.2, 1)))
  }

  @Test func anAxisOwnScaleGoesBeforeTheSharedOne() throws {
    let device = try tree.add(.mpu6050)
    try device.set("in_accel_scale", "0.0980665")
    try device.create("in_accel_y_scale", "0.980665")
    try device.create("scale", "5")
    #expect(try isNear(g(sensor(device), 1, 1, 1), Vector(0.01, 0.1, 0.01)))
  }

  @Test func aCalibrationCorrectsTheSensorsAxesBeforeTheMountMatrixAndAfterARefresh() throws {
    let device = try tree.add(.mpu6050)
    try device.set("in_accel_scale", "0.0980665")
    let folder = AttributeFolder(path: device.folder)
    var sensor = try IIOSensor(
      device: IIODevice(identifier: "iio:device0", folder: folder),
      mountMatrix: MountMatrix(parsing: "0,1,0; -1,0,0; 0,0,1"),
      correction: AxisCorrection(scale: Vector(1, 2, 1), offsetG: Vector(0, 0.05, 0.1)))
    // (0.1, 0.2, 1.1) g as shown: y is (0.2 - 0.05) * 2.
    #expect(isNear(g(sensor, 10, 20, 110), Vector(0.3, -0.1, 1)))
    // Somebody changes the sensor's range: what a count is worth doubles, and the offset stays what it is in g.
    try device.set("in_accel_scale", "0.196133")
    sensor.refresh()
    #expect(isNear(g(sensor, 5, 10, 55), Vector(0.3, -0.1, 1)))
    #expect(isNear(sensor.scale.sample(raw: Vector(5, 10, 55), at: .start).g, Vector(0.3, -0.1, 1)))
  }

  // iio-sensor-proxy #4, PR #284
  @Test func theOffsetIsAddedBeforeScaling() throws {
    var chip = IIOChip.hid
    chip.offset = -100
    #expect(try isNear(g(sensor(chip), 100, 0, 10_100), Vector(0, -0.01, 1)))
  }

  @Test func calibrationBiasIsLeftToTheChip() throws {
    let device = try tree.add(.mpu6050)
    #expect(device.text("in_accel_x_calibbias") == "7")
    #expect(try sensor(device).scale.x.offset == 0)
  }

  @Test func withoutAScaleTheSensorIsRefusedWithAllNamesLookedFor() throws {
    var chip = IIOChip.mpu6050
    chip.scaleNaming = .absent
    let text = try #require(fault(try tree.add(chip)))
    #expect(text.contains("no scale for axis x"))
    #expect(text.contains("looked for in_accel_x_scale, in_accel_scale, in_scale, scale"))
  }

  @Test(arguments: ["0", "nan", "", "one"])
  func aScaleThatIsNoneIsRefused(text: String) throws {
    let device = try tree.add(.mpu6050)
    try device.create("in_accel_scale", text)
    #expect(try #require(fault(device)).hasSuffix("in_accel_scale: '\(text)' is no scale"))
  }

  // iio-sensor-proxy #178, #201, #252
  @Test(arguments: ["mount_matrix", "in_mount_matrix", "in_accel_mount_matrix"])
  func theMountMatrixIsFoundUnderEachOfItsNamesAndAppliedOnce(name: String) throws {
    var chip = IIOChip.mpu6050
    chip.scale = "9.80665"
    chip.mountMatrixName = name
    chip.mountMatrix = "0, -1, 0; 1, 0, 0; 0, 0, 1"
    #expect(try isNear(g(sensor(chip), 1, 2, 3), Vector(-2, 1, 3)))
  }

  @Test func withoutAMountMatrixAxesAreTheChips() throws {
    var chip = IIOChip.mpu6050
    chip.mountMatrixName = nil
    chip.scale = "9.80665"
    #expect(try isNear(g(sensor(chip), 1, 2, 3), Vector(1, 2, 3)))
  }

  // iio-sensor-proxy #260
  @Test func theConfiguredMountMatrixReplacesTheDriversEvenABrokenOne() throws {
    var chip = IIOChip.mpu6050
    chip.scale = "9.80665"
    chip.mountMatrix = "0, 0, 0; 0, 0, 0; 0, 0, 0"
    let configured = try MountMatrix(parsing: "1, 0, 0; 0, 0, 1; 0, -1, 0")
    #expect(try isNear(g(sensor(chip, mountMatrix: configured), 1, 2, 3), Vector(1, 3, -2)))
  }

  // iio-sensor-proxy #285
  @Test(arguments: ["1, 0, 0; 0, 1, 0; 1, 1, 0", "1, 0, 0; 0, 1, 0", "up, down"])
  func aMountMatrixThatCannotBeUndoneIsRefused(text: String) throws {
    var chip = IIOChip.mpu6050
    chip.mountMatrix = text
    let line = try #require(fault(try tree.add(chip)))
    #expect(line.contains("in_accel_mount_matrix"))
    #expect(line.contains("accelerometer.mount_matrix"))
  }
}

@Suite struct AccelerometerRangeTests {
  private func scale(_ chip: IIOChip) throws -> AccelerationScale {
    let workplace = try Workplace("range")
    defer { withExtendedLifetime(workplace) {} }
    let tree = try IIOTree(in: workplace)
    let folder = AttributeFolder(path: try tree.add(chip).folder)
    return try IIOSensor(device: IIODevice(identifier: "iio:device0", folder: folder), mountMatrix: nil).scale
  }

  @Test func theEndsOfTheScaleComeFromTheScanElements() throws {
    let scale = try scale(.lis3dh)
    #expect(abs(try #require(scale.fullScaleG) - 2.047) < 0.002)
    #expect(scale.sample(RawScan(x: 0, y: 2047, z: 0), at: .start).isClipped)
    #expect(!scale.sample(RawScan(x: 0, y: 1900, z: 0), at: .start).isClipped)
  }

  @Test func withoutThemTheRangeIsUnknown() throws {
    #expect(try scale(.mpu6050).fullScaleG == nil)
    #expect(try scale(.hid).fullScaleG == nil)
  }
}
