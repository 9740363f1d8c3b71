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
  func scale(
    mount: MountMatrix, axes: (x: ScanElement, y: ScanElement, z: ScanElement)?, correction: AxisCorrection
  ) throws(SensorFault) -> AccelerationScale {
    AccelerationScale(
      x: try axisScale(.x), y: try axisScale(.y), z: try axisScale(.z), mount: mount, axes: axes,
      correction: correction)
  }

  /// How the axes lie in a scan, which also tells their range; nil where the driver does not say.
  func scanElements() -> (x: ScanElement, y: ScanElement, z: ScanElement)? {
    guard let x = scanElement(.x), let y = scanElement(.y), let z = scanElement(.z) else { return nil }
    return (x, y, z)
  }

  /// The driver's mount matrix, under whichever of its names; the identity where it has none.
  func mountMatrix() throws(SensorFault) -> MountMatrix {
    for name in ["in_accel_mount_matrix", "in_mount_matrix", "mount_matrix"] {
      guard let text = try reading({ () throws(SystemFailure) in try folder.readIfPresent(name) }) else { continue }
      do throws(MountMatrix.Problem) {
        return try MountMatrix(parsing: text)
      } catch {
        throw SensorFault("\(folder.path(of: name)): \(error); set accelerometer.mount_matrix in its place")
      }
    }
    return .identity
  }

  private func axisScale(_ axis: Axis) throws(SensorFault) -> AccelerationScale.AxisScale {
    AccelerationScale.AxisScale(
      scale: try number("scale", axis, absent: nil), offset: try number("offset", axis, absent: 0))
  }

  private func scanElement(_ axis: Axis) -> ScanElement? {
    guard let text = try? folder.read("scan_elements/in_accel_\(axis.rawValue)_type") else { return nil }
    return try? ScanElement(parsing: text)
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
  /// Another process has the sensor, and must not be disturbed.
  let isBusy: Bool

  init(_ description: String, isBusy: Bool = false) {
    self.description = description
    self.isBusy = isBusy
  }

  init(_ failure: SystemFailure) {
    isBusy = false
    description = failure.isPermission ? "\(failure); \(permissionRemedy)" : failure.description
  }
}
