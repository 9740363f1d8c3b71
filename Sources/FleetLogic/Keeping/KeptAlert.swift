public import Telemetry

/// What is going on between a rule and a subject, as it outlasts the fleet tool.
public struct KeptAlert: Equatable, Sendable {
  /// Where the alert is in its life, with what was left of its deadline [s] when this was written.
  public enum Phase: Equatable, Sendable {
    /// It is over, and not everything about it was told yet.
    case over
    /// Nothing is going on, and something is remembered.
    case quiet
    /// The condition holds; it fires after `leftS`.
    case pending(leftS: Double)
    /// It fires; it lapses after `leftS` where it is one that can be forgotten.
    case firing(leftS: Double?)
    /// The condition is over; it resolves after `leftS`.
    case clearing(leftS: Double)
  }

  /// The name of the rule.
  public var rule: String
  /// Whose condition.
  public var subject: AlertSubject
  /// Names the alert that fires, also in what is told of it; nil while none does.
  public var id: String?
  /// Where it is in its life.
  public var phase: Phase
  /// Since when the condition has held.
  public var since: WallTime
  /// How often the condition was seen.
  public var count: Int
  /// While pending: what was left until the condition is over by itself [s]; nil: it is not.
  var lapsesS: Double?
  /// As in `Alert.value`, for shakes.
  public var value: Double?
  /// The last shake that was counted.
  public var lastShake: ShakeIdentity?
  /// When this was written.
  public var at: WallTime
  /// What is still to be told, oldest first; it may have been, just before the fleet tool ended.
  public var untold: [Alert]
  /// What was told of it as it fires, so that its end can be told without its rule; nil: nobody heard of it, or it was
  /// kept by a version that does not say.
  public var told: Alert?
  /// What people were told; nil: nothing is kept of that, as before version 3 of the database.
  var notice: KeptNotice?
  /// Why nobody is told of it just now; nil: nothing keeps it, or it is over.
  public var mute: Mute? { notice?.mute }
  /// Who has seen it.
  public var acknowledgement: AlertAcknowledgement? { notice?.acknowledgement }
  /// What the rule remembers; nil: nothing.
  var memory: KeptMemory?

  /// With nothing to be told.
  public init(rule: String, subject: AlertSubject, phase: Phase, since: WallTime, count: Int, at: WallTime) {
    self.rule = rule
    self.subject = subject
    self.phase = phase
    self.since = since
    self.count = count
    self.at = at
    untold = []
  }
}

// MARK: In and out, one line of JSON

extension KeptAlert {
  /// One line of compact JSON, for the store's eyes only.
  public func encode() -> [UInt8] {
    var json = JSONWriter(capacity: 256)
    json.object { json in
      json.string("rule", rule)
      json.string("subject", subject.description)
      json.string("id", id)
      encodePhase(&json)
      json.number("lapses_s", lapsesS, decimals: 6)
      json.number("since_t", since.seconds, decimals: 6)
      json.integer("count", count)
      json.number("value", value, decimals: 6)
      json.string("shake_boot", lastShake?.boot.description)
      json.integer("shake_id", lastShake?.id)
      json.number("t", at.seconds, decimals: 6)
      if !untold.isEmpty { json.json("untold", Self.array(untold.map { $0.encodeKept() })) }
      if let told { json.json("told", told.encodeKept()) }
      notice?.encode(&json)
      memory?.encode(&json)
    }
    return json.bytes
  }

  private func encodePhase(_ json: inout JSONWriter) {
    let (word, leftS): (String, Double?) =
      switch phase {
      case .over: ("over", nil)
      case .quiet: ("quiet", nil)
      case .pending(let leftS): ("pending", leftS)
      case .firing(let leftS): ("firing", leftS)
      case .clearing(let leftS): ("clearing", leftS)
      }
    json.string("phase", word)
    json.number("left_s", leftS, decimals: 6)
  }

  private static func array(_ items: [[UInt8]]) -> [UInt8] {
    [UInt8(ascii: "[")] + Array(items.joined(separator: [UInt8(ascii: ",")])) + [UInt8(ascii: "]")]
  }

