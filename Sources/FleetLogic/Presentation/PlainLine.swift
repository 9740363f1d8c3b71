public import Telemetry

/// One line a change, for those who read a log rather than a table. Always UTC, safe to show, without a line's end.
///
///     2026-11-30T04:00:00.000Z pallet-7 shake began, peak 1.82 g
public enum PlainLine {
  /// Nil for a change that is not worth a line: a message that only adds to what is known.
  public static func of(_ change: Change) -> String? {
    guard let what = what(change) else { return nil }
    return "\(change.at.wall.rfc3339) \(change.node) \(what)\(lateness(change))"
  }

  /// What became of an alert.
  public static func of(_ alert: Alert) -> String {
    let sinceS = alert.at.wall - alert.since
    // Only a crossing is told however late it comes, since it still holds.
    let age = alert.kind == .geofence && sinceS >= 10 ? ", \(Age.phrase(sinceS)) ago" : ""
    let word = alert.isRepeated ? "still firing" : alert.state.rawValue
    let times = alert.state == .resolved ? "after \(Age.text(sinceS))" : alert.severity.rawValue + age
    return "\(alert.at.wall.rfc3339) \(alert.subject) alert \(alert.rule) \(word) (\(times)): \(alert.summary)"
  }

  /// What became of the fleet tool's own link; nil before it was first tried.
  public static func of(_ link: FleetState.Link, at moment: Moment) -> String? {
    switch link {
    case .none: nil
    case .connected: "\(moment.wall.rfc3339) connected to the broker"
    case .disconnected(let reason, _):
      "\(moment.wall.rfc3339) no link to the broker: \(SafeText.escaped(reason, limit: 200))"
    }
  }

  /// What an event says, without its time and its node; safe to show.
  public static func sentence(_ body: Telegram.Body) -> String {
    switch body {
    case .shake(let shake): shakeText(shake)
    case .impact(let impact): impactText(impact)
    case .freeFall(let fall): fallText(fall)
    case .location(.fixed(let position)): fixText(position)
    case .location(.lost(let loss)): "position lost: \(loss.reason.sentence)"
    case .geofence(let geofence): geofenceText(geofence)
    case .orientation(let orientation): "face \(orientation.face.rawValue)"
    case .evicted(let evicted): evictedText(evicted)
    case .waveform(let chunk): "chunk \(chunk.chunk) of the waveform of shake \(chunk.id), \(chunk.x.count) samples"
    case .status, .acceleration, .health, .reply: body.stream.rawValue
    }
  }

  private static func fallText(_ fall: FreeFallMessage) -> String {
    "fell for \(Decimal.text(fall.durationS, decimals: 2)) s, at most \(Decimal.text(fall.dropM, decimals: 2)) m"
  }

  private static func what(_ change: Change) -> String? {
    switch change.kind {
    case .presence(let presence, _, let reason): "\(presence.rawValue): \(SafeText.escaped(reason, limit: 200))"
    case .boot(let boot, let was): was.map { "started anew: boot \(boot), before it \($0)" }
    case .armed(let isArmed): isArmed ? "armed: publishes motion again" : "disarmed: publishes no motion"
    case .shake(let shake): shakeText(shake)
    case .impact(let impact): impactText(impact)
    case .freeFall(let fall): fallText(fall)
    case .location(.fixed(let position)): fixText(position)
    case .location(.lost(let loss)): "position lost: \(loss.reason.sentence)"
    case .geofence(let geofence, let ageS, let isLatest):
      geofenceText(geofence) + lateness(ageS) + (isLatest ? "" : ", and has crossed it since")
    case .face(let face, let was): "face \(face.rawValue)" + (was.map { ", before it \($0.rawValue)" } ?? "")
    case .evicted(let evicted): evictedText(evicted)
    case .doubt(let doubt, let reason): "\(doubt.rawValue)? \(SafeText.escaped(reason, limit: 200))"
    case .message: nil
    }
  }

