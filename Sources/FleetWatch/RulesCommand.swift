internal import Daemon
internal import FleetLogic
internal import Sinks
internal import Store
internal import Telemetry

/// `judder-fleet rules` and `judder-fleet rules test`.
enum RulesCommand {
  static func run(_ history: History) throws(Termination) {
    let word = history.invocation.operands[0]
    guard word == "test" else {
      throw Termination(.usage, ["rules \(SafeText.quoted(word)): expected test, or nothing"])
    }
    try test(try fleet(history.configuration, history.invocation), history)
  }

  private static func fleet(
    _ configuration: Configuration, _ invocation: Invocation
  ) throws(Termination) -> FleetState.Configuration {
    do throws(ConfigurationFailure) {
      var fleet = FleetState.Configuration(
        maxNodes: configuration.integer("fleet.max_nodes"),
        graceS: 0, rules: try Rule.list(configuration), publishes: false)
      fleet.labels = try Label.all(configuration)
      fleet.windows = try Window.list(configuration)
      fleet.flapping = FleetState.Flapping(configuration)
      guard let name = invocation.text("rule") else { return fleet }
      fleet.rules.removeAll { $0.name != name }
      return fleet
    } catch {
      throw error.termination
    }
  }

  // MARK: Which there are

  /// Needs no history.
  static func list(
    _ configuration: Configuration, _ invocation: Invocation, _ output: StandardOutput
  ) throws(Termination) {
    let isJSON = invocation.isGiven("json")
    if !isJSON { try output.line(row("RULE", "KIND", "SEVERITY", "FOR", "CLEAR", "NODES")) }
    for rule in try fleet(configuration, invocation).rules {
      if isJSON {
        try output.line(String(decoding: FleetJSON.rule(rule), as: UTF8.self))
      } else {
        let forS = rule.forS.map { Age.text($0) } ?? "node's"
        try output.line(
          row(rule.name, rule.kind.rawValue, rule.severity.rawValue, forS, Age.text(rule.clearForS), rule.scope.text))
      }
    }
  }

  private static func columns(_ name: String, _ cells: [String]) -> String {
    TextWidth.fit(name, to: 20) + cells.map { TextWidth.fit($0, to: 8) }.joined()
  }

  private static func row(
    _ name: String, _ kind: String, _ severity: String, _ forS: String, _ clearS: String, _ nodes: String
  ) -> String {
    TextWidth.fit(name, to: 18) + " " + TextWidth.fit(kind, to: 13) + " " + TextWidth.fit(severity, to: 12)
      + TextWidth.fit(forS, to: 7) + TextWidth.fit(clearS, to: 6) + nodes
  }

  // MARK: What they would have done

  private static func test(_ configuration: FleetState.Configuration, _ history: History) throws(Termination) {
    if configuration.rules.isEmpty {
      throw Termination(
        .usage, ["--rule \(SafeText.quoted(history.invocation.text("rule") ?? "")): there is no such rule"])
    }
    var rehearsal: Rehearsal?
    try history.each(try history.query(.received)) { (event) throws(Termination) in
      var running = rehearsal ?? Rehearsal(configuration, first: event.received)
      for alert in running.take(event) { try show(alert, history) }
      rehearsal = running
    }
    guard var rehearsal else { throw Termination(.unavailable, ["the history has no event of that time"]) }
    for alert in rehearsal.finish(at: history.until ?? history.now) { try show(alert, history) }
    try summary(rehearsal, configuration.rules, history)
  }

  private static func show(_ alert: Alert, _ history: History) throws(Termination) {
    if history.isJSON { try history.json(FleetJSON.alert(alert)) } else { try history.line(PlainLine.of(alert)) }
  }

  private static func summary(_ rehearsal: Rehearsal, _ rules: [Rule], _ history: History) throws(Termination) {
    let firing = Dictionary(grouping: rehearsal.firing, by: \.rule).mapValues(\.count)
    if !history.isJSON {
      try history.line("")
      try history.line(columns("RULE", ["TOLD", "AGAIN", "MUTED", "FIRING"]) + "NODES")
    }
    for rule in rules {
      let isBlind = Rehearsal.blindKinds.contains(rule.kind)
      let count = rehearsal.counts[rule.name] ?? Rehearsal.Count()
      if history.isJSON {
        try history.json(
          FleetJSON.rehearsal(rule, count, firing: firing[rule.name] ?? 0, isTried: !isBlind))
      } else if isBlind {
        try history.line(TextWidth.fit(rule.name, to: 20) + "not tried: the history does not keep what it goes by")
      } else {
        let numbers = [count.told, count.repeated, count.muted, firing[rule.name] ?? 0].map(String.init)
        try history.line(columns(rule.name, numbers) + "\(count.subjects.count)")
      }
    }
    if !history.isJSON { try history.line("\(rehearsal.events) events; nobody was told") }
  }
}

extension Rule {
  /// All rules of a configuration, with their sinks and windows.
  static func list(_ configuration: Configuration) throws(ConfigurationFailure) -> [Rule] {
    let sinks = try SinkSettings.list(configuration, environment: [:]).map(\.name)
    return try list(configuration, sinks: sinks, windows: try Window.list(configuration))
  }
}
