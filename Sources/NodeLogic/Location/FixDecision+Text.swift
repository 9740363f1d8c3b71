internal import Telemetry

/// Reasons in words and numbers.
extension FixDecision {
  /// The reason in one line, for people.
  public var text: String {
    switch verdict {
    case .published(let cause):
      let jump = isJump ? ", elsewhere than before: rejected fixes agree" : ""
      guard let movedM, let neededM else { return "published: \(cause.rawValue)\(jump)" }
      let way = departureM.map { "\($0.metres) from where it stood" } ?? "\(movedM.metres) from the last published"
      return "published: \(cause.rawValue), \(way), \(neededM.metres) needed\(jump)"
    case .withheld(let withholding): return "withheld: \(withholding.text)"
    case .rejected(let rejection): return "rejected: \(rejection.text)"
    }
  }
}

extension FixDecision.Withholding {
  /// The reason in one line, for people.
  public var text: String {
    switch self {
    case .near(let movedM, let neededM, let remainingS):
      return "\(movedM.metres) from the last published, \(neededM.metres) needed; interval in \(remainingS.seconds)"
    case .standing(let distanceM, let allowanceM, let accuracyM):
      let accuracy = accuracyM.map { "accuracy \($0.metres)" } ?? "accuracy unknown"
      return "standing, \(distanceM.metres) from there, up to \(allowanceM.metres) is drift (\(accuracy))"
    case .unconfirmed(let distanceM, let allowanceM, let fixes):
      let count = fixes == 1 ? "1 fix" : "\(fixes) fixes"
      return "\(distanceM.metres) from where it stood, more than \(allowanceM.metres), in \(count): not sure yet"
    case .otherDevice(let followed): return "\(followed) is followed"
    }
  }
}

extension FixDecision.Rejection {
  /// The reason in one line, for people.
  public var text: String {
    switch self {
    case .accuracy(let metres, let limitM): "accuracy \(metres.metres), worse than \(limitM.metres)"
    case .reportedSpeed(let speed, let limit): "reported speed \(speed.short) m/s, above \(limit.short) m/s"
    case .speed(let leap, let limit): "\(leap.text) at \(limit.short) m/s\(leap.agreement)"
    case .acceleration(let leap, let limit): "\(leap.text) at \(limit.short) m/s2\(leap.agreement)"
    case .simulated: "from a simulator"
    case .repeated(let durationS): "the fix time has been the same for \(durationS.seconds)"
    }
  }
}

extension FixDecision.Leap {
  fileprivate var text: String {
    "\(distanceM.metres) in \(durationS.seconds), no vehicle comes farther than \(reachM.metres)"
  }

  fileprivate var agreement: String { agreeing > 1 ? "; \(agreeing) such fixes agree" : "" }
}

extension Double {
  /// One decimal below 10, none above.
  fileprivate var short: String { Decimal.text(self, decimals: magnitude < 10 ? 1 : 0) }

  fileprivate var metres: String { short + " m" }

  fileprivate var seconds: String { short + " s" }
}

extension FixDecision.Rejection {
  /// How a loss names it; nil for what a loss tells by its own reason.
  var messageReason: LocationMessage.Loss.Rejection? {
    switch self {
    case .accuracy: .accuracy
    case .reportedSpeed, .speed: .speed
    case .acceleration: .acceleration
    case .simulated, .repeated: nil
    }
  }
}
