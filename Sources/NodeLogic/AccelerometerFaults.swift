/// What went wrong with a sensor without ending it, counted.
public struct AccelerometerFaults: Equatable, Sendable {
  /// Reads that failed in a way another try may cure (EBUSY, EIO, EREMOTEIO, ETIMEDOUT), and were tried again.
  public var retried: Int
  /// How often nothing usable came for so long that the sensor was started anew, polled or given up.
  public var stalls: Int
  /// Readings of exactly 0, 0, 0, which is what silent sensors answer; they were left out.
  public var zeros: Int
  /// How often the same values came for longer than the sensor's noise allows; they were kept.
  public var frozen: Int
  /// Readings beyond what the sensor can measure; they were left out.
  public var outOfRange: Int

  /// Counts; each 0 unless given.
  public init(retried: Int = 0, stalls: Int = 0, zeros: Int = 0, frozen: Int = 0, outOfRange: Int = 0) {
    self.retried = retried
    self.stalls = stalls
    self.zeros = zeros
    self.frozen = frozen
    self.outOfRange = outOfRange
  }

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
