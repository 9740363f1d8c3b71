public import Telemetry

/// What was decided about one fix, and why.
///
/// Each epoch of the receiver that is followed gets one, and so does each report that could not become an epoch
/// although it has a position: of a simulator, of another receiver, or with a fix time that does not go on.
public struct FixDecision: Equatable, Sendable {
  /// What became of a fix.
  public enum Verdict: Equatable, Sendable {
    /// It is good, and was published.
    case published(LocationMessage.Position.Cause)
    /// It is good, and not worth a message.
    case withheld(Withholding)
    /// It is not used for anything.
    case rejected(Rejection)
  }

  /// Why a good fix was not published.
  public enum Withholding: Equatable, Sendable {
    /// Not far enough from the position published before; `remainingS` until the interval passes.
    case near(movedM: Double, neededM: Double, remainingS: Double)
    /// The node stands, and the fix is within what its accuracy allows a standing node to wander.
    case standing(distanceM: Double, allowanceM: Double, accuracyM: Double?)
    /// It is displaced from where the node stands by more than that, and not for long enough to be believed.
    case unconfirmed(distanceM: Double, allowanceM: Double, fixes: Int)
    /// Another receiver is followed.
    case otherDevice(followed: String)
  }

  /// Why a fix was not used.
  public enum Rejection: Equatable, Sendable {
    /// Worse than the accuracy asked for.
    case accuracy(metres: Double, limitM: Double)
    /// The receiver reports a speed that no vehicle has.
    case reportedSpeed(speedMPS: Double, limitMPS: Double)
    /// It would take more than the greatest speed to be there.
    case speed(Leap, limitMPS: Double)
    /// It would take more than the greatest acceleration to be there.
    case acceleration(Leap, limitMPS2: Double)
    /// From a simulator.
    case simulated
    /// The fix time has been the same for so long [s].
    case repeated(durationS: Double)
  }

  /// A step that a vehicle cannot make.
  public struct Leap: Equatable, Sendable {
    /// From the last good fix [m].
    public var distanceM: Double
    /// Since then [s]; >= 0.
    public var durationS: Double
    /// How far a vehicle may have come in that time, the accuracies included [m].
    public var reachM: Double
    /// Rejected fixes in a row that agree with one another, this one included.
    public var agreeing: Int

    /// A step with the room there was for it.
    public init(distanceM: Double, durationS: Double, reachM: Double, agreeing: Int) {
      self.distanceM = distanceM
      self.durationS = durationS
      self.reachM = reachM
      self.agreeing = agreeing
    }
  }

  /// The fix as far as its epoch was known.
  public var fix: Fix
  /// What became of it.
  public var verdict: Verdict
  /// From the position published before [m]; nil before the first, and for a fix that was rejected.
  public var movedM: Double?
  /// From where the node stood until now [m], where that is what made it worth a message; nil otherwise.
  public var departureM: Double?
  /// How far it must be from there to be published for its distance [m].
  public var neededM: Double?
  /// Rejected fixes agreed with one another until they were believed: the node is elsewhere, and did not travel there.
  public var isJump = false

  /// A decision without the distances.
  public init(fix: Fix, verdict: Verdict) {
    self.fix = fix
    self.verdict = verdict
  }
}
