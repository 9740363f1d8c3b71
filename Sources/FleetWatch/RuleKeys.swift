internal import Daemon
internal import FleetLogic
internal import Telemetry

// What the configuration says about rules.
extension Rule {
  /// The section of fleet.toml.
  static let section = ConfigurationSection(
    "rule", .list,
    summary:
      "What raises an alert. Without any of these there is one rule for each of "
      + "\(Rule.defaults.map(\.name).joined(separator: ", ")), for every node.",
    commonKeys + strikeKeys + positionKeys + deviceKeys)

  private static let commonKeys: [ConfigurationKey] = [
    .choice(
      "kind", Kind.allCases.map(\.rawValue),
      Kind.allCases.map { "\($0.rawValue): \($0.summary)" }.joined(separator: " ")
    )
    .required,
    .text("name", note: "the kind", "Name in topics, lines and logs: a to z, 0 to 9 and -, at most 63.").checked {
      value in
      guard case .text(let text) = value, !FleetTopic.isLevel(text) else { return nil }
      return "must be a to z, 0 to 9 and -, at most 63 characters, and not begin with -"
    },
    .text(
      "nodes", default: "*",
      "The nodes that it concerns: names, with * for any characters and ? for one; several with commas."
    ).checked { Scope.complaint($0) },
    .texts("sites", note: "any", "Only nodes of these sites, see [node.\"ID\"]; * and ? as in nodes."),
    .texts("groups", note: "any", "Only nodes of these groups, likewise."),
    .choice(
      "severity", Severity.allCases.map(\.rawValue), note: "critical for \(kinds(with: .critical)), else warning",
      "How much it matters."),
    .number(
      "for_s", 0...604_800, unit: "s", note: forNote,
      "Not impact: how long the condition must hold before the alert fires. For lost-fix it counts from the node's "
        + "message that it has no position, which comes some time after the last one; "
        + "the alert says how long that is ago."),
    .number(
      "clear_for_s", 0...604_800, unit: "s", note: clearForNote,
      "How long the condition must be over before the alert resolves."),
    .number(
      "repeat_s", 60...604_800, unit: "s", note: "never",
      "An alert that still fires is told again after so long, until somebody acknowledges it."),
    .texts("sinks", note: "all", "The names of the sinks that its alerts go to; mqtt gets all of them."),
    .texts("only", note: "always", "The rule counts only within these windows, see [[window]]."),
    .texts("except", note: "never", "The rule does not count within these windows."),
    .integer(
      "group_nodes", 0...100_000, note: "3 for silent, else 0: each by itself",
      "From so many nodes of a site on, its alerts are told as one of the site. 0: never."),
    .number("group_share", 0...1, note: "0.5", "And from this share of the nodes of the site on."),
    .number(
      "group_wait_s", 0...3600, unit: "s", note: "60",
      "An alert of a site with group_nodes nodes waits so long for the others before it is told by itself."),
  ]

  private static let strikeKeys: [ConfigurationKey] = [
    .number(
      "hold_s", 0...86_400, unit: "s", note: "30",
      "Only silent: how long a node whose connection broke may take to come back before the alert fires."),
    .number("min_peak_g", 0...10_000, unit: "g", note: "0", "Only shake and impact: weaker ones do not count."),
    .number(
      "clear_peak_g", 0...10_000, unit: "g", note: "min_peak_g",
      "Only shake and impact: while the alert fires, those from here on keep it firing."),
    .integer(
      "count", 1...1000, note: "1; flapping 5",
      "Only shake, impact and flapping: so many within within_s raise the alert. Shakes and impacts: from 2 on it "
        + "fires as long as there are so many."),
    .number("within_s", 1...604_800, unit: "s", note: "600; flapping 3600", "See count."),
    .integer("clear_count", 0...1000, note: "2", "Only flapping: it ends with no more than so many within within_s."),
    .texts("phases", note: "began, ended", "Only shake: the phases that count: began, ended, cancelled.")
      .checked { words($0, ShakeMessage.Phase.self) },
    .flag("free_fall", note: "false", "Only impact: falls count, too."),
    .number(
      "max_age_s", 0...604_800, unit: "s", note: "300",
      "Only shake and impact: one that is older when it arrives, by clocks that can be trusted, does not count."),
  ]

