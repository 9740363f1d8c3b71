public import Telemetry

/// Something was hit, fell or was knocked: the strongest pulse of one bout of them.
public struct ImpactEvent: Equatable, Sendable {
  /// Counts from 1, and counts impacts that were held back too: a hole in the numbers says how many.
  public var id: Int
  /// When it was decided: a quiet time after the last pulse.
  public var at: Instant
  /// When the pulse rose through its level, before the sample that confirmed it.
  public var start: Instant
  /// Length of the largest sample without gravity [g]. What was between the samples may have been more: it is a lower
  /// bound, and the lower the sampling rate the further away.
  public var peakG: Double
  /// How long the acceleration along the peak was above 10 % of it, or a third of the threshold where that is more [s].
  ///
  /// Known to about one sampling period at each end.
  public var durationS: Double
  /// Length of the pulse's integral, gravity removed: the change of velocity [m/s]. A low sampling rate leaves it
  /// right in the mean, where the sensor itself smooths what is quicker.
  public var dvMps: Double
  /// The axis with the largest component at the peak.
  public var axis: Axis
  /// The sensor's range ended below the peak.
  public var isClipped: Bool
  /// How long it fell freely just before [s]; nil where it did not.
  public var fallS: Double?
  /// How many impacts before this one were held back since the last that was told: there were too many in a minute.
  public var heldBack: Int

  public init(
    id: Int, at: Instant, start: Instant, peakG: Double, durationS: Double, dvMps: Double, axis: Axis,
    isClipped: Bool = false, fallS: Double? = nil, heldBack: Int = 0
  ) {
    self.id = id
    self.at = at
    self.start = start
    self.peakG = peakG
    self.durationS = durationS
    self.dvMps = dvMps
    self.axis = axis
    self.isClipped = isClipped
    self.fallS = fallS
    self.heldBack = heldBack
  }

  /// The event as it is published. What was held back shows as a hole in the ids.
  public func message(clock: ClockState, place: Place? = nil) -> ImpactMessage {
    ImpactMessage(
      id: id, start: clock.wall(at: start), peakG: peakG, durationS: durationS, velocityChangeMPS: dvMps, axis: axis,
      isClipped: isClipped, fallS: fallS, place: place)
  }
}
