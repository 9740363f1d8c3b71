internal import Telemetry

/// Rules about where a node is, and how.
extension FleetState {
  // MARK: Fences

  /// Looks at the rules about fences when one was crossed. The newest crossing counts, in the order of the node's own
  /// numbers: one that comes late, after an outage, is news only where nothing newer is known.
  mutating func watchFences(node index: Int, at moment: Moment) {
    for (key, rule) in rules(of: index, .geofence) {
      guard case .geofence(let fence) = rule.condition, let crossing = nodes[index].crossing(of: fence.fence) else {
        continue
      }
      let name = SafeText.escaped(crossing.content.fence)
      let reason = crossing.content.event == .leave ? "it left \(name)" : "it entered \(name)"
      if crossing.content.event == fence.event {
        observe(key, .holds(after: rule.forS ?? 0), reason, at: moment)
      } else {
        observe(key, .clears(after: rule.clearForS), reason, at: moment)
      }
    }
  }

  // MARK: Positions

  /// Looks at the rules about positions when the newest one changed.
  mutating func judgeLocation(_ location: LocationMessage, node index: Int, at moment: Moment) {
    for (key, rule) in rules(of: index, .poorFix, .moved) {
      switch (rule.condition, location) {
      case (.poorFix(let poor), .fixed(let position)) where !position.isBacklog:
        judgeAccuracy(position.accuracyM, poor, key, rule, at: moment)
      case (.poorFix(let poor), .lost(let loss)) where !loss.isBacklog && loss.rejectedBy == .accuracy:
        judgeAccuracy(loss.rejectedAccuracyM, poor, key, rule, at: moment)
      case (.poorFix, .lost(let loss)) where !loss.isBacklog:
        observe(key, .between, "it has no position", at: moment)
      case (.moved(let moved), .fixed(let position)) where !position.isBacklog:
        judgePlace(position, moved, key, rule, node: index, at: moment)
      default: continue
      }
    }
  }

  private mutating func judgeAccuracy(
    _ accuracyM: Double?, _ poor: Condition.PoorFix, _ key: AlertKey, _ rule: Rule, at moment: Moment
  ) {
    guard let accuracyM else { return }
    let reason = "its position is good to \(Decimal.text(accuracyM, decimals: 0)) m"
    if accuracyM > poor.raiseM {
      observe(key, .holds(after: rule.forS ?? 0), reason, at: moment) { $0.value = accuracyM }
    } else if accuracyM <= poor.clearM {
      observe(key, .clears(after: rule.clearForS), reason, at: moment)
    } else {
      observe(key, .between, reason, at: moment)
    }
  }

  private mutating func judgePlace(
    _ position: LocationMessage.Position, _ moved: Condition.Moved, _ key: AlertKey, _ rule: Rule,
    node index: Int, at moment: Moment
  ) {
    var record = records[key] ?? AlertRecord(since: moment.wall)
    let here = RuleMemory.Parking(
      latitude: position.latitude, longitude: position.longitude, accuracyM: position.accuracyM ?? 0,
      since: moment.instant, isParked: false)
    let presence = (nodes[index].presence, nodes[index].presenceSince.instant)
    let step = record.memory.take(
      here, moved, isAway: !record.isQuiet, presentSince: presence.0 == .online ? presence.1 : moment.instant)
    put(key, record)
    switch step {
    case .none: return
    case .away(let distanceM):
      observe(
        key, .holds(after: rule.forS ?? 0), "it is \(Decimal.text(distanceM, decimals: 0)) m from where it stood",
        at: moment
      ) { $0.value = distanceM.rounded() }
    case .between: observe(key, .between, "it is near where it stood", at: moment)
    case .back: observe(key, .clears(after: rule.clearForS), "it is back where it stood", at: moment)
    case .settled:
      observe(key, .clears(after: rule.clearForS), "it has stood at another place since", at: moment)
    }
  }

  // MARK: Sides

