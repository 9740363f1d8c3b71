internal import Telemetry

/// Rules about the node itself: its sensor, its clock, what it has to deliver.
extension FleetState {
  // MARK: Health

  /// Looks at the rules about a node's own condition when it told of that.
  /// - Parameter before: what the same run said last; nil: nothing yet.
  mutating func judgeHealth(_ health: HealthMessage, before: HealthMessage?, node index: Int, at moment: Moment) {
    for (key, rule) in rules(of: index, .sensorFault, .spool) {
      switch rule.condition {
      case .sensorFault(let fault):
        guard let sensor = health.accelerometer else { continue }
        apply(sensor.trouble(fault, before: before?.accelerometer), key, rule, at: moment)
      case .spool(let spool):
        apply(health.spool.trouble(spool, before: before?.spool, isFiring: isFiring(key)), key, rule, at: moment)
      default: continue
      }
    }
  }

  private mutating func apply(_ trouble: DeviceTrouble?, _ key: AlertKey, _ rule: Rule, at moment: Moment) {
    guard let trouble else {
      return observe(key, .clears(after: rule.clearForS), "nothing is wrong with it", at: moment)
    }
    // What lasts may be over in a moment; what happened has happened.
    observe(key, .holds(after: trouble.lasts ? rule.forS ?? 0 : 0), trouble.reason, at: moment) {
      $0.value = trouble.value
    }
  }

  // MARK: Clock

  /// Looks at the rules about clocks when something came that cannot be late.
  mutating func judgeClock(_ telegram: Telegram, node index: Int, at moment: Moment) {
    guard nodes[index].rules.contains(where: { configuration.rules[$0].kind == .clockWrong }) else { return }
    for (key, rule) in rules(of: index, .clockWrong) {
      guard case .clockWrong(let wrong) = rule.condition else { continue }
      guard let time = telegram.envelope.time, let quality = telegram.envelope.clock, quality != .none else {
        observe(key, .holds(after: rule.forS ?? 0), "nothing vouches for its clock", at: moment) { $0.value = nil }
        continue
      }
      guard clock.quality != .none else { continue }
      let offS = time - moment.wall
      let reason = "its clock is \(Age.phrase(abs(offS))) \(offS < 0 ? "behind" : "ahead")"
      if abs(offS) > wrong.raiseS {
        observe(key, .holds(after: rule.forS ?? 0), reason, at: moment) { $0.value = offS.rounded() }
      } else if abs(offS) <= wrong.clearS {
        observe(key, .clears(after: rule.clearForS), "its clock is right", at: moment)
      } else {
        observe(key, .between, reason, at: moment)
      }
    }
  }
}

/// What is wrong with a device.
struct DeviceTrouble: Equatable {
  /// A sentence.
  var reason: String
  /// A number that goes with it; nil: none.
  var value: Double?
  /// It is a state; false: it happened since the node told of its health last.
  var lasts: Bool
}

extension HealthMessage.Accelerometer {
  /// The worst of what counts; nil: nothing.
  func trouble(_ fault: Condition.SensorFault, before: Self?) -> DeviceTrouble? {
    typealias Fault = Condition.SensorFault.Fault
    func rose(_ fault: KeyPath<Faults, Int>) -> Bool {
      (faults?[keyPath: fault] ?? 0) > (before?.faults?[keyPath: fault] ?? 0)
    }
    let detail = error.map { ": \(SafeText.escaped($0, limit: 200))" } ?? ""
    let found: [(Fault, Bool, String, lasts: Bool)] = [
      (.frozen, rose(\.frozen), "the values of its accelerometer stood still", false),
      (.clipped, rose(\.outOfRange), "its accelerometer read more than it can measure", false),
      (.failed, state == .failed, "its accelerometer cannot be read\(detail)", true),
      (.stalled, state == .stalled, "its accelerometer sends nothing\(detail)", true),
      (
        .polling, polling != nil, "its accelerometer is polled: \(SafeText.escaped(polling ?? "", limit: 200))", true
      ),
    ]
    return found.first { fault.faults.contains($0.0) && $0.1 }.map {
      DeviceTrouble(reason: $0.2, value: nil, lasts: $0.lasts)
    }
  }
}

extension HealthMessage.Spool {
  /// The worst of what counts; nil: nothing.
  /// - Parameter isFiring: an alert of it fires, which ends below the lower threshold only.
  func trouble(_ spool: Condition.Spool, before: Self?, isFiring: Bool) -> DeviceTrouble? {
    typealias Trouble = Condition.Spool.Trouble
    let lost = evicted - (before?.evicted ?? 0)
    let broken = (damaged ?? 0) - (before?.damaged ?? 0)
    let aside = (setAside ?? 0) - (before?.setAside ?? 0)
    let waitsS = oldestS ?? 0
    let found: [(Trouble, Bool, String, value: Double?, lasts: Bool)] = [
      (.evicted, lost > 0, "it gave up \(lost) event\(lost == 1 ? "" : "s")", Double(lost), false),
      (.damaged, broken > 0, "it could not read back what it had kept", Double(broken), false),
      (.refused, aside > 0, "the broker refuses its events", Double(aside), false),
      (
        .degraded, trouble != nil,
        "its events are not kept on its disk: \(SafeText.escaped(trouble ?? "", limit: 200))",
        nil, true
      ),
      (
        .backlog, waitsS > (isFiring ? spool.clearS : spool.raiseS),
        "\(events) events wait, the oldest for \(Age.phrase(waitsS))", waitsS.rounded(), true
      ),
    ]
    return found.first { spool.troubles.contains($0.0) && $0.1 }.map {
      DeviceTrouble(reason: $0.2, value: $0.value, lasts: $0.lasts)
    }
  }
}