  /// Nil when the line is not one that `encode` wrote.
  public init?(decoding line: [UInt8]) {
    guard let json = try? JSONValue.parse(line), let rule = json["rule"]?.string,
      let subject = (json["subject"] ?? json["node"])?.string.flatMap({ AlertSubject($0) }),
      let phase = Self.phase(json),
      let since = json["since_t"]?.number, let count = json["count"]?.integer, let at = json["t"]?.number
    else { return nil }
    self.init(
      rule: rule, subject: subject, phase: phase, since: WallTime(seconds: since), count: count,
      at: WallTime(seconds: at))
    id = json["id"]?.string
    lapsesS = json["lapses_s"]?.number
    value = json["value"]?.number
    if let boot = json["shake_boot"]?.string.flatMap({ BootID($0) }), let id = json["shake_id"]?.integer {
      lastShake = ShakeIdentity(boot: boot, id: id)
    }
    untold = json["untold"]?.array?.compactMap { Alert(kept: $0, rule: rule, subject: subject) } ?? []
    told = json["told"].flatMap { Alert(kept: $0, rule: rule, subject: subject) }
    notice = KeptNotice(json["notice"])
    memory = KeptMemory(json["memory"])
  }

  private static func phase(_ json: JSONValue) -> Phase? {
    let leftS = json["left_s"]?.number
    return switch (json["phase"]?.string, leftS) {
    case ("over", _): .over
    case ("quiet", _): .quiet
    case ("pending", let leftS?): .pending(leftS: leftS)
    case ("firing", let leftS): .firing(leftS: leftS)
    case ("clearing", let leftS?): .clearing(leftS: leftS)
    default: nil
    }
  }
}

extension Alert {
  fileprivate func encodeKept() -> [UInt8] {
    var json = JSONWriter(capacity: 256)
    json.object { json in
      json.string("id", id)
      json.string("kind", kind.rawValue)
      json.string("severity", severity.rawValue)
      json.string("state", state.rawValue)
      json.string("previous", previous?.rawValue)
      json.number("t", at.wall.seconds, decimals: 6)
      json.number("since_t", since.seconds, decimals: 6)
      json.integer("count", count)
      json.number("value", value, decimals: 6)
      json.string("summary", summary)
      json.string("reason", reason)
      json.boolean("repeated", isRepeated ? true : nil)
      json.string("sinks", sinks.isEmpty ? nil : sinks.joined(separator: ","))
      json.string("site", label?.site)
      json.string("group", label?.group)
      json.string("title", label?.title)
    }
    return json.bytes
  }

  fileprivate init?(kept json: JSONValue, rule: String, subject: AlertSubject) {
    guard let id = json["id"]?.string, let kind = json["kind"]?.string.flatMap({ Rule.Kind(rawValue: $0) }),
      let severity = json["severity"]?.string.flatMap({ Rule.Severity(rawValue: $0) }),
      let state = json["state"]?.string.flatMap({ AlertMessage.State(rawValue: $0) }),
      let at = json["t"]?.number, let since = json["since_t"]?.number, let count = json["count"]?.integer,
      let summary = json["summary"]?.string
    else { return nil }
    self.init(
      id: id, rule: rule, kind: kind, severity: severity, subject: subject, state: state,
      previous: json["previous"]?.string.flatMap { AlertMessage.State(rawValue: $0) },
      at: Moment(instant: .start, wall: WallTime(seconds: at)), since: WallTime(seconds: since), count: count,
      value: json["value"]?.number, summary: summary, reason: json["reason"]?.string ?? "")
    isRepeated = json["repeated"]?.bool ?? false
    sinks = json["sinks"]?.string?.split(separator: ",").map(String.init) ?? []
    let known = Label(title: json["title"]?.string, site: json["site"]?.string, group: json["group"]?.string)
    label = known == Label() ? nil : known
    mayHaveBeenTold = true
  }
}
