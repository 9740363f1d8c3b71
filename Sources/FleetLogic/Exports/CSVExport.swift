internal import Telemetry

/// A row an event (RFC 4180), in the order in which they are added. Unknown is empty. A text that a spreadsheet would
/// take for a formula gets an apostrophe before it.
struct CSVExport: Export {
  static let isByNode = false

  private static let columns = [
    "time", "t", "received", "received_t", "node", "boot", "seq", "stream", "clk", "late", "event", "id", "peak_g",
    "duration_s", "lat", "lon", "acc_m", "alt_m", "alt_src", "speed_mps", "course_deg", "age_s", "fence", "text",
  ]

  mutating func begin() -> String { Self.columns.joined(separator: ",") + "\r\n" }
  mutating func end() -> String { "" }

  mutating func add(_ event: KeptEvent) -> String {
    var row: [String: String] = [
      "received": event.received.rfc3339, "received_t": Decimal.text(event.received.seconds, decimals: 3),
      "node": event.node.description, "boot": event.boot.description, "seq": String(event.sequence),
      "stream": event.stream.rawValue, "late": event.isLate ? "1" : "0",
    ]
    row["time"] = event.measured?.rfc3339
    row["t"] = Self.number(event.measured?.seconds, 3)
    row["clk"] = event.clock?.rawValue
    if let body = event.telegram?.body {
      row["text"] = Self.text(PlainLine.sentence(body))
      Self.fill(&row, body)
    }
    return Self.columns.map { row[$0] ?? "" }.joined(separator: ",") + "\r\n"
  }

  private static func fill(_ row: inout [String: String], _ body: Telegram.Body) {
    switch body {
    case .shake(let shake):
      row["event"] = shake.phase.rawValue
      row["id"] = String(shake.id)
      row["peak_g"] = number(shake.peakG, 4)
      row["duration_s"] = number(shake.durationS, 3)
    case .impact(let impact):
      row["peak_g"] = number(impact.peakG, 4)
      row["duration_s"] = number(impact.durationS, 6)
    case .freeFall(let fall): row["duration_s"] = number(fall.durationS, 3)
    case .orientation(let orientation): row["event"] = orientation.face.rawValue
    case .location(.fixed(let position)): fill(&row, position)
    case .location(.lost(let loss)): row["event"] = loss.reason.rawValue
    case .geofence(let geofence):
      row["event"] = geofence.event.rawValue
      row["fence"] = text(geofence.fence)
      row["lat"] = number(geofence.latitude, 7)
      row["lon"] = number(geofence.longitude, 7)
      row["acc_m"] = number(geofence.accuracyM, 2)
      row["age_s"] = number(geofence.ageS, 3)
    case .evicted(let evicted): row["event"] = evicted.reason.rawValue
    case .waveform(let chunk): row["id"] = String(chunk.id)
    case .status, .acceleration, .health, .reply: break
    }
  }

  private static func fill(_ row: inout [String: String], _ position: LocationMessage.Position) {
    row["event"] = "\(position.dimensions)D"
    row["lat"] = number(position.latitude, 7)
    row["lon"] = number(position.longitude, 7)
    row["acc_m"] = number(position.accuracyM, 2)
    row["alt_m"] = number(position.altitudeM, 2)
    row["alt_src"] = position.altitudeSource?.rawValue
    row["speed_mps"] = number(position.speedMPS, 3)
    row["course_deg"] = number(position.courseDeg, 2)
    row["age_s"] = number(position.ageS, 3)
  }

  private static func number(_ value: Double?, _ decimals: Int) -> String? {
    value.flatMap { $0.isFinite ? Decimal.text($0, decimals: decimals) : nil }
  }

  /// Quoted where it must be, and never a formula (OWASP, CSV injection).
  static func text(_ text: String) -> String {
    var safe = SafeText.escaped(text, limit: 1000)
    if let first = safe.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) { safe = "'" + safe }
    guard safe.contains(where: { ",\"\r\n".contains($0) }) else { return safe }
    return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
