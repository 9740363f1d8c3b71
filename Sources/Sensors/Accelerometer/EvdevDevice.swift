internal import NodeLogic
internal import Telemetry

/// An input device that may be an accelerometer, as sysfs lists it.
public struct EvdevDevice: Equatable, Sendable {
  /// `eventN`. N follows the order of probing, so it is no identity.
  public let identifier: String
  /// The driver's name for it, for example `ADXL34x accelerometer`.
  public let name: String
  /// Where it is plugged in, as its driver says: `isa0060/serio0/input0`, `ADXL34x/input0`.
  public let location: String?
  /// Its driver calls it an accelerometer: INPUT_PROP_ACCELEROMETER.
  public let isDeclared: Bool
  /// It has ABS_X, ABS_Y and ABS_Z.
  let hasAxes: Bool
  /// Its folder `/sys/class/input/eventN`.
  let folder: AttributeFolder

  init(identifier: String, folder: AttributeFolder) {
    self.identifier = identifier
    self.folder = folder
    name = EvdevDevice.text(folder, "device/name") ?? identifier
    location = EvdevDevice.text(folder, "device/phys")
    isDeclared = EvdevDevice.bits(folder, "device/properties") & EvdevDevice.accelerometerProperty != 0
    hasAxes = EvdevDevice.bits(folder, "device/capabilities/abs") & 0b111 == 0b111
  }

  /// INPUT_PROP_ACCELEROMETER is 6.
  private static let accelerometerProperty: UInt64 = 1 << 6

  private static func text(_ folder: AttributeFolder, _ name: String) -> String? {
    (try? folder.readIfPresent(name)).flatMap { $0 }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The lowest bits of a map, which the kernel writes as words in hexadecimal, the highest first.
  private static func bits(_ folder: AttributeFolder, _ name: String) -> UInt64 {
    text(folder, name)?.split(separator: " ").last.flatMap { UInt64($0, radix: 16) } ?? 0
  }

  /// All that tells it from another, in one line.
  public var summary: String {
    let place = location.map { ", at \($0)" } ?? ""
    return "\(name) (\(identifier)\(place)\(isDeclared ? "" : ", not declared an accelerometer"))"
  }

  /// Whether a configured name means this device: its name, `eventN`, its place, or a path to its device node (also one
  /// of /dev/input/by-id or by-path) or in sysfs.
  func matches(_ wanted: String) -> Bool {
    if wanted == name || wanted == identifier || wanted == location { return true }
    guard wanted.hasPrefix("/") else { return false }
    let resolved = AttributeFolder(path: wanted).resolvedPath
    return resolved.hasSuffix("/\(identifier)") || resolved == folder.resolvedPath
      || folder.resolvedPath.hasPrefix("\(resolved)/event")
  }
}

/// Finds the input device that is meant. A joystick has the same axes, so without a name only what its driver calls an
/// accelerometer is taken; and with two candidates it never takes the first.
struct EvdevDiscovery: Sendable {
  let root: AttributeFolder

  /// - Parameter inputRoot: `/sys/class/input`, or a folder that stands in for it.
  init(inputRoot: String) {
    root = AttributeFolder(path: inputRoot)
  }

  /// The device that a configured name means, or, without one, the only one that is declared an accelerometer.
  func choose(_ wanted: String?) throws(EvdevDiscoveryFailure) -> EvdevDevice {
    let names: [String]
    do {
      names = try root.list()
    } catch {
      throw .noInput(root: root.path)
    }
    let all = names.filter { $0.hasPrefix("event") }.map { EvdevDevice(identifier: $0, folder: root.folder($0)) }
    let possible = all.filter(\.hasAxes)
    let matching = possible.filter { wanted.map($0.matches) ?? $0.isDeclared }
    switch matching.count {
    case 1: return matching[0]
    case 0: throw .notFound(wanted: wanted, root: root.path, candidates: possible.map(\.summary))
    default: throw .ambiguous(wanted: wanted, candidates: matching.map(\.summary))
    }
  }
}

/// Why no input device could be chosen: one line with what to do.
public enum EvdevDiscoveryFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kernel's list of input devices does not exist.
  case noInput(root: String)
  /// None is the one asked for, or none is declared an accelerometer; those with three axes.
  case notFound(wanted: String?, root: String, candidates: [String])
  /// More than one could be meant.
  case ambiguous(wanted: String?, candidates: [String])

  public var description: String {
    switch self {
    case .noInput(let root):
      "no input devices in this kernel: there is no \(root); load evdev and the sensor's driver"
    case .notFound(_, let root, let candidates) where candidates.isEmpty:
      "no input device under \(root) has the axes x, y and z: the sensor's driver is not loaded, or the device tree"
        + " does not name it"
    case .notFound(let wanted?, _, let candidates):
      "no input device with three axes is named '\(wanted)' by name, eventN, place or path; there is"
        + " \(candidates.joined(separator: "; "))"
    case .notFound(nil, _, let candidates):
      "no input device is declared an accelerometer; set accelerometer.device to the name of one that is:"
        + " \(candidates.joined(separator: "; "))"
    case .ambiguous(let wanted, let candidates):
      (wanted.map { "'\($0)' could be \(candidates.count) accelerometers" }
        ?? "\(candidates.count) accelerometers and none chosen")
        + "; set accelerometer.device to the name, place or path of one: \(candidates.joined(separator: "; "))"
    }
  }
}
