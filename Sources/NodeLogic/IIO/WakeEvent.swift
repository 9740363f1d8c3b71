internal import Telemetry

/// The event by which a chip can tell that it was moved, chosen among what its driver offers in `events/`
/// (Documentation/ABI/testing/sysfs-bus-iio): `in_accel[_axes]_kind_direction_en`.
public struct WakeEvent: Equatable, Sendable {
  /// The attributes that turn it on, one or one for each axis.
  public let enables: [String]
  /// The attributes that hold its threshold; none where the driver has none.
  public let values: [String]

  /// Kinds from the best to the worst: a rate of change and what adapts or refers to a mean know nothing of gravity; a
  /// plain magnitude or threshold may contain it.
  private static let kinds = ["roc", "mag_adaptive", "mag_referenced", "thresh_adaptive", "mag", "thresh"]
  private static let directions = ["rising", "either"]
  /// An event of all axes together: any of them, their vector, or (so some drivers call it) all of them.
  private static let together = ["x|y|z_", "", "x&y&z_"]

  /// - Parameter names: the names in the folder; nil comes of it where none of them tells of motion.
  public init?(among names: [String]) {
    for kind in Self.kinds {
      for direction in Self.directions {
        let ending = "\(kind)_\(direction)"
        let axes = ["x_", "y_", "z_"].map { "in_accel_\($0)\(ending)" }.filter { names.contains("\($0)_en") }
        let all = Self.together.map { "in_accel_\($0)\(ending)" }.filter { names.contains("\($0)_en") }
        let chosen = axes.isEmpty ? Array(all.prefix(1)) : axes
        guard !chosen.isEmpty else { continue }
        enables = chosen.map { "\($0)_en" }
        let own = chosen.map { "\($0)_value" }.filter(names.contains)
        values = own.isEmpty ? ["in_accel_\(ending)_value"].filter(names.contains) : own
        return
      }
    }
    return nil
  }

  /// What it is called: its first attribute without `_en`.
  public var name: String { String(enables[0].dropLast(3)) }

  /// What one count of the threshold is [g].
  ///
  /// The ABI has it in the raw unit of the channel. Some drivers pass the number on to a register of the chip whose
  /// unit is coarser; these are from their chips' data sheets.
  ///
  /// - Parameters:
  ///   - sensor: the driver's name for the chip.
  ///   - scale: `events/in_accel_scale` [m/s^2], where the driver says it itself.
  ///   - rawG: one raw count [g].
  ///   - fullScaleG: the end of the scale [g], where known.
  public static func unitG(of sensor: String, scale: Double?, rawG: Double, fullScaleG: Double?) -> Double {
    if let scale, scale > 0, scale.isFinite { return scale / standardGravity }
    let name = sensor.lowercased()
    if ["kxcj", "kxtj", "kxtf", "kiox"].contains(where: name.hasPrefix) { return 1.0 / 16 }
    if name.hasPrefix("adxl345") || name.hasPrefix("adxl375") { return name.hasPrefix("adxl375") ? 0.78 : 0.0625 }
    if let fullScaleG {
      if ["lsm6ds", "ism330", "asm330"].contains(where: name.hasPrefix) { return fullScaleG / 64 }
      if ["bmc150", "bmi055", "bma2"].contains(where: name.hasPrefix) { return fullScaleG / 512 }
    }
    return rawG
  }
}
