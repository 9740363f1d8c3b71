internal import Telemetry

/// The words of a view of positions, one function for each of its rows.
enum FixText {
  /// Why the accelerometer takes no part, and what that means.
  static func withoutSensor(_ reason: String) -> String {
    "\(SafeText.escaped(reason, limit: 200)); drift is judged by speed and accuracy alone"
  }

  static func link(_ state: FixState, at now: Instant) -> String {
    let since = ViewText.duration(max(0, now - state.linkSince))
    switch state.link {
    case .connecting: return "\(state.endpoint), connecting for \(since)"
    case .up(let release):
      return "\(state.endpoint), release \(SafeText.escaped(release ?? "unknown")), answers for \(since)"
    case .down(let reason): return "\(state.endpoint), \(SafeText.escaped(reason, limit: 200)), for \(since)"
    }
  }

  static func receivers(_ state: FixState) -> String? {
    guard case .up = state.link else { return nil }
    let heard = state.glance?.devices ?? []
    let pinned = state.node.settings.location?.device
    var texts = state.devices.map { device in
      var text = FixEntry.name(device)
      guard let glance = heard.first(where: { $0.path == device.path }) else { return text }
      text += glance.dimensions > 0 ? ", \(glance.dimensions)D" : ", no fix"
      if let accuracyM = glance.accuracyM { text += " ± \(ViewText.distance(accuracyM))" }
      return text + (glance.isFollowed ? ", followed" : "")
    }
    if let pinned, !state.devices.contains(where: { $0.path == pinned }) {
      texts.append("\(SafeText.escaped(pinned)) is asked for and not there")
    }
    return texts.isEmpty ? "gpsd has none" : texts.joined(separator: "; ")
  }

  static func satellites(_ state: FixState) -> String? {
    guard let sky = state.sky(of: state.report?.position.device) else { return nil }
    switch (sky.used, sky.seen) {
    case (nil, nil): return nil
    case (let used?, nil): return "\(used) used"
    case (let used, let seen?): return "\(used ?? 0) used of \(seen) heard"
    }
  }

  // MARK: The report

  static func report(_ state: FixState, at now: Instant) -> String {
    guard let (report, at) = state.report else { return "none yet" }
    let age = "\(ViewText.duration(max(0, now - at))) ago"
    let status = report.status.map { ", status \($0)\(statusWord($0))" } ?? ""
    guard let coordinate = report.coordinate else { return "no fix: mode \(report.mode)\(status), \(age)" }
    return "mode \(report.mode)\(status), \(ViewText.place(coordinate)), \(age)"
  }

  private static func statusWord(_ code: Int) -> String {
    var report = GpsdPosition(mode: 2)
    report.status = code
    report.latitude = 0
    report.longitude = 0
    if report.isSimulated { return " (simulated)" }
    return Fix(report, at: .start)?.status.map { " (\($0.rawValue))" } ?? ""
  }

  static func errors(_ state: FixState) -> String? {
    guard let report = state.report?.position, report.coordinate != nil else { return nil }
    let known = [("eph", report.ephM), ("epx", report.epxM), ("epy", report.epyM), ("epv", report.epvM)]
    let texts = known.compactMap { name, value in value.map { "\(name) \(ViewText.distance($0))" } }
    return texts.isEmpty ? "none given" : texts.joined(separator: ", ")
  }

