internal import Daemon
internal import FleetLogic
internal import Telemetry

// What the configuration says about parts of the calendar.
extension Window {
  private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// The section of fleet.toml.
  static let section = ConfigurationSection(
    "window", .list,
    summary: "Parts of the calendar, which rules name in only and except: quiet hours, working days, maintenance.",
    [
      .text("name", "What rules call it.").required,
      .texts("days", note: "every day", "Days of the week: \(dayNames.joined(separator: ", ")).").checked {
        guard case .texts(let texts) = $0, texts.isEmpty || !texts.allSatisfy({ dayNames.contains($0) }) else {
          return nil
        }
        return "must be some of \(dayNames.joined(separator: ", "))"
      },
      .text("from", note: "00:00", "Time of the day at which it begins, HH:MM.").checked { clockComplaint($0) },
      .text(
        "to", note: "24:00", "Time of the day at which it ends, HH:MM; not after from: on the next day."
      ).checked { clockComplaint($0) },
      .text(
        "zone", note: "UTC", "Whose time that is: UTC, local for this system's, or a name such as Europe/Berlin."
      ).checked {
        guard case .text(let name) = $0 else { return nil }
        return TimeZoneTable.isKnown(name) ? nil : "must be UTC, local, or the name of a time zone this system knows"
      },
      .text("start", note: "it comes every week", "For one that comes once: when it begins, 2026-12-24T18:00:00Z.")
        .checked { timeComplaint($0) },
      .text("end", note: "required with start", "When that ends.").checked { timeComplaint($0) },
      .flag(
        "maintenance", note: "false",
        "Somebody works on the nodes below meanwhile: none of their alerts is told until it is over."),
      .text("nodes", default: "*", "Only with maintenance: whose alerts; as in [[rule]].").checked {
        Scope.complaint($0)
      },
      .texts("sites", note: "any", "Likewise."),
      .texts("groups", note: "any", "Likewise."),
    ])

  /// All of them.
  static func list(_ configuration: Configuration) throws(ConfigurationFailure) -> [Window] {
    var problems: [ConfigurationProblem] = []
    var windows: [Window] = []
    for table in configuration.rows("window") {
      problems += complaints(table)
      if windows.contains(where: { $0.name == table.text("name") }) {
        problems.append(table.problem("name", "is that of a window before; set another"))
      }
      windows.append(Window(table))
    }
    guard problems.isEmpty else { throw ConfigurationFailure(problems) }
    return windows
  }

  private static func complaints(_ table: ConfigurationTable) -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    let isOnce = table.isSet("start") || table.isSet("end")
    if isOnce {
      for key in ["days", "from", "to", "zone"] where table.isSet(key) {
        problems.append(table.problem(key, "is for windows that come every week, and this one has a start; remove it"))
      }
      let start = table.optionalText("start").flatMap { WallTime(rfc3339: $0) }
      let end = table.optionalText("end").flatMap { WallTime(rfc3339: $0) }
      switch (start, end) {
      case (nil, _): problems.append(table.problem("start", "is missing: there is an end"))
      case (_, nil): problems.append(table.problem("end", "is missing: there is a start"))
      case (let start?, let end?): if end <= start { problems.append(table.problem("end", "must be after start")) }
      }
    }
    if table.optionalFlag("maintenance") != true {
      for key in ["nodes", "sites", "groups"] where table.isSet(key) {
        problems.append(table.problem(key, "is for maintenance = true; set that, or remove it"))
      }
    }
    return problems
  }

  private init(_ table: ConfigurationTable) {
    let span: Span
    if let start = table.optionalText("start").flatMap({ WallTime(rfc3339: $0) }),
      let end = table.optionalText("end").flatMap({ WallTime(rfc3339: $0) })
    {
      span = .once(from: start, to: end)
    } else {
      let days = (table.optionalTexts("days") ?? Self.dayNames).compactMap { Self.dayNames.firstIndex(of: $0) }
      span = .weekly(
        days: Set(days), fromS: Self.secondOfDay(table.optionalText("from") ?? "00:00") ?? 0,
        toS: Self.secondOfDay(table.optionalText("to") ?? "24:00") ?? 86_400)
    }
    self.init(
      name: table.text("name"), span, zone: TimeZoneTable.zone(table.optionalText("zone") ?? "UTC"),
      maintenance: table.optionalFlag("maintenance") == true ? Scope(table) : nil)
  }

  /// Seconds after midnight; nil unless it is 00:00 to 24:00.
  private static func secondOfDay(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { (48...57).contains($0) } }),
      let hours = Int(parts[0]), let minutes = Int(parts[1]), minutes < 60, hours * 60 + minutes <= 1440
    else { return nil }
    return Double(hours * 3600 + minutes * 60)
  }

  private static func clockComplaint(_ value: ConfigurationValue) -> String? {
    guard case .text(let text) = value else { return nil }
    return secondOfDay(text) == nil ? "must be a time of the day such as 22:30" : nil
  }

  private static func timeComplaint(_ value: ConfigurationValue) -> String? {
    guard case .text(let text) = value else { return nil }
    return WallTime(rfc3339: text) == nil ? "must be a time such as 2026-12-24T18:00:00Z" : nil
  }
}
