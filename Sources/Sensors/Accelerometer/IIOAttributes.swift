internal import NodeLogic
internal import Telemetry

/// Looks an accelerometer's attributes up as the kernel's ABI names them. Drivers differ in how far they share one:
/// for each it is asked in the order axis, type, direction, device.
struct IIOAttributes: Sendable {
  let folder: AttributeFolder

  /// Where an attribute of an axis may be, the most particular first.
  static func names(of attribute: String, axis: Axis) -> [String] {
    ["in_accel_\(axis.rawValue)_\(attribute)", "in_accel_\(attribute)", "in_\(attribute)", attribute]
  }

  /// The first of the names that exists, with its text; nil when none does.
  func lookUp(_ attribute: String, axis: Axis) throws(SystemFailure) -> (name: String, text: String)? {
    for name in IIOAttributes.names(of: attribute, axis: axis) {
      if let text = try folder.readIfPresent(name) { return (name, text) }
    }
    return nil
  }

  /// What turns raw values into m/s^2: `(raw + offset) * scale`. `calibbias` is left alone: the chip applies it itself.
  func conversion() throws(SensorFault) -> (scale: Vector, offset: Vector) {
    let scale = try vector("scale", absent: nil)
    let offset = try vector("offset", absent: 0)
    return (scale, offset)
  }

  /// The driver's mount matrix, under whichever of its names; the identity where it has none.
  func mountMatrix() throws(SensorFault) -> MountMatrix {
    for name in ["in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"] {
      guard let text = try reading({ () throws(SystemFailure) in try folder.readIfPresent(name) }) else { continue }
      guard let matrix = MountMatrix(text) else {
        throw SensorFault(
          "\(folder.path(of: name)): '\(text)' is no mount matrix (nine numbers that can be inverted);"
            + " set accelerometer.mount_matrix")
      }
      return matrix
    }
    return .identity
  }

  private func vector(_ attribute: String, absent: Double?) throws(SensorFault) -> Vector {
    Vector(
      try number(attribute, .x, absent: absent), try number(attribute, .y, absent: absent),
      try number(attribute, .z, absent: absent))
  }

  private func number(_ attribute: String, _ axis: Axis, absent: Double?) throws(SensorFault) -> Double {
    guard let found = try reading({ () throws(SystemFailure) in try lookUp(attribute, axis: axis) }) else {
      if let absent { return absent }
      let names = IIOAttributes.names(of: attribute, axis: axis).joined(separator: ", ")
      throw SensorFault("\(folder.path): no \(attribute) for axis \(axis.rawValue); looked for \(names)")
    }
    guard let value = Double(found.text), value.isFinite, attribute != "scale" || value != 0 else {
      throw SensorFault("\(folder.path(of: found.name)): '\(found.text)' is no \(attribute)")
    }
    return value
  }

  private func reading<Value>(_ body: () throws(SystemFailure) -> Value) throws(SensorFault) -> Value {
    do {
      return try body()
    } catch {
      throw SensorFault(error)
    }
  }
}

/// Why a sensor cannot be read: one line, with what to do where something can be done.
struct SensorFault: Error, Equatable, Sendable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  init(_ failure: SystemFailure) {
    description = failure.isPermission ? "\(failure); \(permissionRemedy)" : failure.description
  }
}
