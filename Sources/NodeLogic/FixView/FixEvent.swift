public import Telemetry

/// Something that a person who watches positions is told.
public enum FixEvent: Equatable, Sendable {
  /// gpsd answers, or does not.
  case link(GpsdLink)
  /// The receivers that gpsd has, where that changed.
  case devices([GpsdDevice])
  /// The first report with a position after one without, or the other way round.
  case report(GpsdPosition, GpsdSky?)
  /// gpsd refused a request.
  case refusal(String)
  /// A line of gpsd that could not be used; told at most once a second.
  case unreadable(GpsdLineProblem)
  /// What became of a fix.
  case decided(FixDecision)
  /// The position is lost, or lost for another reason than before.
  case lost(LocationMessage.Loss)
  /// What a node would have sent.
  case published(Topic, Telegram)
  /// What the accelerometer does for the decision about drift.
  case accelerometer(String)
}

/// An event and when it happened.
public struct FixEntry: Equatable, Sendable {
  /// When it was told.
  public var at: Instant
  /// What happened.
  public var event: FixEvent
}

extension FixDecision.Withholding {
  /// The reason in one word.
  enum Word: String, CaseIterable {
    case near, standing, unconfirmed
    case otherDevice = "other_device"
  }

  var word: Word {
    switch self {
    case .near: .near
    case .standing: .standing
    case .unconfirmed: .unconfirmed
    case .otherDevice: .otherDevice
    }
  }
}

extension FixDecision.Rejection {
  /// The reason in one word.
  enum Word: String, CaseIterable {
    case accuracy, speed, acceleration, simulated, repeated
    case reportedSpeed = "reported_speed"
  }

  var word: Word {
    switch self {
    case .accuracy: .accuracy
    case .reportedSpeed: .reportedSpeed
    case .speed: .speed
    case .acceleration: .acceleration
    case .simulated: .simulated
    case .repeated: .repeated
    }
  }
}

/// What was told, by reason.
struct FixTally: Equatable, Sendable {
  /// Fixes decided on.
  private(set) var fixes = 0
  /// Positions published.
  private(set) var published: [LocationMessage.Position.Cause: Int] = [:]
  private(set) var withheld: [FixDecision.Withholding.Word: Int] = [:]
  private(set) var rejected: [FixDecision.Rejection.Word: Int] = [:]
  private(set) var lost: [LocationMessage.Loss.Reason: Int] = [:]

  mutating func count(_ event: FixEvent) {
    switch event {
    case .decided(let decision):
      fixes += 1
      switch decision.verdict {
      case .published: break
      case .withheld(let why): withheld[why.word, default: 0] += 1
      case .rejected(let why): rejected[why.word, default: 0] += 1
      }
    case .lost(let loss): lost[loss.reason, default: 0] += 1
    case .published(_, let telegram):
      if case .location(.fixed(let position)) = telegram.body { published[position.cause, default: 0] += 1 }
    case .link, .devices, .report, .refusal, .unreadable, .accelerometer: break
    }
  }

  /// `3 published (first 1, distance 2), 115 withheld (near 115), 0 rejected, 1 loss (no_fix 1)`.
  var text: String {
    let losses = sum(lost)
    return "\(sum(published)) published\(ViewText.counts(published)),"
      + " \(sum(withheld)) withheld\(ViewText.counts(withheld)), \(sum(rejected)) rejected\(ViewText.counts(rejected)),"
      + " \(losses) loss\(losses == 1 ? "" : "es")\(ViewText.counts(lost))"
  }

  private func sum<Word>(_ counts: [Word: Int]) -> Int { counts.values.reduce(0, +) }
}
