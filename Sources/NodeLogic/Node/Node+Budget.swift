internal import Telemetry

// What a data budget changes about a node.

extension Node {
  /// Charges a message that is handed over, and stretches the windows accordingly.
  mutating func charge(_ outgoing: Outgoing, at now: Instant, _ effects: inout [NodeEffect]) {
    guard let change = budget?.charge(outgoing.telegram, at: now) else { return applyStretch() }
    applyStretch()
    effects.append(.log(change.note(limitMB: settings.budget.map { $0.limitBytes / 1e6 } ?? 0)))
  }

  /// Takes another budget, or none. What was used stays counted.
  mutating func reconfigureBudget(_ new: DataBudget.Settings?, at now: Instant) {
    guard let new else {
      budget = nil
      return applyStretch()
    }
    if budget == nil {
      budget = DataBudget(new, at: now)
      if isConnected { budget?.setConnected(true, at: now) }
    } else {
      budget?.reconfigure(new)
    }
    applyStretch()
  }

  /// What health messages say of it.
  var budgetHealth: HealthMessage.Budget? {
    budget.map {
      HealthMessage.Budget(
        limitMB: $0.settings.limitBytes / 1e6, usedMB: $0.usedBytes / 1e6, stretch: stretch)
    }
  }

  /// 1 without a budget, or without windows.
  private var stretch: Double {
    guard let budget, let windowS = settings.motion?.acceleration.windowS else { return 1 }
    return budget.stretch(upTo: WindowBuilder.longestS / windowS)
  }

  private mutating func applyStretch() {
    setStretch(stretch)
  }
}

extension DataBudget.Change {
  /// One line, for the log.
  func note(limitMB: Double) -> Note {
    let limit = "\(tenths(limitMB)) MB a month"
    return switch self {
    case .stretching:
      Note(.notice, "budget", "acceleration windows are stretched, to keep within \(limit); health.budget says how far")
    case .exceeded:
      Note(
        .warning, "budget",
        "events, health and the link alone are more than \(limit); windows are as long as they get; raise"
          + " node.budget_mb_per_month, health.interval_s or broker.keepalive_s")
    case .relaxed: Note(.notice, "budget", "acceleration windows are as configured again, within \(limit)")
    }
  }
}