  private static let positionKeys: [ConfigurationKey] = [
    .texts(
      "reasons", note: "all",
      "Only lost-fix: the reasons that count: " + words(LocationMessage.Loss.Reason.self) + "."
    ).checked { words($0, LocationMessage.Loss.Reason.self) },
    .number(
      "raise_m", 0.1...1_000_000, unit: "m", note: "poor-fix 50, moved 100",
      "Only poor-fix: an accuracy worse than this raises the alert. Only moved: farther than this from where it "
        + "stood, by both accuracies."),
    .number(
      "clear_m", 0...1_000_000, unit: "m", note: "poor-fix 30, moved 50",
      "Only poor-fix: an accuracy of this or better ends it. Only moved: within this it stands where it stood."),
    .number(
      "parked_s", 10...604_800, unit: "s", note: "900", "Only moved: a node that stays for so long stands there."),
    .text(
      "fence", note: "any: the one crossed last counts",
      "Only geofence: the fence's name in the nodes' configuration. The alert fires when it is left, and resolves "
        + "when it is entered."),
    .choice(
      "crossing", GeofenceMessage.Event.allCases.map(\.rawValue), note: "leave",
      "Only geofence: which crossing raises the alert; the other one ends it."),
    .texts(
      "faces", note: "the one that was up when the node was first heard",
      "Only tipped: the sides that may be up: " + words(Face.self) + "."
    ).checked { words($0, Face.self) },
    .number(
      "raise_deg", 1...180, unit: "deg", note: "only sides count",
      "Only tipped: leaning by more than this from where it stood upright raises the alert, too."),
    .number("clear_deg", 0...180, unit: "deg", note: "raise_deg", "Only tipped: leaning by no more than this ends it."),
  ]

  private static let deviceKeys: [ConfigurationKey] = [
    .texts(
      "faults", note: "stalled, failed, frozen, clipped",
      "Only sensor-fault: what counts: " + words(Condition.SensorFault.Fault.self) + "."
    ).checked { words($0, Condition.SensorFault.Fault.self) },
    .texts(
      "troubles", note: "all", "Only spool: what counts: " + words(Condition.Spool.Trouble.self) + "."
    ).checked { words($0, Condition.Spool.Trouble.self) },
    .number(
      "raise_s", 1...31_536_000, unit: "s", note: "clock-wrong 60, spool 3600",
      "Only clock-wrong: a clock farther off raises the alert. Only spool: an event that waited longer does."),
    .number(
      "clear_s", 0...31_536_000, unit: "s", note: "clock-wrong 30, spool 600", "Likewise: what ends it."),
    .number(
      "quiet_s", 60...604_800, unit: "s", note: "3600",
      "Only clone: so long without a sign of the other device ends the alert."),
    .number(
      "raise_per_min", 0.01...1_000_000, unit: "1/min", note: "only factor counts",
      "Only rate: more messages than this raise the alert."),
    .number("clear_per_min", 0...1_000_000, unit: "1/min", note: "raise_per_min", "Only rate: up to this ends it."),
    .number(
      "factor", 1.5...10_000, note: "10",
      "Only rate: so many times what the node usually sends, or so many times less, raises the alert."),
    .number("window_s", 10...86_400, unit: "s", note: "300", "Only rate: messages are counted over so long."),
    .integer(
      "min_nodes", 2...1000, note: "4", "Only together: fewer nodes than this never shook together."),
    .number(
      "false_per_year", 0.001...1000, unit: "1/a", note: "1",
      "Only together: so many alerts by chance alone are put up with; where nodes shake often, more nodes are needed."),
    .number(
      "radius_km", 1...2000, unit: "km", note: "200", "Only together: nodes farther apart do not belong together."),
  ]

