/// The life of one alert, of one rule and one node: quiet, pending, firing, clearing, quiet again.
///
/// It knows nothing of nodes. It is told whether the condition holds, and how its clock reads; the durations of raising
/// and clearing keep it from flapping.
struct AlertLife: Equatable, Sendable {
  enum Phase: Equatable, Sendable {
    case quiet
    /// The condition holds, and the alert fires when the clock reads `due`.
    case pending(due: Double)
    /// The condition holds. It lapses by itself at `lapses`, where it is one that can be forgotten.
    case firing(lapses: Double?)
    /// The condition is over, and the alert resolves when the clock reads `due`.
    case clearing(due: Double)
  }

  enum Transition: Equatable {
    case becamePending
    /// The condition was over before the alert fired.
    case dropped
    case fired
    /// The condition came back while the alert was clearing.
    case heldAgain
    case resolved
  }

  /// Whether a deadline is reached. Sums of seconds are rounded, so that a timer set for it may read a little less.
  static func isDue(_ due: Double, _ reading: Double) -> Bool { reading + 1e-6 >= due }

  private(set) var phase = Phase.quiet
  /// While pending: the condition is over by itself when the clock reads this; nil: it is not.
  private(set) var pendingLapses: Double?
  /// How often the condition was seen since the alert began.
  var count = 0

  /// The condition is over, not for long enough yet.
  var isClearing: Bool { if case .clearing = phase { true } else { false } }

  /// Whether people have been told and not yet told otherwise.
  var isFiring: Bool {
    switch phase {
    case .quiet, .pending: false
    case .firing, .clearing: true
    }
  }

  /// When something happens without anything being heard; nil when nothing will.
  var deadline: Double? {
    switch phase {
    case .quiet: nil
    case .pending(let due): min(due, pendingLapses ?? due)
    case .clearing(let due): due
    case .firing(let lapses): lapses
    }
  }

  /// The condition holds.
  /// - Parameters:
  ///   - after: how long it must hold from now on before the alert fires [s].
  ///   - lapsesAfter: how long it is believed to hold when nothing more is heard of it [s].
  mutating func holds(after: Double, lapsesAfter: Double? = nil, at reading: Double) -> Transition? {
    let lapses = lapsesAfter.map { reading + $0 }
    defer { if case .pending = phase { pendingLapses = lapses } else { pendingLapses = nil } }
    switch phase {
    case .quiet:
      count = 1
      phase = after > 0 ? .pending(due: reading + after) : .firing(lapses: lapses)
      return after > 0 ? .becamePending : .fired
    case .pending(let due):
      let due = min(due, reading + after)
      phase = Self.isDue(due, reading) ? .firing(lapses: lapses) : .pending(due: due)
      return Self.isDue(due, reading) ? .fired : nil
    case .firing:
      phase = .firing(lapses: lapses)
      return nil
    case .clearing:
      phase = .firing(lapses: lapses)
      return .heldAgain
    }
  }

  /// The condition is over.
  /// - Parameter after: how long it must be over from now on before the alert resolves [s].
  mutating func clears(after: Double, at reading: Double) -> Transition? {
    switch phase {
    case .quiet:
      return nil
    case .pending:
      phase = .quiet
      pendingLapses = nil
      return .dropped
    case .firing:
      phase = after > 0 ? .clearing(due: reading + after) : .quiet
      return after > 0 ? nil : .resolved
    case .clearing(let due):
      guard Self.isDue(due, reading) else { return nil }
      phase = .quiet
      return .resolved
    }
  }

  /// The condition neither holds nor is over.
  mutating func wavers(at reading: Double) -> Transition? {
    switch phase {
    case .quiet, .firing: return nil
    case .pending: return clears(after: 0, at: reading)
    case .clearing: return holds(after: 0, at: reading)
    }
  }

  /// Nothing was heard, and time passes.
  /// - Parameter clearAfter: as in `clears`, for a condition that lapses.
  mutating func passes(clearAfter: Double, at reading: Double) -> Transition? {
    guard let deadline, Self.isDue(deadline, reading) else { return nil }
    switch phase {
    case .quiet:
      return nil
    case .pending(let due):
      guard Self.isDue(due, reading) else { return clears(after: 0, at: reading) }
      phase = .firing(lapses: pendingLapses)
      pendingLapses = nil
      return .fired
    case .firing, .clearing:
      return clears(after: clearAfter, at: reading)
    }
  }

  /// A pending alert fires at `reading` at the earliest.
  mutating func postpone(to reading: Double) {
    guard case .pending(let due) = phase else { return }
    phase = .pending(due: max(due, reading))
  }

  /// Goes on where an earlier run of the fleet tool ended.
  mutating func restore(_ phase: Phase, count: Int, pendingLapses: Double? = nil) {
    self.count = max(1, count)
    self.phase = phase
    self.pendingLapses = pendingLapses
  }

  /// Takes over an alert that fired before the fleet tool was started.
  mutating func adopt(count: Int) {
    self.count = max(1, count)
    phase = .firing(lapses: nil)
  }
}
