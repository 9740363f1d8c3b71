internal import Telemetry

/// Rules about how a node is connected, and how much it sends.
extension FleetState {
  // MARK: Connection

  /// Looks at the rules about connections when one broke.
  mutating func judgeLoss(node index: Int, at moment: Moment) {
    for (key, rule) in rules(of: index, .flapping) {
      guard case .flapping(let flapping) = rule.condition else { continue }
      var record = records[key] ?? AlertRecord(since: moment.wall)
      let count = record.memory.strike(
        RuleMemory.Strike(at: moment.instant), withinS: flapping.withinS, limit: max(100, flapping.count))
      put(key, record)
      guard count >= flapping.count || !record.isQuiet else { continue }
      // Until so many have left the window that no more than `clearCount` are in it.
      let last = record.memory.strikes[max(0, count - 1 - flapping.clearCount)].at
      observe(
        key, .strikes(after: rule.forS ?? 0, lapsesAfter: max(0, last - moment.instant + flapping.withinS)),
        "its connection broke \(count) times within \(Age.phrase(flapping.withinS))", at: moment
      ) { record in
        record.life.count = count
        record.value = Double(count)
      }
    }
  }

  // MARK: Names

  /// Looks at the rules about names when another device seems to use one.
  mutating func judgeClone(_ reason: String, node index: Int, at moment: Moment) {
    let signs = Double(nodes[index].interleavings)
    for (key, rule) in rules(of: index, .clone) {
      guard case .clone(let clone) = rule.condition else { continue }
      observe(key, .strikes(after: rule.forS ?? 0, lapsesAfter: clone.quietS), reason, at: moment) {
        $0.value = signs
      }
    }
  }

  // MARK: Rates

  /// Counts a live message, and looks at the rules about rates at the end of each window.
  mutating func countTraffic(node index: Int, at moment: Moment) {
    for (key, rule) in rules(of: index, .rate) {
      guard case .rate(let rate) = rule.condition else { continue }
      var traffic = nodes[index].traffic[key.rule] ?? Traffic()
      let measured = traffic.note(at: moment.instant, windowS: rate.windowS)
      nodes[index].traffic[key.rule] = traffic
      guard let perMin = measured else { continue }
      let isActive = records[key].map { !$0.isQuiet } ?? false
      let verdict = rate.judge(perMin, usual: traffic.usualPerMin)
      switch verdict {
      case .odd(let reason):
        observe(key, .holds(after: rule.forS ?? 0), reason, at: moment) { $0.value = (perMin * 10).rounded() / 10 }
      case .usual(let reason): observe(key, .clears(after: rule.clearForS), reason, at: moment)
      case .neither: observe(key, .between, "it sends almost what it should", at: moment)
      }
      // What is odd says nothing of what is usual.
      if !isActive, case .odd = verdict { continue }
      if !isActive { nodes[index].traffic[key.rule]?.learn(perMin, windowS: rate.windowS) }
    }
  }
}

extension Node {
  /// It could not be heard, so that nobody knows what it sent.
  mutating func interruptTraffic() { for rule in traffic.keys { traffic[rule]?.interrupt() } }
}

/// How much a node sends, and usually does.
struct Traffic: Equatable, Sendable {
  /// So many windows make a usual rate.
  static let leastWindows = 12

  /// When the window began; nil: it begins with the next message.
  private var start: Instant?
  private var count = 0
  private var windows = 0
  private var meanPerMin = 0.0

  /// The node could not be heard: a window that was open says nothing.
  mutating func interrupt() {
    start = nil
    count = 0
  }

  /// Counts a message. Answers the rate over the window that it ends [1/min]; nil: it ends none.
  mutating func note(at now: Instant, windowS: Double) -> Double? {
    let passedS = now - (start ?? now)
    guard start != nil, passedS >= windowS else {
      start = start ?? now
      count += 1
      return nil
    }
    let perMin = Double(count) / passedS * 60
    start = now
    count = 1
    return perMin
  }

  /// Takes a rate for usual: the mean of the first, then of about a day.
  mutating func learn(_ perMin: Double, windowS: Double) {
    windows = min(windows + 1, 1_000_000)
    meanPerMin += (perMin - meanPerMin) * max(1 / Double(windows), min(1, windowS / 86_400))
  }

  /// What the node usually sends [1/min]; nil while that is not known.
  var usualPerMin: Double? { windows >= Self.leastWindows ? meanPerMin : nil }
}

extension Condition.Rate {
  /// What a rate is.
  enum Verdict: Equatable {
    case odd(String)
    case usual(String)
    /// Between the thresholds.
    case neither
  }

  /// Below this nothing is odd by its factor [1/min]: a message more or less is no anomaly.
  static let leastPerMin = 1.0

  func judge(_ perMin: Double, usual: Double?) -> Verdict {
    let text = "it sends \(Decimal.text(perMin, decimals: 1)) messages a minute"
    if let raisePerMin, perMin > raisePerMin { return .odd(text) }
    if let factor, let usual {
      let least = Self.leastPerMin
      let by = "\(text), usually \(Decimal.text(usual, decimals: 1))"
      if perMin > factor * max(usual, least) || max(perMin, least) * factor < usual { return .odd(by) }
      let half = factor / 2
      guard perMin <= half * max(usual, least), max(perMin, least) * half >= usual else { return .neither }
    }
    if let limit = clearPerMin ?? raisePerMin, perMin > limit { return .neither }
    return .usual(text)
  }
}
