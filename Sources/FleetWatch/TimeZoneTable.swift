internal import FleetLogic
internal import Glibc
internal import Telemetry

/// The system's time zones (tzset(3), localtime_r(3)), as tables for logic that reads no clock.
enum TimeZoneTable {
  private static let folder = "/usr/share/zoneinfo"
  /// A table goes so far [days]: some ten years from the start of the program.
  private static let days = 3660

  /// Whether the system knows a zone of that name.
  static func isKnown(_ name: String) -> Bool {
    if ["UTC", "local"].contains(name) { return true }
    guard !name.hasPrefix("/"), !name.contains(".."), !name.isEmpty else { return false }
    // Other files are there, too: a zone's begins with TZif (tzfile(5)).
    guard let file = fopen("\(folder)/\(name)", "re") else { return false }
    defer { fclose(file) }
    var magic = [UInt8](repeating: 0, count: 4)
    return fread(&magic, 1, 4, file) == 4 && magic == Array("TZif".utf8)
  }

  /// The table of a zone that `isKnown`, from a day ago on.
  ///
  /// Sets the environment's TZ for a moment: to be called before there are other threads.
  static func zone(_ name: String) -> Zone {
    guard name != "UTC" else { return .utc }
    let before = getenv("TZ").map { String(cString: $0) }
    if name != "local" { setenv("TZ", ":\(name)", 1) }
    tzset()
    defer {
      if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
      tzset()
    }
    return table(from: time(nil) - 86_400)
  }

  private static func table(from start: Int) -> Zone {
    var zone = Zone(offsetS: offset(start))
    var known = zone.offsetS
    for day in 1...days {
      let second = start + day * 86_400
      guard offset(second) != known else { continue }
      let change = firstChange(after: second - 86_400, before: second, from: known)
      known = offset(second)
      zone.changes.append(Zone.Change(from: WallTime(seconds: Double(change)), offsetS: known))
    }
    return zone
  }

  /// The first second whose offset is another one, by halving.
  private static func firstChange(after low: Int, before high: Int, from known: Double) -> Int {
    var (low, high) = (low, high)
    while high - low > 1 {
      let middle = (low + high) / 2
      if offset(middle) == known { low = middle } else { high = middle }
    }
    return high
  }

  private static func offset(_ second: Int) -> Double {
    var second = second
    var parts = tm()
    localtime_r(&second, &parts)
    return Double(parts.tm_gmtoff)
  }
}
