internal import Daemon
internal import FleetLogic
internal import Telemetry

// From the configuration's tables to rules.
extension Rule {
  /// All rules, or the defaults where there is none.
  static func list(_ configuration: Configuration, sinks: [String], windows: [Window]) throws(ConfigurationFailure)
    -> [Rule]
  {
    var problems: [ConfigurationProblem] = []
    var rules: [Rule] = []
    for table in configuration.rows("rule") {
      guard let kind = Kind(rawValue: table.text("kind")) else { continue }
      let rule = Rule(table, kind)
      problems +=
        misplaced(table, kind) + reversed(table, rule) + ungrouped(table, rule)
        + hopeless(table, rule)
      problems += unknown(table, "sinks", sinks, "sink") + unknown(table, "only", windows.map(\.name), "window")
      problems += unknown(table, "except", windows.map(\.name), "window")
      if rules.contains(where: { $0.name == rule.name }) {
        let key = table.isSet("name") ? "name" : "kind"
        problems.append(table.problem(key, "gives the name '\(rule.name)' to a second rule; set another name"))
      }
      rules.append(rule)
    }
    guard problems.isEmpty else { throw ConfigurationFailure(problems) }
    return rules.isEmpty ? Rule.defaults : rules
  }

  private init(_ table: ConfigurationTable, _ kind: Kind) {
    self.init(name: table.optionalText("name") ?? kind.rawValue, Condition(kind, table), scope: Scope(table))
    severity = table.optionalText("severity").flatMap { Severity(rawValue: $0) } ?? severity
    forS = table.optionalNumber("for_s") ?? forS
    clearForS = table.optionalNumber("clear_for_s") ?? clearForS
    repeatS = table.optionalNumber("repeat_s")
    sinks = table.optionalTexts("sinks") ?? []
    times = Times(only: table.optionalTexts("only") ?? [], except: table.optionalTexts("except") ?? [])
    if let nodes = table.optionalInteger("group_nodes") {
      grouping = nodes == 0 ? nil : grouping ?? Grouping()
      grouping?.leastNodes = nodes
    }
    grouping?.leastShare = table.optionalNumber("group_share") ?? 0.5
    grouping?.waitS = table.optionalNumber("group_wait_s") ?? 60
  }

  /// Keys that mean nothing for a rule of this kind.
  private static func misplaced(_ table: ConfigurationTable, _ kind: Kind) -> [ConfigurationProblem] {
    kindsOfKeys.filter { table.isSet($0.key) && !$0.kinds.contains(kind) }.map { key, kinds in
      let names = kinds.map(\.rawValue).joined(separator: " and ")
      let noun = kinds.count == 1 ? "the kind" : "the kinds"
      return table.problem(
        key, "is for rules of \(noun) \(names), and this one is \(kind.rawValue); remove it")
    }
  }

  /// Keys of a group where there is none.
  private static func ungrouped(_ table: ConfigurationTable, _ rule: Rule) -> [ConfigurationProblem] {
    guard rule.grouping == nil else { return [] }
    return ["group_share", "group_wait_s"].filter { table.isSet($0) }.map {
      table.problem($0, "means nothing without group_nodes; set that to 1 or more")
    }
  }

