internal import NodeLogic
internal import Telemetry

/// From raw values to g along the node's axes: `(raw + offset) * scale` is m/s^2 along the chip's axes; the mount matrix
/// turns it, once.
struct SampleConversion: Equatable, Sendable {
  /// m/s^2 per raw unit, per axis of the chip.
  var scale: Vector
  /// Added to the raw value.
  var offset: Vector
  var matrix: MountMatrix

  func g(_ x: Int64, _ y: Int64, _ z: Int64) -> Vector {
    let chip = Vector(
      (Double(x) + offset.x) * scale.x, (Double(y) + offset.y) * scale.y, (Double(z) + offset.z) * scale.z)
    return matrix.apply(to: chip) * (1 / standardGravity)
  }
}

/// The ends of a chip's scale in raw values, as its scan elements tell.
struct RawLimits: Equatable, Sendable {
  let least: Int64
  let greatest: Int64

  /// From the number of bits and the sign of a scan element.
  ///
  /// Nil for more than 24 bits: such values are a format's, not a converter's, and no chip reaches their ends.
  init?(bits: Int, isSigned: Bool) {
    guard bits > 1, bits <= 24 else { return nil }
    least = isSigned ? -(Int64(1) << Int64(bits - 1)) : 0
    greatest = (Int64(1) << Int64(isSigned ? bits - 1 : bits)) - 1
  }

  /// The largest value that every axis can give [g].
  func fullScaleG(_ conversion: SampleConversion) -> Double? {
    let scale = min(abs(conversion.scale.x), abs(conversion.scale.y), abs(conversion.scale.z))
    let g = (Double(greatest - least) + 1) / 2 * scale / standardGravity
    return g > 0 && g <= 1000 ? g : nil
  }

  func isTouched(by scan: RawScan) -> Bool {
    [scan.x, scan.y, scan.z].contains { $0 <= least || $0 >= greatest }
  }
}
extension RawLimits {
  init?(_ layout: ScanLayout) { guard let x = layout.e.first(where: { $0.name == "in_accel_x" }) else { return nil }; self.init(bits: x.bits, isSigned: x.isSigned) }
  init?(elementsOf folder: AttributeFolder) {
    guard let t = try? folder.read("scan_elements/in_accel_x_type"), let x = try? ScanElement(name: "in_accel_x", index: 0, type: t) else { return nil }
    self.init(bits: x.bits, isSigned: x.isSigned) }
}
