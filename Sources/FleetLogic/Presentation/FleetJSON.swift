public import Telemetry

/// The fleet as JSON, one object a line. Units are in the keys, times are epoch seconds, what is unknown is absent.
/// `kind` says which of these an object is:
///
/// - `message`: a message that was taken. `t` receipt, `node`, `stream`, `receipt` (`newest`, `late`, `former_boot`),
///   `retained`, `late` why it was no news when it came (`age`, `backlog`, `former_boot`), `age_s` how old it was then
///   at least, `measured_t` when it was measured, by the best clock that this run of the node is known to have had,
///   `message` the node's own payload, in the form of docs/MESSAGES.md.
/// - `node`: the state of a node, each time something about it changed. `t`, `node`, `change` (`presence`, `boot`,
///   `location`, `geofence`, `face`, `shake`, `impact`, `freefall`, `armed`, `evicted`, `doubt`), `why` for people,
///   `late` and `age_s` as above, `state`, `state_t`
///   since when, `boot`, `boots`, `seq`, `agent`, `seen_s` since it was last heard, `fix` (`dimensions` 0, 2 or 3,
///   `reason` of a loss, `lat`, `lon`, `acc_m` and `age_s` of the last position, also while it is lost; without `lat`
///   there never was one, and `age_s` is how long the node has said so), `face`, `peak_g`, `shake` (`id`, `phase`,
///   `peak_g`, `age_s`), `counts` by stream, `link` (`wills`, `flaps`, `duplicates`, `late`, `stale`, `missing`,
///   `interleavings`, `conflicts`, `replays`), `evicted` events that it gave up, by reason.
/// - `alert`: an alert fired, resolved, comes and goes, or fires still. `t`, `id` the same in every line about one
///   alert, `rule`, `rule_kind`, `severity`, `node` (absent where it is about several), `site`, `group` and `title` by
///   the configuration, `state`, `previous`, `since_t`, `count`, `value`, `summary`, `reason`, `repeated`, `muted` why
///   nobody is told of it, `acknowledged_by`.
/// - `link`: the fleet tool's own link. `t`, `state` `connected` or `disconnected`, `reason`.
public enum FleetJSON {
  /// An alert, without a line's end.
  public static func alert(_ alert: Alert) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.string("kind", "alert")
      json.number("t", alert.at.wall.seconds, decimals: 3)
      json.string("id", alert.id)
      json.string("rule", alert.rule)
      json.string("rule_kind", alert.kind.rawValue)
      json.string("severity", alert.severity.rawValue)
      json.string("node", alert.subject.node?.description)
      json.string("site", alert.label?.site ?? alert.subject.site)
      json.string("group", alert.label?.group)
      json.string("title", alert.label?.title)
      json.string("state", alert.state.rawValue)
      json.string("previous", alert.previous?.rawValue)
      json.number("since_t", alert.since.seconds, decimals: 3)
      json.integer("count", alert.count)
      json.number("value", alert.value, decimals: 6)
      json.string("summary", alert.summary)
      json.string("reason", alert.reason.isEmpty ? nil : alert.reason)
      if alert.isRepeated { json.boolean("repeated", true) }
      json.string("muted", alert.mute?.cause.rawValue)
      json.string("acknowledged_by", alert.acknowledgement?.author)
    }
    return json.bytes
  }

  /// The fleet tool's own link; nil before it was first tried.
  public static func link(_ link: FleetState.Link, at moment: Moment) -> [UInt8]? {
    let state: String
    var cause: String?
    switch link {
    case .none: return nil
    case .connected: state = "connected"
    case .disconnected(let reason, _):
      state = "disconnected"
      cause = reason
    }
    var json = JSONWriter()
    json.object { json in
      json.string("kind", "link")
      json.number("t", moment.wall.seconds, decimals: 3)
      json.string("state", state)
      json.string("reason", cause)
    }
    return json.bytes
  }

  /// A change: a message that was taken, or the state of the node that it left behind.
  /// - Parameter node: the node as it is after the change.
  public static func change(_ change: Change, _ node: Node, _ clock: ClockState) -> [UInt8] {
    if case .message(let telegram, let receipt, let retained) = change.kind {
      return message(change, telegram, receipt, retained: retained)
    }
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      json.string("kind", "node")
      json.number("t", change.at.wall.seconds, decimals: 3)
      json.string("node", change.node.description)
      json.string("change", word(change.kind))
      json.string("why", why(change.kind))
      lateness(change, &json)
      state(node, at: change.at.instant, clock, &json)
    }
    return json.bytes
  }

  /// A node at one moment: as a change's, without `change`, in an object that `more` may add to.
  public static func node(
    _ node: Node, at now: Moment, _ clock: ClockState, _ more: (inout JSONWriter) -> Void = { _ in }
  ) -> [UInt8] {
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      json.string("kind", "node")
      json.number("t", now.wall.seconds, decimals: 3)
      json.string("node", node.name.description)
      json.string("title", node.label?.title)
      json.string("site", node.label?.site)
      json.string("group", node.label?.group)
      state(node, at: now.instant, clock, &json)
      more(&json)
    }
    return json.bytes
  }

  /// An event out of the history: `kind` `event`, `t` receipt, `measured_t`, `node`, `stream`, `boot`, `seq`, `clk`,
  /// `is_late`, `message` its payload as this version reads it; absent where it cannot.
  public static func event(_ event: KeptEvent) -> [UInt8] {
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      json.string("kind", "event")
      json.number("t", event.received.seconds, decimals: 3)
      json.number("measured_t", event.measured?.seconds, decimals: 3)
      json.string("node", event.node.description)
      json.string("stream", event.stream.rawValue)
      json.string("boot", event.boot.description)
      json.integer("seq", event.sequence)
      json.string("clk", event.clock?.rawValue)
      json.boolean("is_late", event.isLate)
      if let telegram = event.telegram { json.json("message", telegram.encode()) }
    }
    return json.bytes
  }

  private static func message(_ change: Change, _ telegram: Telegram, _ receipt: Receipt, retained: Bool) -> [UInt8] {
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      json.string("kind", "message")
      json.number("t", change.at.wall.seconds, decimals: 3)
      json.string("node", change.node.description)
      json.string("stream", telegram.body.stream.rawValue)
      json.string("receipt", receipt.rawValue)
      json.boolean("retained", retained)
      lateness(change, &json)
      json.number("measured_t", change.measured?.seconds, decimals: 3)
      json.json("message", telegram.encode())
    }
    return json.bytes
  }

  private static func lateness(_ change: Change, _ json: inout JSONWriter) {
    json.string("late", change.late?.cause.rawValue)
    json.number("age_s", change.late?.ageS, decimals: 1)
  }

  private static func why(_ kind: Change.Kind) -> String? {
    switch kind {
    case .presence(_, _, let reason), .doubt(_, let reason): reason
    default: nil
    }
  }

  private static func word(_ kind: Change.Kind) -> String {
    switch kind {
    case .presence: "presence"
    case .boot: "boot"
    case .armed: "armed"
    case .shake: "shake"
    case .impact: "impact"
    case .freeFall: "freefall"
    case .location: "location"
    case .geofence: "geofence"
    case .face: "face"
    case .evicted: "evicted"
    case .doubt: "doubt"
    case .message: "message"
    }
  }

  // MARK: A node

  private static func state(_ node: Node, at now: Instant, _ clock: ClockState, _ json: inout JSONWriter) {
    json.string("state", node.presence.rawValue)
    json.number("state_t", node.presenceSince.wall.seconds, decimals: 3)
    json.string("boot", node.boot?.description)
    json.integer("boots", node.bootsSeen)
    json.integer("seq", node.lastSequence)
    json.string("agent", node.agent)
    json.number("seen_s", node.age(at: now, clock), decimals: 1)
    fix(node, at: now, clock, &json)
    json.string("face", node.orientation?.content.face.rawValue)
    json.number("peak_g", node.acceleration?.content.peakG, decimals: 4)
    if let shake = node.shake {
      json.object("shake") { json in
        json.integer("id", shake.content.id)
        json.string("phase", shake.content.phase.rawValue)
        json.number("peak_g", shake.content.peakG, decimals: 4)
        json.number("age_s", shake.stamp.age(at: now, clock), decimals: 1)
      }
    }
    if !node.evicted.isEmpty || node.damages > 0 {
      json.object("evicted") { json in
        json.integer("cap", node.evicted[.cap])
        json.integer("age", node.evicted[.age])
        json.integer("refused", node.evicted[.refused])
        json.integer("unsaved", node.evicted[.unsaved])
        json.integer("damaged", node.evicted[.damaged])
        json.integer("damages", node.damages)
      }
    }
    json.object("counts") { json in
      json.integer("status", node.counts[.status])
      json.integer("acceleration", node.counts[.acceleration])
      json.integer("shake", node.counts[.shake])
      json.integer("orientation", node.counts[.orientation])
      json.integer("location", node.counts[.location])
      json.integer("geofence", node.counts[.geofence])
      json.integer("health", node.counts[.health])
    }
    json.object("link") { json in
      json.integer("wills", node.wills)
      json.integer("flaps", node.flaps)
      json.integer("duplicates", node.duplicates)
      json.integer("late", node.late)
      json.integer("stale", node.stale)
      json.integer("missing", node.missing)
      json.integer("interleavings", node.interleavings)
      json.integer("conflicts", node.conflicts)
      json.integer("replays", node.replays)
    }
  }

  private static func fix(_ node: Node, at now: Instant, _ clock: ClockState, _ json: inout JSONWriter) {
    guard let location = node.location else { return }
    json.object("fix") { json in
      switch location.content {
      case .fixed(let position):
        json.integer("dimensions", position.dimensions)
      case .lost(let loss):
        json.integer("dimensions", 0)
        json.string("reason", loss.reason.rawValue)
      }
      json.number("age_s", node.fixAge(at: now, clock), decimals: 1)
      guard let last = node.lastPlace else { return }
      json.number("lat", last.latitude, decimals: 7)
      json.number("lon", last.longitude, decimals: 7)
      json.number("acc_m", last.accuracyM, decimals: 2)
    }
  }
}
