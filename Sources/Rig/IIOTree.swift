internal import Foundation

/// A plain folder in the shape of /sys/bus/iio/devices, with FIFOs in place of the character devices.
///
/// Attributes are plain files: what is written to them can be read back, and nothing happens. `ScanWriter` plays the
/// kernel's part.
public final class IIOTree: Sendable {
  /// The folders that stand for /sys/bus/iio/devices and for /dev.
  public let sysfsRoot: String
  public let devRoot: String

  /// Makes both folders, without a device in them.
  public init(in workplace: Workplace, name: String = "iio") throws {
    sysfsRoot = workplace.path("\(name)/sys")
    devRoot = workplace.path("\(name)/dev")
    for folder in [sysfsRoot, devRoot] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
  }

  /// Adds a device with all that its driver would show, and answers it.
  @discardableResult
  public func add(_ chip: IIOChip, number: Int = 0) throws -> IIOTreeDevice {
    let identifier = "iio:device\(number)"
    let device = IIOTreeDevice(chip: chip, folder: "\(sysfsRoot)/\(identifier)", node: "\(devRoot)/\(identifier)")
    for (name, value) in chip.attributes { try device.create(name, value) }
    guard chip.hasBuffer else { return device }
    guard mkfifo(device.node, 0o600) == 0 else { throw RigError("mkfifo \(device.node): errno \(errno)") }
    switch chip.trigger {
    case .none: break
    case .own: try addTrigger("\(chip.name)-dev\(number)")
    case .timer: try addTrigger("judder", rateHz: 10)
    }
    return device
  }

  /// Adds a trigger; with a rate it is a timer, as iio-trig-hrtimer makes them.
  public func addTrigger(_ name: String, number: Int = 0, rateHz: Int? = nil) throws {
    let folder = "\(sysfsRoot)/trigger\(number)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/name"))
    if let rateHz { try Data("\(rateHz)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/sampling_frequency")) }
  }
}

/// A device in an `IIOTree`.
public struct IIOTreeDevice: Sendable {
  /// What it was made as.
  public let chip: IIOChip
  /// Its folder of attributes.
  public let folder: String
  /// The FIFO in place of its character device.
  public let node: String

  /// Creates an attribute, and the folder that it is in.
  public func create(_ name: String, _ value: String) throws {
    let file = URL(fileURLWithPath: "\(folder)/\(name)")
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data("\(value)\n".utf8).write(to: file)
  }

  /// Overwrites an attribute in one write, so that a reader sees the old or the new value and nothing between.
  public func set(_ name: String, _ value: String) throws {
    let descriptor = open("\(folder)/\(name)", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RigError("open \(folder)/\(name): errno \(errno)") }
    defer { Glibc.close(descriptor) }
    let padded = value + String(repeating: " ", count: max(0, 15 - value.utf8.count)) + "\n"
    guard pwrite(descriptor, padded, padded.utf8.count, 0) > 0 else {
      throw RigError("write \(folder)/\(name): errno \(errno)")
    }
  }

  /// An attribute's text without white space around it; nil where there is none.
  public func text(_ name: String) -> String? {
    (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Takes an attribute away.
  public func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }

  /// Puts a folder in an attribute's place: opening it for writing fails, even for root, as a refused write does.
  public func block(_ name: String) throws {
    try remove(name)
    try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
  }

  /// Sets the three raw values that a polling reader sees.
  public func setRaw(_ x: Int, _ y: Int, _ z: Int) throws {
    for (axis, value) in zip(["x", "y", "z"], [x, y, z]) { try set("in_accel_\(axis)_raw", String(value)) }
  }
}
