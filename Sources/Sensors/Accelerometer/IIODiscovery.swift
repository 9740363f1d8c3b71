internal import Glibc

/// Finds the accelerometer that is meant. Numbering is not identity, so with two candidates it never takes the first.
struct IIODiscovery: Sendable {
  let root: AttributeFolder

  init(sysfsRoot: String) {
    root = AttributeFolder(path: sysfsRoot)
  }

  /// Every device with three axes of acceleration.
  func candidates() throws(IIODiscoveryFailure) -> [IIODevice] { try devices().filter(\.isAccelerometer) }

  /// The device that a configured name means, or, without one, the only candidate.
  func choose(_ wanted: String?) throws(IIODiscoveryFailure) -> IIODevice {
    let all = try devices()
    let candidates = all.filter(\.isAccelerometer)
    guard !candidates.isEmpty else {
      throw all.isEmpty ? .noDevice(root: root.path) : .noAccelerometer(root: root.path, others: all.map(\.summary))
    }
    let matching = wanted.map { wanted in candidates.filter { $0.matches(wanted) } } ?? candidates
    switch matching.count {
    case 1: return matching[0]
    case 0: throw .notFound(wanted: wanted ?? "", candidates: candidates.map(\.summary))
    default: throw .ambiguous(wanted: wanted, candidates: matching.map(\.summary))
    }
  }

  private func devices() throws(IIODiscoveryFailure) -> [IIODevice] {
    let names: [String]
    do {
      names = try root.list()
    } catch {
      throw error.isPermission ? .denied(error) : .noIIO(root: root.path)
    }
    return names.filter { $0.hasPrefix("iio:device") }.map { IIODevice(identifier: $0, folder: root.folder($0)) }
  }
}

/// Why no accelerometer could be chosen: one line with what to do.
public enum IIODiscoveryFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kernel's list of IIO devices does not exist.
  case noIIO(root: String)
  /// The list is empty.
  case noDevice(root: String)
  /// None of the listed devices is an accelerometer.
  case noAccelerometer(root: String, others: [String])
  /// None of the candidates is the one asked for.
  case notFound(wanted: String, candidates: [String])
  /// More than one could be meant.
  case ambiguous(wanted: String?, candidates: [String])
  /// The list may not be read.
  case denied(SystemFailure)

  public var description: String {
    switch self {
    case .noIIO(let root):
      "no Industrial I/O in this kernel: there is no \(root); load the sensor's driver (for example modprobe"
        + " st_accel_i2c) or enable it in the device tree"
    case .noDevice(let root):
      "no sensor under \(root): its driver is not loaded, or the device tree or ACPI does not name it; "
        + "load the driver (modprobe), or enable the sensor in the device tree"
    case .noAccelerometer(let root, let others):
      "no accelerometer under \(root) (none has in_accel_x_raw or in_accel_x_en); what there is:"
        + " \(others.joined(separator: "; "))"
    case .notFound(let wanted, let candidates):
      "no accelerometer is named '\(wanted)' by name, label, iio:deviceN or path; there is"
        + " \(candidates.joined(separator: "; "))"
    case .ambiguous(nil, let candidates):
      "\(candidates.count) accelerometers and none chosen; set accelerometer.device to the name, label or path of one:"
        + " \(candidates.joined(separator: "; "))"
    case .ambiguous(let wanted?, let candidates):
      "'\(wanted)' could be \(candidates.count) accelerometers; set accelerometer.device to the label or path of one:"
        + " \(candidates.joined(separator: "; "))"
    case .denied(let failure):
      "\(failure); \(permissionRemedy)"
    }
  }
}

/// What to do when the kernel denies access to a sensor's files.
let permissionRemedy =
  "install deploy/udev/60-judder-iio.rules (it lets the group judder set sensors up and read their device nodes)"
  + " and run the node in that group"
