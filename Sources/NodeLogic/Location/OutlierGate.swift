internal import Telemetry

/// Rejects a fix at a place that no vehicle can have reached since the last good one, and believes it when enough such
/// fixes agree.
///
/// The reach in a time t from a speed v is min(maxSpeed t, v t + maxAcceleration t^2 / 2), and some accuracies on top;
/// after a long gap it is wide by itself. A rejected fix is a candidate: when `neededFixes` in a row can have reached
/// one another, over `neededS`, the node is there. The state is one fix and two numbers.
struct OutlierGate: Equatable, Sendable {
  /// Candidates in a row that must agree.
  static let neededFixes = 3
  /// From the first of them to the last [s], by receipt.
  static let neededS = 2.0
  /// So many times the accuracies of both ends are no step at all: errors beyond are rarer than moves.
  static let noiseFactor = 3.0

  /// [m/s]; 0: no limit.
  var maxSpeedMPS: Double
  /// [m/s2]; 0: no limit.
  var maxAccelerationMPS2: Double
  private(set) var candidates = 0
  private var newest: Fix?
  private var candidatesSince = Instant.start

  init(maxSpeedMPS: Double, maxAccelerationMPS2: Double) {
    self.maxSpeedMPS = maxSpeedMPS
    self.maxAccelerationMPS2 = maxAccelerationMPS2
  }

  /// What the gate makes of a fix.
  enum Answer: Equatable {
    case good
    /// A jump that is real.
    case believed
    case rejected(FixDecision.Rejection)
  }

  /// Takes new limits; candidates stay.
  mutating func limit(maxSpeedMPS: Double, maxAccelerationMPS2: Double) {
    self.maxSpeedMPS = maxSpeedMPS
    self.maxAccelerationMPS2 = maxAccelerationMPS2
  }

  /// Decides on a fix after the last good one.
  mutating func judge(_ fix: Fix, after lastGood: Fix?) -> Answer {
    guard let rejection = objection(to: fix, after: lastGood) else {
      forget()
      return .good
    }
    guard case .reportedSpeed = rejection else { return consider(fix, rejection) }
    forget()
    return .rejected(rejection)
  }

  /// What speaks against a fix; nil when nothing does. Changes nothing.
  func objection(to fix: Fix, after lastGood: Fix?) -> FixDecision.Rejection? {
    if maxSpeedMPS > 0, let speed = fix.speedMPS, speed > maxSpeedMPS {
      return .reportedSpeed(speedMPS: speed, limitMPS: maxSpeedMPS)
    }
    return lastGood.flatMap { leap(from: $0, to: fix) }
  }

  /// Begins anew with what speaks for a jump.
  mutating func forget() {
    candidates = 0
    newest = nil
  }

  private mutating func consider(_ fix: Fix, _ rejection: FixDecision.Rejection) -> Answer {
    if let newest, leap(from: newest, to: fix) == nil {
      candidates += 1
    } else {
      candidates = 1
      candidatesSince = fix.receivedAt
    }
    newest = fix
    guard candidates >= OutlierGate.neededFixes, fix.receivedAt - candidatesSince >= OutlierGate.neededS else {
      return .rejected(rejection.agreeing(candidates))
    }
    forget()
    return .believed
  }

  private func leap(from a: Fix, to b: Fix) -> FixDecision.Rejection? {
    let durationS = FixSpan.seconds(from: a, to: b)
    let bySpeed = maxSpeedMPS > 0 ? maxSpeedMPS * durationS : .infinity
    let byAcceleration = accelerated(from: a, durationS)
    let reachM = min(bySpeed, byAcceleration) + OutlierGate.noiseFactor * FixNoise.metres(a, b)
    guard reachM.isFinite else { return nil }
    let distanceM = a.coordinate.distanceM(to: b.coordinate)
    guard distanceM > reachM else { return nil }
    let leap = FixDecision.Leap(distanceM: distanceM, durationS: durationS, reachM: reachM, agreeing: 1)
    return bySpeed <= byAcceleration
      ? .speed(leap, limitMPS: maxSpeedMPS) : .acceleration(leap, limitMPS2: maxAccelerationMPS2)
  }

  /// An unknown speed may be the greatest.
  private func accelerated(from fix: Fix, _ durationS: Double) -> Double {
    guard maxAccelerationMPS2 > 0, let speed = fix.speedMPS ?? (maxSpeedMPS > 0 ? maxSpeedMPS : nil) else {
      return .infinity
    }
    return speed * durationS + maxAccelerationMPS2 * durationS * durationS / 2
  }
}

extension FixDecision.Rejection {
  fileprivate func agreeing(_ count: Int) -> FixDecision.Rejection {
    switch self {
    case .speed(var leap, let limit):
      leap.agreeing = count
      return .speed(leap, limitMPS: limit)
    case .acceleration(var leap, let limit):
      leap.agreeing = count
      return .acceleration(leap, limitMPS2: limit)
    case .accuracy, .reportedSpeed, .simulated, .repeated: return self
    }
  }
}
