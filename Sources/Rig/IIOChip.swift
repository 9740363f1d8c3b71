/// What a driver shows of a chip. The presets follow real drivers of Linux 6.1.
public struct IIOChip: Sendable {
  /// Which attribute holds the scale.
  public enum ScaleNaming: Sendable { case perAxis, byType, shared, absent }
  /// What starts a scan.
  public enum Trigger: Sendable { case none, own, timer }

  /// What the driver calls the chip, and the device tree the place.
  public var name: String
  public var label: String?
  /// Which attribute holds the scale.
  public var scaleNaming = ScaleNaming.byType
  /// m/s^2 per raw unit.
  public var scale = "0.009582"
  /// Added to raw values before scaling; nil: the driver has none.
  public var offset: Int?
  /// The attribute that sets the rate; nil: the driver has none.
  public var rateName: String? = "sampling_frequency"
  public var rateHz = "50"
  /// Text of `*_available`; nil: the driver has none.
  public var ratesAvailable: String?
  public var mountMatrixName: String?
  public var mountMatrix = "1, 0, 0; 0, 1, 0; 0, 0, 1"
  /// Whether there are scan elements, a buffer and a device node.
  public var hasBuffer = true
  public var hasWatermark = true
  public var hasTimestamp = true
  public var trigger = Trigger.own
  /// Whether the buffer must have a trigger.
  public var needsTrigger = true
  public var scanType = "le:s12/16>>4"
  /// The scan indices of x, y, z and the time stamp.
  public var scanIndices = [0, 1, 2, 3]
  /// Raw x, y, z at rest.
  public var raw = [10, -20, 1000]

  public init(name: String) {
    self.name = name
  }

  /// ST LIS3DH: scale per axis, rate without prefix.
  public static var lis3dh: IIOChip {
    var chip = IIOChip(name: "lis3dh")
    chip.scaleNaming = .perAxis
    chip.scale = "0.009806"
    chip.ratesAvailable = "1 10 25 50 100 200 400 1600"
    chip.mountMatrixName = "mount_matrix"
    return chip
  }

  /// Kionix KXCJK-1013: one scale, rate with prefix, no list of rates with it.
  public static var kxcjk1013: IIOChip {
    var chip = IIOChip(name: "kxcjk1013")
    chip.rateName = "in_accel_sampling_frequency"
    chip.ratesAvailable = "0.781000 1.563000 3.125000 6.250000 12.500000 25 50 100 200 400 800 1600"
    chip.mountMatrixName = "in_accel_mount_matrix"
    chip.hasWatermark = false
    chip.trigger = .timer
    return chip
  }

  /// Bosch BMI160: rates with prefix, values of 16 bits, a range of rates.
  public static var bmi160: IIOChip {
    var chip = IIOChip(name: "bmi160")
    chip.rateName = "in_accel_sampling_frequency"
    chip.ratesAvailable = "[12.5 12.5 1600]"
    chip.scale = "0.000598"
    chip.scanType = "be:s16/16>>0"
    chip.mountMatrixName = "in_mount_matrix"
    chip.raw = [100, -200, 16_400]
    return chip
  }

  /// InvenSense MPU-6050 without its interrupt line: polling only.
  public static var mpu6050: IIOChip {
    var chip = IIOChip(name: "mpu6050")
    chip.scale = "0.000598"
    chip.raw = [100, -200, 16_400]
    chip.hasBuffer = false
    chip.mountMatrixName = "in_accel_mount_matrix"
    return chip
  }

  /// A HID sensor hub: 32-bit values, scans of 24 bytes, an offset.
  public static var hid: IIOChip {
    var chip = IIOChip(name: "accel_3d")
    chip.rateName = "in_accel_sampling_frequency"
    chip.rateHz = "100.000000"
    chip.scale = "0.000980665"
    chip.offset = 0
    chip.scanType = "le:s32/32>>0"
    chip.raw = [20, -40, 10_000]
    return chip
  }

  /// Every attribute with its value.
  var attributes: [(String, String)] {
    var list = [("name", name)]
    if let label { list.append(("label", label)) }
    for (axis, value) in zip(["x", "y", "z"], raw) {
      list.append(("in_accel_\(axis)_raw", String(value)))
      list.append(("in_accel_\(axis)_calibbias", "7"))
      if scaleNaming == .perAxis { list.append(("in_accel_\(axis)_scale", scale)) }
    }
    if scaleNaming == .byType { list.append(("in_accel_scale", scale)) }
    if scaleNaming == .shared { list.append(("scale", scale)) }
    if let offset { list.append(("in_accel_offset", String(offset))) }
    if let rateName {
      list.append((rateName, rateHz))
      if let ratesAvailable { list.append(("\(rateName)_available", ratesAvailable)) }
    }
    if let mountMatrixName { list.append((mountMatrixName, mountMatrix)) }
    return hasBuffer ? list + bufferAttributes : list
  }

  private var bufferAttributes: [(String, String)] {
    var list = [("buffer/enable", "0"), ("buffer/length", "2"), ("current_timestamp_clock", "realtime")]
    if hasWatermark { list.append(("buffer/watermark", "1")) }
    if needsTrigger { list.append(("trigger/current_trigger", "")) }
    var elements = ["in_accel_x", "in_accel_y", "in_accel_z"].map { ($0, scanType) }
    if hasTimestamp { elements.append(("in_timestamp", "le:s64/64>>0")) }
    for ((element, type), index) in zip(elements, scanIndices) {
      list.append(("scan_elements/\(element)_en", "0"))
      list.append(("scan_elements/\(element)_type", type))
      list.append(("scan_elements/\(element)_index", String(index)))
    }
    return list
  }
}