  /// Which keys are for which kinds; the others are for all.
  static let kindsOfKeys: [(key: String, kinds: [Kind])] = [
    // An impact takes no time.
    ("for_s", Kind.allCases.filter { $0 != .impact }), ("group_nodes", Kind.allCases.filter { $0 != .together }),
    ("hold_s", [.silent]), ("min_peak_g", [.shake, .impact]), ("clear_peak_g", [.shake, .impact]),
    ("count", [.shake, .impact, .flapping]), ("within_s", [.shake, .impact, .flapping]), ("clear_count", [.flapping]),
    ("phases", [.shake]), ("free_fall", [.impact]), ("max_age_s", [.shake, .impact]), ("reasons", [.lostFix]),
    ("raise_m", [.poorFix, .moved]), ("clear_m", [.poorFix, .moved]), ("parked_s", [.moved]), ("fence", [.geofence]),
    ("crossing", [.geofence]), ("faces", [.tipped]), ("raise_deg", [.tipped]), ("clear_deg", [.tipped]),
    ("faults", [.sensorFault]), ("troubles", [.spool]), ("raise_s", [.clockWrong, .spool]),
    ("clear_s", [.clockWrong, .spool]), ("quiet_s", [.clone]), ("raise_per_min", [.rate]), ("clear_per_min", [.rate]),
    ("factor", [.rate]), ("window_s", [.rate]), ("min_nodes", [.together]), ("false_per_year", [.together]),
    ("radius_km", [.together]),
  ]

  // MARK: Words

  private static func words<Word: CaseIterable & RawRepresentable<String>>(_ type: Word.Type) -> String {
    Word.allCases.map(\.rawValue).joined(separator: ", ")
  }

  private static func words<Word: CaseIterable & RawRepresentable<String>>(
    _ value: ConfigurationValue, _ type: Word.Type
  ) -> String? {
    guard case .texts(let texts) = value else { return nil }
    if texts.isEmpty { return "must not be empty" }
    guard let odd = texts.first(where: { Word(rawValue: $0) == nil }) else { return nil }
    return "has \(SafeText.quoted(odd)), and must be some of \(words(type))"
  }

  private static func kinds(with severity: Severity) -> String {
    Kind.allCases.filter { defaultSeverity($0) == severity }.map(\.rawValue).joined(separator: ", ")
  }

  private static let forNote = note { defaultForS($0) }
  private static let clearForNote = note { defaultClearForS($0) }

  /// `shake 0, lost-fix 60, ...`: kinds of one number together.
  private static func note(_ number: (Kind) -> Double?) -> String {
    var groups: [(text: String, kinds: [String])] = []
    for kind in Kind.allCases {
      let text = number(kind).map { Decimal.text($0, decimals: 0) } ?? "two and a half times its health.interval_s"
      if let place = groups.firstIndex(where: { $0.text == text }) {
        groups[place].kinds.append(kind.rawValue)
      } else {
        groups.append((text, [kind.rawValue]))
      }
    }
    return groups.map { "\($0.kinds.joined(separator: ", ")) \($0.text)" }.joined(separator: "; ")
  }
}

extension Condition.Kind {
  /// For the commented configuration.
  fileprivate var summary: String {
    switch self {
    case .shake: "a node shook."
    case .impact: "a node was hit."
    case .lostFix: "a node says that it has no position."
    case .poorFix: "its positions are too inaccurate."
    case .silent: "nothing comes from a node."
    case .flapping: "its connection breaks again and again."
    case .moved: "it stood somewhere, and is somewhere else."
    case .geofence: "a node left a fence of its own configuration."
    case .tipped: "another side of it is up, or it leans."
    case .sensorFault: "its accelerometer cannot be believed."
    case .clockWrong: "its clock is wrong."
    case .spool: "what it has to deliver waits, or is lost."
    case .clone: "two devices use its name."
    case .rate: "it sends much more than usual, or much less."
    case .together: "many nodes shook at a time."
    }
  }
}
