import Daemon
import FleetLogic
import Telemetry
import Testing

@testable import FleetWatch

/// From `[[rule]]` to rules: every key, and what is said about mistakes.
@Suite struct RuleReadingTests {
  private func condition(_ keys: String, _ kind: String) throws -> Condition {
    try #require(load("[[rule]]\nkind = \"\(kind)\"\n\(keys)").rules.first).condition
  }

  private func changed<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var changed = value
    change(&changed)
    return changed
  }

  @Test func everyCommonKeyIsRead() throws {
    let rule = try #require(
      load(
        """
        [[sink]]
        kind = "json"
        name = "audit"
        [[window]]
        name = "night"
        [[window]]
        name = "day"
        [[rule]]
        kind = "lost-fix"
        name = "pumps"
        nodes = "pump-*, fan-?"
        sites = ["hall"]
        groups = ["water", "air*"]
        severity = "information"
        for_s = 7
        clear_for_s = 8
        repeat_s = 90
        sinks = ["audit"]
        only = ["day"]
        except = ["night"]
        group_nodes = 4
        group_share = 0.25
        group_wait_s = 12
        """
      ).rules.first)
    var expected = Rule(
      name: "pumps", .lostFix(Condition.LostFix()),
      scope: Scope(
        nodes: [NamePattern("pump-*"), NamePattern("fan-?")], sites: [NamePattern("hall")],
        groups: [NamePattern("water"), NamePattern("air*")]))
    expected.severity = .information
    (expected.forS, expected.clearForS, expected.repeatS) = (7, 8, 90)
    expected.sinks = ["audit"]
    expected.times = Times(only: ["day"], except: ["night"])
    var grouping = Rule.Grouping()
    (grouping.leastNodes, grouping.leastShare, grouping.waitS) = (4, 0.25, 12)
    expected.grouping = grouping
    #expect(rule == expected)
    #expect(try load("[[rule]]\nkind = \"silent\"\ngroup_nodes = 0").rules.first?.grouping == nil)
  }

  @Test func everyKeyAboutStrikesIsRead() throws {
    let events = changed(Condition.Events()) {
      ($0.minPeakG, $0.clearPeakG, $0.count, $0.withinS, $0.maxAgeS) = (2, 1, 3, 40, 50)
    }
    let keys = "min_peak_g = 2\nclear_peak_g = 1\ncount = 3\nwithin_s = 40\nmax_age_s = 50\n"
    #expect(
      try condition(keys + "phases = [\"ended\", \"cancelled\"]", "shake")
        == .shake(changed(events) { $0.phases = [.ended, .cancelled] }))
    #expect(
      try condition(keys + "free_fall = true", "impact") == .impact(changed(events) { $0.freeFall = true }))
    #expect(
      try condition("count = 2\nclear_count = 1\nwithin_s = 40", "flapping")
        == .flapping(changed(Condition.Flapping()) { ($0.count, $0.clearCount, $0.withinS) = (2, 1, 40) }))
    #expect(
      try condition("count = 2", "flapping")
        == .flapping(changed(Condition.Flapping()) { ($0.count, $0.clearCount) = (2, 1) }), "its end is below")
  }

  @Test func everyKeyAboutPositionsIsRead() throws {
    #expect(
      try condition("reasons = [\"stalled\", \"gpsd_gone\"]", "lost-fix")
        == .lostFix(changed(Condition.LostFix()) { $0.reasons = [.stalled, .gpsdGone] }))
    #expect(
      try condition("raise_m = 20\nclear_m = 10", "poor-fix")
        == .poorFix(changed(Condition.PoorFix()) { ($0.raiseM, $0.clearM) = (20, 10) }))
    #expect(
      try condition("raise_m = 20", "poor-fix")
        == .poorFix(changed(Condition.PoorFix()) { ($0.raiseM, $0.clearM) = (20, 20) }))
    #expect(
      try condition("raise_m = 40\nclear_m = 10\nparked_s = 60", "moved")
        == .moved(changed(Condition.Moved()) { ($0.raiseM, $0.clearM, $0.parkedS) = (40, 10, 60) }))
    #expect(
      try condition("fence = \"depot\"\ncrossing = \"enter\"", "geofence")
        == .geofence(changed(Condition.Geofence()) { ($0.fence, $0.event) = ("depot", .enter) }))
    #expect(
      try condition("faces = [\"z+\", \"x-\"]\nraise_deg = 20\nclear_deg = 10", "tipped")
        == .tipped(
          changed(Condition.Tipped()) { ($0.faces, $0.raiseDeg, $0.clearDeg) = ([.zUp, .xDown], 20, 10) }))
  }

  @Test func everyKeyAboutDevicesIsRead() throws {
    #expect(try condition("hold_s = 3", "silent") == .silent(changed(Condition.Silence()) { $0.holdS = 3 }))
    #expect(
      try condition("faults = [\"polling\"]", "sensor-fault")
        == .sensorFault(changed(Condition.SensorFault()) { $0.faults = [.polling] }))
    #expect(
      try condition("raise_s = 5\nclear_s = 4", "clock-wrong")
        == .clockWrong(changed(Condition.ClockWrong()) { ($0.raiseS, $0.clearS) = (5, 4) }))
    #expect(
      try condition("troubles = [\"evicted\", \"backlog\"]\nraise_s = 500", "spool")
        == .spool(
          changed(Condition.Spool()) { ($0.troubles, $0.raiseS, $0.clearS) = ([.evicted, .backlog], 500, 500) }))
    #expect(try condition("quiet_s = 70", "clone") == .clone(changed(Condition.Clone()) { $0.quietS = 70 }))
    #expect(
      try condition("raise_per_min = 9\nclear_per_min = 8\nwindow_s = 30", "rate")
        == .rate(
          changed(Condition.Rate()) {
            ($0.raisePerMin, $0.clearPerMin, $0.factor, $0.windowS) = (9, 8, nil, 30)
          }))
    #expect(try condition("factor = 3", "rate") == .rate(changed(Condition.Rate()) { $0.factor = 3 }))
    #expect(
      try condition("min_nodes = 5\nfalse_per_year = 0.5\nradius_km = 30", "together")
        == .together(
          changed(Together.Settings()) { ($0.leastNodes, $0.falsePerYear, $0.radiusKm) = (5, 0.5, 30) }))
  }

  /// Every key that is for some kinds is refused for all others, where it stands.
  @Test func aKeyIsRefusedForOtherKinds() {
    for (key, kinds) in Rule.kindsOfKeys {
      let value =
        switch key {
        case "phases", "reasons", "faces", "faults", "troubles": "[\"x\"]"
        case "fence", "crossing": "\"enter\""
        case "free_fall": "true"
        default: "70"
        }
      for kind in Condition.Kind.allCases where !kinds.contains(kind) {
        let found = problems("[[rule]]\nkind = \"\(kind.rawValue)\"\n\(key) = \(value)")
        // Words are checked first.
        let isWord = value == "[\"x\"]"
        #expect(
          found.contains { $0.hasPrefix("fleet.toml:3:") && ($0.contains("is for rules of") || isWord) },
          "\(kind.rawValue) \(key): \(found)")
      }
    }
  }

  @Test(arguments: [
    ("shake", "phases = [\"ended\"]", "for_s = 5"), ("shake", "count = 1", "for_s = 301"),
    ("shake", "count = 1", "within_s = 30"), ("impact", "count = 1", "within_s = 30"),
    ("clone", "quiet_s = 60", "for_s = 61"), ("spool", "troubles = [\"evicted\"]", "raise_s = 100"),
  ])
  func aKeyThatKeepsTheRuleFromFiringOrMeansNothingIsAMistake(kind: String, first: String, second: String) {
    let found = problems("[[rule]]\nkind = \"\(kind)\"\n\(first)\n\(second)")
    #expect(found.count == 1 && found[0].hasPrefix("fleet.toml:4:"), "\(found)")
    #expect(problems("[[rule]]\nkind = \"\(kind)\"\n\(first)").isEmpty)
  }

  @Test(arguments: ["", " ", "a,", "a,,b"])
  func anEmptyNameAmongTheNodesIsAMistake(nodes: String) {
    #expect(problems("[[rule]]\nkind = \"shake\"\nnodes = \"\(nodes)\"").count == 1)
    #expect(
      problems("[[window]]\nname = \"x\"\nfrom = \"22:00\"\nto = \"06:00\"\nnodes = \"\(nodes)\"\nmaintenance = true")
        .count == 1)
  }

  @Test(arguments: [
    ("shake", "min_peak_g = 1", "clear_peak_g = 2"), ("poor-fix", "raise_m = 5", "clear_m = 6"),
    ("moved", "raise_m = 5", "clear_m = 6"), ("tipped", "raise_deg = 5", "clear_deg = 6"),
    ("clock-wrong", "raise_s = 5", "clear_s = 6"), ("spool", "raise_s = 5", "clear_s = 6"),
    ("rate", "raise_per_min = 5", "clear_per_min = 6"), ("flapping", "count = 3", "clear_count = 3"),
  ])
  func anEndAboveItsBeginningIsAMistake(kind: String, raise: String, clear: String) {
    let found = problems("[[rule]]\nkind = \"\(kind)\"\n\(raise)\n\(clear)")
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasPrefix("fleet.toml:4:") && $0.contains("must be at most") }, "\(found)")
  }

  @Test(arguments: [
    ("shake", "phases = [\"begun\"]"), ("lost-fix", "reasons = [\"tunnel\"]"), ("tipped", "faces = [\"up\"]"),
    ("sensor-fault", "faults = [\"broken\"]"), ("spool", "troubles = [\"full\"]"), ("geofence", "crossing = \"over\""),
    ("shake", "severity = \"bad\""), ("shake", "phases = []"), ("shake", "sinks = [\"pager\"]"),
    ("shake", "only = [\"night\"]"), ("shake", "except = [\"night\"]"), ("shake", "repeat_s = 1"),
    ("tipped", "clear_deg = 5"), ("rate", "clear_per_min = 5"), ("shake", "group_share = 0.4"),
    ("lost-fix", "group_wait_s = 5"), ("impact", "for_s = 1"), ("together", "group_nodes = 3"),
  ])
  func whatIsUnknownOrMeansNothingIsAMistake(kind: String, key: String) {
    let found = problems("[[rule]]\nkind = \"\(kind)\"\n\(key)")
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasPrefix("fleet.toml:3:") }, "\(found)")
  }

  @Test func allMistakesAreSaidAtOnce() {
    let found = problems("[[rule]]\nkind = \"shake\"\nhold_s = 3\n[[rule]]\nkind = \"silent\"\ncount = 3")
    #expect(found.count == 2)
  }

  // MARK: Labels

  @Test func labelsAreRead() throws {
    let labels = try load(
      "[node.\"pump-7\"]\ntitle = \"Pump 7\"\nsite = \"hall\"\ngroup = \"water\"\n[node.\"x\"]\ntitle = \"X\""
    ).labels
    #expect(labels[try #require(NodeName("pump-7"))] == Label(title: "Pump 7", site: "hall", group: "water"))
    #expect(labels[try #require(NodeName("x"))] == Label(title: "X"))
  }

  @Test(arguments: [
    ("[node.\"Pump 7\"]\ntitle = \"x\"", "fleet.toml:1"), ("[node.\"p\"]\nsite = \"Hall 1\"", "fleet.toml:2:"),
    ("[node.\"p\"]\nsite = \"fleet\"", "fleet.toml:2:"), ("[node.\"p\"]\ngroup = \"a/b\"", "fleet.toml:2:"),
    ("[node.\"p\"]\ncolour = \"red\"", "fleet.toml:2:"),
  ])
  func aLabelThatCannotBeIsAMistake(text: String, place: String) {
    let found = problems(text)
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasPrefix(place) }, "\(found)")
  }

  @Test func whenAnAlertComesAndGoesIsRead() throws {
    let flapping = try load("[alerts]\nflap_count = 7\nflap_window_s = 70\nflap_calm_s = 20").flapping
    #expect(flapping.count == 7 && flapping.windowS == 70 && flapping.calmS == 20)
  }
}