  /// Thresholds whose end is above their beginning.
  private static func reversed(_ table: ConfigurationTable, _ rule: Rule) -> [ConfigurationProblem] {
    let pairs: [(key: String, clear: Double?, raise: Double?)]
    switch rule.condition {
    case .shake(let events), .impact(let events): pairs = [("clear_peak_g", events.clearPeakG, events.minPeakG)]
    case .poorFix(let poor): pairs = [("clear_m", poor.clearM, poor.raiseM)]
    case .moved(let moved): pairs = [("clear_m", moved.clearM, moved.raiseM)]
    case .tipped(let tipped): pairs = [("clear_deg", tipped.clearDeg, tipped.raiseDeg)]
    case .clockWrong(let wrong): pairs = [("clear_s", wrong.clearS, wrong.raiseS)]
    case .spool(let spool): pairs = [("clear_s", spool.clearS, spool.raiseS)]
    case .rate(let rate): pairs = [("clear_per_min", rate.clearPerMin, rate.raisePerMin)]
    case .flapping(let flapping):
      pairs = [("clear_count", Double(flapping.clearCount), Double(flapping.count - 1))]
    default: pairs = []
    }
    return pairs.compactMap { key, clear, raise in
      guard let clear else { return nil }
      guard let raise else {
        return table.problem(key, "means nothing without the threshold that raises the alert; set that")
      }
      guard clear > raise else { return nil }
      return table.problem(
        key, "must be at most \(Decimal.text(raise, decimals: 3)), so that what raises the alert does not end it")
    }
  }

  /// Keys that keep a rule from ever firing, or mean nothing beside another.
  private static func hopeless(_ table: ConfigurationTable, _ rule: Rule) -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    func complain(_ key: String, _ isSo: Bool, _ text: String) {
      if isSo, table.isSet(key) { problems.append(table.problem(key, text)) }
    }
    let forS = rule.forS ?? 0
    switch rule.condition {
    case .shake(let events):
      let isBegun = events.phases.contains(.began)
      complain("within_s", events.count == 1, "means nothing with count 1")
      complain(
        "for_s", !isBegun && events.count == 1 && forS > 0,
        "must be 0 where phases lacks began: what has ended does not last")
      complain(
        "for_s", events.count == 1 && forS > FleetState.longestShakeS,
        "must be at most 300: no shake goes on for longer")
    case .impact(let events): complain("within_s", events.count == 1, "means nothing with count 1")
    case .clone(let clone):
      complain("for_s", forS > clone.quietS, "must be at most quiet_s: the alert would lapse before it fires")
    case .spool(let spool):
      for key in ["raise_s", "clear_s"] {
        complain(key, !spool.troubles.contains(.backlog), "means nothing where troubles lacks backlog")
      }
    default: break
    }
    return problems
  }

  private static func unknown(
    _ table: ConfigurationTable, _ key: String, _ names: [String], _ noun: String
  ) -> [ConfigurationProblem] {
    guard let odd = table.optionalTexts(key)?.first(where: { !names.contains($0) }) else { return [] }
    let known = names.isEmpty ? "there is none" : "there are \(names.joined(separator: ", "))"
    return [table.problem(key, "has \(SafeText.quoted(odd)), and no \(noun) is called so; \(known)")]
  }
}

extension Scope {
  /// What is wrong with `nodes`; nil: nothing.
  static func complaint(_ value: ConfigurationValue) -> String? {
    guard case .text(let text) = value else { return nil }
    let isWhole = text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { !trimmed($0).isEmpty }
    return isWhole ? nil : "has an empty name; * stands for every node"
  }

  /// `nodes`, `sites` and `groups` of a table that has them.
  init(_ table: ConfigurationTable) {
    let nodes = table.text("nodes").split(separator: ",").map { NamePattern(trimmed($0)) }
    self.init(
      nodes: nodes == [.everything] ? [] : nodes,
      sites: (table.optionalTexts("sites") ?? []).map { NamePattern($0) },
      groups: (table.optionalTexts("groups") ?? []).map { NamePattern($0) })
  }
}

/// Without the blanks around it.
private func trimmed(_ text: Substring) -> String {
  String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
}