  /// Looks at the rules about sides when another one is up, or it leans differently.
  mutating func judgeOrientation(_ orientation: OrientationMessage, node index: Int, at moment: Moment) {
    guard orientation.face != .unknown else { return }
    for (key, rule) in rules(of: index, .tipped) {
      guard case .tipped(let tipped) = rule.condition else { continue }
      if tipped.faces.isEmpty || tipped.raiseDeg != nil, records[key]?.memory.upright == nil,
        tipped.faces.isEmpty || tipped.faces.contains(orientation.face)
      {
        var record = records[key] ?? AlertRecord(since: moment.wall)
        record.memory.upright = orientation
        put(key, record)
      }
      judge(orientation, tipped, key, rule, at: moment)
    }
  }

  private mutating func judge(
    _ orientation: OrientationMessage, _ tipped: Condition.Tipped, _ key: AlertKey, _ rule: Rule, at moment: Moment
  ) {
    let upright = records[key]?.memory.upright
    let isFaceGood =
      tipped.faces.isEmpty
      ? upright.map { $0.face == orientation.face } ?? true : tipped.faces.contains(orientation.face)
    // From another side that may be up, too, nobody knows how it leans.
    let leanDeg = upright.flatMap { !isFaceGood || $0.face == orientation.face ? $0 : nil }.map {
      degrees(acos(min(1, max(-1, $0.up.dot(orientation.up)))))
    }
    guard isFaceGood else {
      return observe(
        key, .holds(after: rule.forS ?? 0), "its side \(orientation.face.rawValue) is up", at: moment
      ) { $0.value = leanDeg?.rounded() }
    }
    guard let raiseDeg = tipped.raiseDeg, let leanDeg, leanDeg > tipped.clearDeg ?? raiseDeg else {
      return observe(key, .clears(after: rule.clearForS), "it stands upright", at: moment)
    }
    let reason = "it leans by \(Decimal.text(leanDeg, decimals: 0)) degrees"
    guard leanDeg > raiseDeg else { return observe(key, .between, reason, at: moment) }
    observe(key, .holds(after: rule.forS ?? 0), reason, at: moment) { $0.value = leanDeg.rounded() }
  }
}

extension RuleMemory {
  /// What a new position means for a node that stood, or may have.
  enum Step: Equatable {
    /// It stands where it stood, or is not known to stand anywhere.
    case none
    /// It is so far from where it stood [m], at least.
    case away(Double)
    /// Neither.
    case between
    case back
    /// It has stood somewhere else for long enough.
    case settled
  }

  /// Takes a position. Where nothing came meanwhile the node stayed where it was: nodes publish when they move. But one
  /// that could not be heard may have been anywhere, and parks only with a second position there.
  /// - Parameter presentSince: since when the node can be heard without a break.
  mutating func take(_ here: Parking, _ moved: Condition.Moved, isAway: Bool, presentSince: Instant) -> Step {
    guard var home = parking else {
      parking = here
      return .none
    }
    let distanceM = home.distanceM(to: here)
    let isNear = distanceM <= moved.clearM
    if here.since - home.since >= moved.parkedS, isNear || presentSince <= home.since { home.isParked = true }
    if isNear {
      // A first position is often a bad one.
      if !isAway, here.accuracyM < home.accuracyM { home.move(to: here) }
      parking = home
      stand = nil
      return isAway ? .back : .none
    }
    guard home.isParked else {
      parking = here
      return .none
    }
    parking = home
    if let place = stand, place.distanceM(to: here) <= moved.clearM {
      guard here.since - place.since >= moved.parkedS else {
        return distanceM > moved.raiseM ? .away(distanceM) : .between
      }
      parking = place
      parking?.isParked = true
      stand = nil
      return .settled
    }
    stand = here
    return distanceM > moved.raiseM ? .away(distanceM) : .between
  }
}

extension RuleMemory.Parking {
  /// The same stay at a place that is better known.
  fileprivate mutating func move(to better: Self) {
    (latitude, longitude, accuracyM) = (better.latitude, better.longitude, better.accuracyM)
  }

  /// How far it is at least from one place to another, as well as both are known [m].
  func distanceM(to other: RuleMemory.Parking) -> Double {
    guard let here = Together.Place(latitude: latitude, longitude: longitude),
      let there = Together.Place(latitude: other.latitude, longitude: other.longitude)
    else { return 0 }
    return max(0, GlobePoint(here).distanceM(to: GlobePoint(there)) - accuracyM - other.accuracyM)
  }
}
