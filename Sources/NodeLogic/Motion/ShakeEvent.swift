public import Telemetry

/// A phase of a shake, at the moment it was decided.
public struct ShakeEvent: Equatable, Sendable {
  /// The same in every phase of one shake; counts from 1.
  public var id: Int
  public var phase: ShakeMessage.Phase
  /// Only with `.cancelled`.
  public var reason: ShakeMessage.Reason?
  /// When the phase was decided; the latency is `at - start`.
  public var at: Instant
  /// The first swing.
  public var start: Instant
  /// The last active sample so far.
  public var end: Instant
  /// Largest length of the band-limited acceleration without gravity [g].
  public var peakG: Double
  /// Integral of its square [g^2 s].
  public var energyG2S: Double
  /// Integral of its length, the cumulative absolute velocity [g s].
  public var cavGS: Double
  /// Swings per second on the busiest axis [Hz]; nil below two reversals.
  public var frequencyHz: Double?
  /// Changes of direction on the busiest axis.
  public var reversals: Int
  /// The busiest axis.
  public var axis: Axis

  public init(
    id: Int, phase: ShakeMessage.Phase, reason: ShakeMessage.Reason? = nil, at: Instant, start: Instant, end: Instant,
    peakG: Double, energyG2S: Double, cavGS: Double, frequencyHz: Double? = nil, reversals: Int, axis: Axis
  ) {
    self.id = id
    self.phase = phase
    self.reason = reason
    self.at = at
    self.start = start
    self.end = end
    self.peakG = peakG
    self.energyG2S = energyG2S
    self.cavGS = cavGS
    self.frequencyHz = frequencyHz
    self.reversals = reversals
    self.axis = axis
  }

  /// From the first swing to the last active sample [s].
  public var durationS: Double { end - start }

  /// The event as it is published.
  public func message(clock: ClockState, place: Place? = nil) -> ShakeMessage {
    ShakeMessage(
      id: id, phase: phase, reason: reason, start: clock.wall(at: start),
      // A shake that has just begun has no end yet.
      end: phase == .began ? nil : clock.wall(at: end),
      durationS: durationS, peakG: peakG, energyG2S: energyG2S, cavGS: cavGS, frequencyHz: frequencyHz,
      reversals: reversals, axis: axis, place: place)
  }
}
