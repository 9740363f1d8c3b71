/// A blow: stream `impact`. `Envelope.time` is when it was decided.
public struct ImpactMessage: Equatable, Sendable {
  /// Counts from 1 in each boot.
  public var id: Int
  /// The beginning of the pulse.
  public var start: WallTime
  /// Largest length of the acceleration without gravity [g]; what peaked between two samples is not in it.
  public var peakG: Double
  /// How long the pulse lasted [s].
  public var durationS: Double
  /// The change of velocity: the length of the pulse's integral [m/s].
  public var velocityChangeMPS: Double
  /// The axis with the largest component at the peak.
  public var axis: Axis
  /// The sensor's range ended below the peak.
  public var isClipped: Bool
  /// How long the node fell freely just before [s].
  public var fallS: Double?
  /// The last fix, where there is one.
  public var place: Place?

  /// A blow that was measured to be like this.
  public init(
    id: Int, start: WallTime, peakG: Double, durationS: Double, velocityChangeMPS: Double, axis: Axis,
    isClipped: Bool = false, fallS: Double? = nil, place: Place? = nil
  ) {
    self.id = id
    self.start = start
    self.peakG = peakG
    self.durationS = durationS
    self.velocityChangeMPS = velocityChangeMPS
    self.axis = axis
    self.isClipped = isClipped
    self.fallS = fallS
    self.place = place
  }
}