  static func motion(_ state: FixState) -> String? {
    guard let report = state.report?.position, report.coordinate != nil else { return nil }
    var texts = [
      ("altMSL", report.altitudeMSLM), ("altHAE", report.altitudeHAEM), ("alt", report.altitudeUntaggedM),
    ].compactMap { name, value in value.map { "\(name) \(ViewText.distance($0))" } }
    if let speed = report.speedMPS { texts.append("speed \(Decimal.text(speed, decimals: 2)) m/s") }
    if let course = report.courseDeg { texts.append("track \(Decimal.text(course, decimals: 1)) deg") }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  static func time(_ state: FixState) -> String? {
    guard let (report, at) = state.report else { return nil }
    guard let time = report.time else { return report.coordinate == nil ? nil : "none given" }
    return "\(time.rfc3339), \(FixTimeCheck(time, host: state.hostClock, received: at).text)"
  }

  // MARK: The decision

  static func decision(_ state: FixState, at now: Instant) -> String {
    guard let (decision, at) = state.decision else { return "no fix yet" }
    return "\(decision.text) (\(ViewText.duration(max(0, now - at))) ago)"
  }

  /// How far and how long until the next message.
  static func next(_ state: FixState, at now: Instant) -> String? {
    guard let glance = state.glance, let settings = state.node.settings.location else { return nil }
    switch glance.state {
    case .acquiring: return "the first good fix"
    case .lost: return glance.published == nil ? "the first good fix" : "regained, with the next good fix"
    case .fixed: break
    }
    guard let publishedAt = glance.publishedAt else { return "the first good fix" }
    let remainingS = max(0, publishedAt + settings.intervalS - now)
    return "\(distance(glance)); interval in \(ViewText.duration(remainingS))"
  }

  private static func distance(_ glance: LocationTracker.Glance) -> String {
    if glance.neededM <= 0 { return "every fix" }
    let (moved, needed) = (ViewText.distance(glance.movedM ?? 0), ViewText.distance(glance.neededM))
    if glance.movement == .standing { return "distance when it sets off (\(moved) of \(needed))" }
    return "distance in \(ViewText.distance(max(0, glance.neededM - (glance.movedM ?? 0)))) (\(moved) of \(needed))"
  }

  static func movement(_ state: FixState, at now: Instant) -> String? {
    guard let glance = state.glance, glance.lastGood != nil else { return nil }
    let since = glance.movementSince.map { " for \(ViewText.duration(max(0, now - $0)))" } ?? ""
    var text = glance.movement == .unknown ? "not known yet\(since)" : "\(glance.movement.rawValue)\(since)"
    if let anchor = glance.anchor, let distanceM = glance.anchorDistanceM {
      text += ", \(ViewText.distance(distanceM)) from \(ViewText.place(anchor))"
      if let allowanceM = glance.allowanceM { text += ", up to \(ViewText.distance(allowanceM)) is drift" }
    }
    return text
  }

  static func sensor(_ state: FixState, at now: Instant) -> String {
    switch state.sensor {
    case .looking: return "looking for it"
    case .missing(let reason): return withoutSensor(reason)
    case .running(let name):
      let name = SafeText.escaped(name, limit: 40)
      switch state.glance?.stillness {
      case .still(let since): return "\(name), still for \(ViewText.duration(max(0, now - since)))"
      case .moving: return "\(name), moves"
      case .unknown, nil: return "\(name), does not say yet"
      }
    }
  }

  static func way(_ state: FixState) -> String? {
    guard let odometer = state.glance?.odometer, state.glance?.lastGood != nil else { return nil }
    return "odometer \(ViewText.distance(odometer.totalM)), trip \(ViewText.distance(odometer.tripM))"
  }

  /// Rejected fixes that may turn out to be right.
  static func jump(_ state: FixState) -> String? {
    guard let glance = state.glance, glance.candidates > 0 else { return nil }
    let fixes = glance.candidates == 1 ? "1 rejected fix" : "\(glance.candidates) rejected fixes that agree"
    return "\(fixes), \(OutlierGate.neededFixes) over \(ViewText.duration(OutlierGate.neededS)) are believed"
  }

  // MARK: What became of it

  static func published(_ state: FixState, at now: Instant) -> String {
    guard let (position, at) = state.published else { return "nothing yet" }
    let accuracy = position.accuracyM.map { " ± \(ViewText.distance($0))" } ?? ""
    return "\(position.cause.rawValue), \(ViewText.duration(max(0, now - at))) ago:"
      + " \(ViewText.place(position.latitude, position.longitude))\(accuracy)"
  }

  static func position(_ state: FixState, at now: Instant) -> String? {
    guard let glance = state.glance else { return nil }
    let outlook = state.node.location?.lossOutlook(at: now)
    let last = glance.lastGood.map { "last good fix \(ViewText.duration(max(0, now - $0.receivedAt))) ago" }
    switch glance.state {
    case .lost(let reason):
      let since = state.loss.map { " for \(ViewText.duration(max(0, now - $0.at)))" } ?? ""
      let other = outlook.map { "; \($0.reason.rawValue) instead \(due($0, at: now))" } ?? ""
      return "lost\(since): \(reason.rawValue), \(last ?? "no good fix yet")\(other)"
    case .acquiring, .fixed:
      let loss = outlook.map { "; lost \(due($0, at: now)), \($0.reason.rawValue)" } ?? ""
      return (last.map { "there, \($0)" } ?? "no good fix yet") + loss
    }
  }

  private static func due(_ outlook: LossOutlook, at now: Instant) -> String {
    "in \(ViewText.duration(max(0, outlook.due - now)))"
  }

  /// One for each fence: inside or outside, and how far the last good fix is from the edge.
  static func fences(_ state: FixState) -> [String] {
    guard let watch = state.node.location?.fences else { return [] }
    return watch.fences.map { fence in
      let side = watch.isInside(fence.name).map { $0 ? "inside" : "outside" } ?? "not known yet"
      let edgeM = state.glance?.lastGood.map { fence.edgeDistanceM(from: $0.coordinate) }
      let edge = edgeM.map { ", edge \(ViewText.distance($0.magnitude)) away\($0 < 0 ? " from within" : "")" } ?? ""
      return "\(SafeText.escaped(fence.name)): \(side)\(edge)"
    }
  }

  /// What was odd about gpsd's lines.
  static func lines(_ state: FixState) -> String? {
    guard let counters = state.node.location?.counters else { return nil }
    let bad = counters.unreadable.values.reduce(0, +)
    return "\(bad) bad, \(counters.repeated) repeated, \(counters.backwards) backwards"
  }
}