  /// What is no news says so: the time in front of the line is when the fleet tool learned of it.
  private static func lateness(_ change: Change) -> String {
    guard let late = change.late else { return "" }
    if case .geofence = change.kind { return "" }
    return late.ageS.flatMap { $0 < 10 ? nil : ", \(Age.phrase($0)) ago" } ?? ", some time ago"
  }

  private static func evictedText(_ evicted: EvictedMessage) -> String {
    let boot = evicted.boot.map { " of boot \($0)" } ?? ""
    let numbers = evicted.first == evicted.last ? "seq \(evicted.first)" : "seq \(evicted.first) to \(evicted.last)"
    guard evicted.reason != .damaged else {
      let bytes = evicted.bytes.map { ", \($0) bytes" } ?? ""
      return "could not read back all it had kept, \(numbers)\(boot) or less\(bytes)"
    }
    return "gave up \(evictedWhat(evicted)), \(numbers)\(boot): \(evicted.reason.sentence)"
  }

  private static func evictedWhat(_ evicted: EvictedMessage) -> String {
    guard let count = evicted.count else { return "events" }
    let only = evicted.counts.count == 1 ? evicted.counts.keys.first : nil
    let noun =
      switch only {
      case .location: "location"
      case .orientation: "orientation"
      case .impact: "impact"
      case .freeFall: "fall"
      case .waveform: "chunk"
      default: "event"
      }
    return "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func shakeText(_ shake: ShakeMessage) -> String {
    let reason = shake.reason.map { " (\($0.rawValue))" } ?? ""
    let length = shake.phase == .began ? "" : " after \(Decimal.text(shake.durationS, decimals: 1)) s"
    return "shake \(shake.phase.rawValue)\(reason)\(length), peak \(Decimal.text(shake.peakG, decimals: 2)) g"
  }

  private static func impactText(_ impact: ImpactMessage) -> String {
    let peak = (impact.isClipped ? "at least " : "") + Decimal.text(impact.peakG, decimals: 1)
    let fall = impact.fallS.map { ", after falling for \(Decimal.text($0, decimals: 2)) s" } ?? ""
    return "impact, peak \(peak) g for \(Decimal.text(impact.durationS * 1000, decimals: 1)) ms,"
      + " \(Decimal.text(impact.velocityChangeMPS, decimals: 2)) m/s\(fall)"
  }

  private static func geofenceText(_ geofence: GeofenceMessage) -> String {
    let fence = SafeText.quoted(geofence.fence)
    let missed = geofence.isFirst ? ", crossed unseen" : ""
    switch geofence.event {
    case .enter: return "came into \(fence)\(missed)"
    case .leave: return "left \(fence)\(geofence.insideS.map { " after \(Age.text($0))" } ?? "")\(missed)"
    }
  }

  /// What is not from just now says so: the time in front of the line is when the fleet tool learned of it.
  private static func lateness(_ ageS: Double?) -> String {
    guard let ageS else { return ", some time ago" }
    return ageS < 10 ? "" : ", \(Age.phrase(ageS)) ago"
  }

  private static func fixText(_ position: LocationMessage.Position) -> String {
    let accuracy = position.accuracyM.map { " +-\(Decimal.text($0, decimals: 0)) m" } ?? ""
    let place = "\(Decimal.text(position.latitude, decimals: 5)),\(Decimal.text(position.longitude, decimals: 5))"
    return "position \(place)\(accuracy), \(position.dimensions)D, \(Age.text(position.ageS)) old"
  }
}

extension EvictedMessage.Reason {
  /// For people.
  fileprivate var sentence: String {
    switch self {
    case .cap: "no room"
    case .age: "too old"
    case .damaged: "damaged on the disk"
    case .refused: "the broker refused them for good"
    case .unsaved: "the disk took nothing, and memory was full"
    }
  }
}
