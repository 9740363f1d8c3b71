extension LocationTracker {
  /// When a position is published, and when it counts as lost.
  public struct Settings: Equatable, Sendable {
    /// The ranges that the configuration accepts.
    public static let distanceFilterRangeM = 0.0...100_000
    public static let intervalRangeS = 1.0...86_400
    public static let maxAccuracyRangeM = 0.0...100_000
    public static let lostAfterRangeS = 0.0...86_400
    public static let maxSpeedRangeMPS = 0.0...10_000
    public static let maxAccelerationRangeMPS2 = 0.0...1_000
    public static let tripPauseRangeS = 0.0...86_400

    /// Publish after so many metres from the position published before; 0 publishes every fix, a parked node's too.
    public var distanceFilterM: Double
    /// Publish after so long in any case, while there is a fix [s].
    public var intervalS: Double
    /// A fix that is worse than this [m] is not used; 0 uses every fix. One without an accuracy is used.
    public var maxAccuracyM: Double
    /// Without a usable fix for so long, the position is lost [s]; 0 at the first report without one.
    public var lostAfterS: Double
    /// Only this device counts: its path, as gpsd names it. Nil takes the best that has a fix, and stays with it until
    /// another one is clearly better.
    public var device: String?
    /// No vehicle of this node is faster [m/s]: a fix that would take more is not used. 0: no limit.
    public var maxSpeedMPS = 100.0
    /// None gains speed quicker [m/s2]. 0: no limit.
    public var maxAccelerationMPS2 = 15.0
    /// A trip begins when the node sets off after standing for so long [s].
    public var tripPauseS = 300.0
    /// The areas to watch, with names of their own; at most `Geofence.most`.
    public var fences: [Geofence] = []
    /// From the first report of an epoch to the moment when it is taken for complete [s]; 0 decides on the first.
    /// The reports of an epoch come within the time that the receiver's sentences take on the line.
    public var settleS = 0.3
    /// A receiver may take seconds for a fix, so that even with `lostAfterS` 0 a silence is one only after so long [s].
    /// No configuration has it: tests of faults shorten it.
    public var leastSilenceS = 5.0

    public init(
      distanceFilterM: Double = 25, intervalS: Double = 300, maxAccuracyM: Double = 200, lostAfterS: Double = 30,
      device: String? = nil
    ) {
      self.distanceFilterM = distanceFilterM
      self.intervalS = intervalS
      self.maxAccuracyM = maxAccuracyM
      self.lostAfterS = lostAfterS
      self.device = device
    }

    /// How long nothing may come before that is evidence.
    var silenceS: Double { max(lostAfterS, leastSilenceS) }

    /// How long another reason must hold before it replaces the one published: a gpsd that starts over and over
    /// would otherwise publish each of its states.
    var reasonHoldS: Double { min(lostAfterS, leastSilenceS) }

    var gate: OutlierGate { OutlierGate(maxSpeedMPS: maxSpeedMPS, maxAccelerationMPS2: maxAccelerationMPS2) }
  }
}