extension Condition {
  fileprivate init(_ kind: Kind, _ table: ConfigurationTable) {
    self.init(kind)
    switch self {
    case .shake(var events):
      events.read(table)
      self = .shake(events)
    case .impact(var events):
      events.read(table)
      self = .impact(events)
    case .lostFix(var lostFix):
      lostFix.reasons = table.words("reasons") ?? lostFix.reasons
      self = .lostFix(lostFix)
    case .poorFix(var poor):
      table.read("raise_m", &poor.raiseM)
      poor.clearM = min(poor.clearM, poor.raiseM)
      table.read("clear_m", &poor.clearM)
      self = .poorFix(poor)
    case .silent(var silence):
      table.read("hold_s", &silence.holdS)
      self = .silent(silence)
    case .flapping(var flapping):
      flapping.count = table.optionalInteger("count") ?? flapping.count
      flapping.clearCount = table.optionalInteger("clear_count") ?? min(flapping.clearCount, flapping.count - 1)
      table.read("within_s", &flapping.withinS)
      self = .flapping(flapping)
    case .moved(var moved):
      table.read("raise_m", &moved.raiseM)
      moved.clearM = min(moved.clearM, moved.raiseM)
      table.read("clear_m", &moved.clearM)
      table.read("parked_s", &moved.parkedS)
      self = .moved(moved)
    case .geofence, .tipped, .sensorFault, .clockWrong, .spool, .clone, .rate, .together: readFurther(table)
    }
  }

  private mutating func readFurther(_ table: ConfigurationTable) {
    switch self {
    case .geofence(var geofence):
      geofence.fence = table.optionalText("fence")
      geofence.event = table.optionalText("crossing").flatMap { GeofenceMessage.Event(rawValue: $0) } ?? geofence.event
      self = .geofence(geofence)
    case .tipped(var tipped):
      tipped.faces = table.words("faces") ?? tipped.faces
      tipped.raiseDeg = table.optionalNumber("raise_deg")
      tipped.clearDeg = table.optionalNumber("clear_deg")
      self = .tipped(tipped)
    case .sensorFault(var fault):
      fault.faults = table.words("faults") ?? fault.faults
      self = .sensorFault(fault)
    case .clockWrong(var wrong):
      table.read("raise_s", &wrong.raiseS)
      wrong.clearS = min(wrong.clearS, wrong.raiseS)
      table.read("clear_s", &wrong.clearS)
      self = .clockWrong(wrong)
    case .spool(var spool):
      spool.troubles = table.words("troubles") ?? spool.troubles
      table.read("raise_s", &spool.raiseS)
      spool.clearS = min(spool.clearS, spool.raiseS)
      table.read("clear_s", &spool.clearS)
      self = .spool(spool)
    case .clone(var clone):
      table.read("quiet_s", &clone.quietS)
      self = .clone(clone)
    case .rate(var rate):
      rate.raisePerMin = table.optionalNumber("raise_per_min")
      rate.clearPerMin = table.optionalNumber("clear_per_min")
      // A rate that is given says what is odd; a factor besides only where it is given, too.
      rate.factor = table.optionalNumber("factor") ?? (rate.raisePerMin == nil ? rate.factor : nil)
      table.read("window_s", &rate.windowS)
      self = .rate(rate)
    case .together(var together):
      together.leastNodes = table.optionalInteger("min_nodes") ?? together.leastNodes
      table.read("false_per_year", &together.falsePerYear)
      table.read("radius_km", &together.radiusKm)
      self = .together(together)
    default: break
    }
  }
}

extension Condition.Events {
  fileprivate mutating func read(_ table: ConfigurationTable) {
    table.read("min_peak_g", &minPeakG)
    clearPeakG = table.optionalNumber("clear_peak_g")
    count = table.optionalInteger("count") ?? count
    table.read("within_s", &withinS)
    table.read("max_age_s", &maxAgeS)
    phases = table.words("phases") ?? phases
    freeFall = table.optionalFlag("free_fall") ?? freeFall
  }
}

extension ConfigurationTable {
  fileprivate func read(_ key: String, _ value: inout Double) { value = optionalNumber(key) ?? value }

  /// The schema has checked that each is a word.
  fileprivate func words<Word: Hashable & RawRepresentable<String>>(_ key: String) -> Set<Word>? {
    optionalTexts(key).map { Set($0.compactMap { Word(rawValue: $0) }) }
  }
}
