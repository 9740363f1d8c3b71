/// An accelerometer of the kernel's Industrial I/O subsystem, as it is listed.
public struct IIODevice: Equatable, Sendable {
  /// `iio:deviceN`. N follows the order of probing, so it is no identity.
  public let identifier: String
  /// The driver's name for the chip: attribute `name`.
  public let name: String
  /// The board's name for the sensor: attribute `label`.
  public let label: String?
  /// The device that it sits on, for example `/sys/devices/.../i2c-1/1-0019`.
  public let parentPath: String
  /// Its attributes.
  let folder: AttributeFolder

  init(identifier: String, folder: AttributeFolder) {
    self.identifier = identifier
    self.folder = folder
    name = (try? folder.readIfPresent("name")).flatMap { $0 }.flatMap { $0.isEmpty ? nil : $0 } ?? identifier
    label = (try? folder.readIfPresent("label")).flatMap { $0 }.flatMap { $0.isEmpty ? nil : $0 }
    let resolved = folder.resolvedPath
    parentPath = resolved.lastIndex(of: "/").map { String(resolved[..<$0]) } ?? resolved
  }

  /// All that tells it from another, in one line.
  public var summary: String {
    let label = label.map { "label \($0), " } ?? ""
    return "\(name) (\(label)\(identifier), at \(parentPath))"
  }

  /// The number in `iio:deviceN`, which drivers put into their trigger's name.
  var number: String { String(identifier.drop { !$0.isNumber }) }

  /// Whether three axes can be read, one way or the other.
  var isAccelerometer: Bool {
    ["x", "y", "z"].allSatisfy { axis in
      folder.has("in_accel_\(axis)_raw") || folder.has("scan_elements/in_accel_\(axis)_en")
    }
  }

  /// Whether a configured name means this device: `iio:deviceN`, `/dev/iio:deviceN`, a path in /sys (of the device or
  /// of what it sits on), label or name.
  func matches(_ wanted: String) -> Bool {
    if wanted == identifier || wanted == label || wanted == name { return true }
    guard wanted.hasPrefix("/") else { return false }
    if wanted.hasSuffix("/\(identifier)"), !wanted.hasPrefix("/sys/devices/") { return true }
    let resolved = AttributeFolder(path: wanted).resolvedPath
    return resolved == folder.resolvedPath || resolved == parentPath
  }
}