/// From `[[window]]` to windows.
@Suite struct WindowReadingTests {
  @Test func aWindowOfTheWeekIsRead() throws {
    let window = try #require(
      load("[[window]]\nname = \"night\"\ndays = [\"mon\", \"sun\"]\nfrom = \"22:30\"\nto = \"06:00\"").windows.first)
    #expect(window == Window(name: "night", .weekly(days: [0, 6], fromS: 81_000, toS: 21_600)))
    let always = try #require(load("[[window]]\nname = \"x\"").windows.first)
    #expect(always.span == .weekly(days: Set(0..<7), fromS: 0, toS: 86_400))
  }

  @Test func aWindowThatComesOnceIsRead() throws {
    let window = try #require(
      load(
        "[[window]]\nname = \"works\"\nstart = \"2026-12-24T18:00:00Z\"\nend = \"2026-12-25T05:00:00Z\"\n"
          + "maintenance = true\nnodes = \"pump-*\"\nsites = [\"hall\"]\ngroups = [\"water\"]"
      ).windows.first)
    let start = try #require(WallTime(rfc3339: "2026-12-24T18:00:00Z"))
    #expect(window.span == .once(from: start, to: start + 39_600))
    #expect(
      window.maintenance
        == Scope(nodes: [NamePattern("pump-*")], sites: [NamePattern("hall")], groups: [NamePattern("water")]))
    let all = try #require(load("[[window]]\nname = \"x\"\nmaintenance = true").windows.first)
    #expect(all.maintenance == Scope(), "every node")
  }

  @Test(arguments: [
    "days = [\"monday\"]", "days = []", "from = \"24:01\"", "from = \"7:00\"", "to = \"noon\"",
    "zone = \"Mars/Olympus\"", "zone = \"../../etc/passwd\"", "start = \"tomorrow\"", "nodes = \"a\"",
    "sites = [\"hall\"]", "groups = [\"g\"]",
  ])
  func whatCannotBeIsAMistake(key: String) {
    let found = problems("[[window]]\nname = \"x\"\n\(key)")
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasPrefix("fleet.toml:3:") }, "\(found)")
  }

  @Test func aWindowIsOfOneSort() {
    let start = "start = \"2026-12-24T18:00:00Z\""
    let end = "end = \"2026-12-25T18:00:00Z\""
    #expect(problems("[[window]]\nname = \"x\"\n\(start)").count == 1)
    #expect(problems("[[window]]\nname = \"x\"\n\(end)").count == 1)
    let swapped = problems(
      "[[window]]\nname = \"x\"\nstart = \"2026-12-25T18:00:00Z\"\nend = \"2026-12-25T18:00:00Z\"")
    #expect(swapped == ["fleet.toml:4:7: window[1].end must be after start"])
    let both = problems("[[window]]\nname = \"x\"\n\(start)\n\(end)\nfrom = \"10:00\"")
    #expect(both.count == 1 && both.allSatisfy { $0.hasPrefix("fleet.toml:5:") }, "\(both)")
    #expect(problems("[[window]]\nname = \"x\"\n[[window]]\nname = \"x\"").count == 1)
  }

  /// Needs the system's zones (tzdata).
  @Test(.enabled(if: TimeZoneTable.isKnown("Europe/Berlin")))
  func theSystemsZonesAreRead() throws {
    let zone = try #require(
      load("[[window]]\nname = \"x\"\nzone = \"Europe/Berlin\"").windows.first
    ).zone
    // Twenty changes in ten years, each between an hour and two ahead, at 01:00 UTC of a Sunday.
    #expect((19...21).contains(zone.changes.count))
    #expect(Set(zone.changes.map(\.offsetS)) == [3600, 7200])
    #expect(zone.changes.allSatisfy { $0.from.seconds.truncatingRemainder(dividingBy: 86_400) == 3600 })
    #expect(zone.changes.allSatisfy { (Int($0.from.seconds / 86_400) + 3) % 7 == 6 })
    #expect(!TimeZoneTable.isKnown("Europe"))
    #expect(!TimeZoneTable.isKnown("zone.tab"), "a file there that is no zone")
    #expect(!TimeZoneTable.isKnown(""))
  }
}

private func load(_ text: String) throws -> FleetState.Configuration {
  try FleetConfiguration(
    Configuration.load(FleetSchema.schema, text: Array(text.utf8), file: "fleet.toml"), clientID: "judder-fleet-test",
    password: nil, environment: [:]
  ).fleet
}

private func problems(_ text: String) -> [String] {
  do {
    _ = try load(text)
    return []
  } catch let failure as ConfigurationFailure {
    return failure.problems.map(\.description)
  } catch {
    return ["\(error)"]
  }
}
