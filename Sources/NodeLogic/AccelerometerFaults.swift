public import Telemetry

/// What went wrong with a sensor without ending it, counted: as health messages tell it.
public typealias AccelerometerFaults = HealthMessage.Accelerometer.Faults

extension AccelerometerFaults {
  /// A kind of fault.
  public enum Kind: CaseIterable, Sendable {
    case retried, stalls, zeros, frozen, outOfRange
  }

  /// How often a kind of fault was seen.
  public subscript(_ kind: Kind) -> Int {
    switch kind {
    case .retried: retried
    case .stalls: stalls
    case .zeros: zeros
    case .frozen: frozen
    case .outOfRange: outOfRange
    }
  }

  /// Nothing went wrong.
  public var isEmpty: Bool { self == AccelerometerFaults() }

  /// Adds counts.
  public static func += (total: inout AccelerometerFaults, more: AccelerometerFaults) {
    total.retried += more.retried
    total.stalls += more.stalls
    total.zeros += more.zeros
    total.frozen += more.frozen
    total.outOfRange += more.outOfRange
  }
}

extension AccelerometerFaults.Kind {
  /// What happened, and what became of it: for the log, before the count.
  var words: String {
    switch self {
    case .retried: "reads failed and were tried again"
    case .stalls: "the sensor fell silent"
    case .zeros: "readings of exactly 0, 0, 0 are not used"
    case .frozen: "the same values came for longer than the sensor's noise allows"
    case .outOfRange: "readings beyond what the sensor can measure are not used"
    }
  }
}
