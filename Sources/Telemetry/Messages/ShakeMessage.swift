/// A phase of a shake: stream `shake`. `Envelope.time` is when the phase was decided.
public struct ShakeMessage: Equatable, Sendable {
  /// What a message says of a shake.
  public enum Phase: String, CaseIterable, Sendable {
    case began, ended, cancelled
  }

  /// Why a shake was cancelled.
  public enum Reason: String, CaseIterable, Sendable {
    /// It went on for longer than the preset's maximum.
    case tooLong = "too_long"
    /// The samples stopped for a while.
    case interrupted
    /// The agent or the sensor was stopped.
    case stopped
  }

  /// The same in every phase of one shake; counts from 1 in each boot.
  public var id: Int
  /// What happened.
  public var phase: Phase
  /// Only with `cancelled`.
  public var reason: Reason?
  /// The first swing.
  public var start: WallTime
  /// The last active sample so far.
  public var end: WallTime?
  /// From the first swing to the last active sample so far [s].
  public var durationS: Double
  /// Largest length of the band-limited acceleration without gravity [g].
  public var peakG: Double
  /// Integral of its square [g^2 s].
  public var energyG2S: Double
  /// Integral of its length, the cumulative absolute velocity [g s].
  public var cavGS: Double
  /// Swings per second on the busiest axis [Hz]; absent below two reversals.
  public var frequencyHz: Double?
  /// Changes of direction on the busiest axis.
  public var reversals: Int
  /// The busiest axis.
  public var axis: Axis
  /// The last fix, where there is one.
  public var place: Place?

  /// A phase of a shake.
  public init(
    id: Int, phase: Phase, reason: Reason? = nil, start: WallTime, end: WallTime? = nil, durationS: Double,
    peakG: Double, energyG2S: Double, cavGS: Double, frequencyHz: Double? = nil, reversals: Int, axis: Axis,
    place: Place? = nil
  ) {
    self.id = id
    self.phase = phase
    self.reason = reason
    self.start = start
    self.end = end
    self.durationS = durationS
    self.peakG = peakG
    self.energyG2S = energyG2S
    self.cavGS = cavGS
    self.frequencyHz = frequencyHz
    self.reversals = reversals
    self.axis = axis
    self.place = place
  }
}
