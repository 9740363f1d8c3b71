internal import Telemetry

/// Why a line of gpsd could not be used.
public enum GpsdLineProblem: String, CaseIterable, Sendable {
  /// Longer than `GpsdLineReader.longestLineBytes`.
  case tooLong = "too_long"
  /// Not JSON, or cut off: gpsd cuts lines at 10 240 bytes.
  case notJSON = "not_json"
  /// JSON, but no object with a `class`.
  case noClass = "no_class"
}

extension GpsdReport {
  /// Reads one line without its end.
  ///
  /// Leniently, because gpsd's fields change with its version and its devices: a field of an unexpected type counts as
  /// missing, and the last of several equal keys wins.
  public static func decode(_ line: [UInt8]) -> Result<GpsdReport, GpsdLineProblem> {
    guard let object = try? JSONValue.parse(line, limits: .lenient) else { return .failure(.notJSON) }
    guard let kind = object["class"]?.string else { return .failure(.noClass) }
    switch kind {
    case "VERSION": return .success(.version(GpsdVersion(release: object.text("release"))))
    case "DEVICES": return .success(.devices((object["devices"]?.array ?? []).map(GpsdDevice.init(json:))))
    case "DEVICE": return .success(.device(GpsdDevice(json: object)))
    case "WATCH": return .success(.watch(GpsdWatch(json: object)))
    case "TPV": return .success(.position(GpsdPosition(json: object)))
    case "SKY": return .success(.sky(GpsdSky(json: object)))
    case "ERROR": return .success(.error(object.text("message") ?? "no message"))
    default: return .success(.ignored(kind: SafeText.escaped(kind, limit: 32)))
    }
  }
}

extension GpsdLineProblem: Error {}

extension GpsdDevice {
  init(json: JSONValue) {
    path = json.path("path")
    driver = json.text("driver")
    switch json["activated"] {
    case .number(let seconds)?: isActivated = seconds != 0
    // gpsd before 3.20 wrote the time 0 as a date.
    case .string(let time)?: isActivated = !time.isEmpty && !time.hasPrefix("1970-01-01")
    // Listed without a time: gpsd has it and has not opened it yet, or keeps that to itself.
    default: isActivated = true
    }
  }
}

extension GpsdWatch {
  init(json: JSONValue) {
    isEnabled = json["enable"]?.bool ?? false
    isJSON = json["json"]?.bool ?? false
    device = json.path("device")
  }
}

extension GpsdPosition {
  init(json: JSONValue) {
    device = json.path("device")
    mode = json["mode"]?.integer.flatMap { (0...3).contains($0) ? $0 : nil } ?? 0
    status = json["status"]?.integer
    time = json["time"].flatMap(WallTime.init(gpsd:))
    latitude = json["lat"]?.number
    longitude = json["lon"]?.number
    altitudeHAEM = json.altitude("altHAE")
    altitudeMSLM = json.altitude("altMSL")
    // Beside the others `alt` is one of them again; alone it is the old name of either.
    altitudeUntaggedM = altitudeMSLM == nil && altitudeHAEM == nil ? json.altitude("alt") : nil
    epvM = json.positive("epv")
    ephM = json.positive("eph")
    epxM = json.positive("epx")
    epyM = json.positive("epy")
    speedMPS = json["speed"]?.number.flatMap { $0 >= 0 ? min($0, JSONValue.mostSpeedMPS) : nil }
    courseDeg = json["track"]?.number.flatMap { (0...360).contains($0) ? ($0 == 360 ? 0 : $0) : nil }
  }
}

extension GpsdSky {
  init(json: JSONValue) {
    device = json.path("device")
    let satellites = json["satellites"]?.array
    used = json.count("uSat") ?? satellites?.count { $0["used"]?.bool == true }
    seen = json.count("nSat") ?? satellites?.count
  }
}

extension JSONValue {
  /// A text fit for a log line.
  fileprivate func text(_ key: String) -> String? {
    self[key]?.string.map { SafeText.escaped($0, limit: 160) }
  }

  /// A device's path as it is; one longer than any path can be is no path.
  fileprivate func path(_ key: String) -> String? {
    guard let path = self[key]?.string, !path.isEmpty, path.utf8.count <= 4096 else { return nil }
    return path
  }

  /// Light does 3e8; messages take no more.
  fileprivate static let mostSpeedMPS = 3e8
  /// More than the way round the globe says no more [m], and two of them together are still fit for a message.
  private static let mostErrorM = 5e7
  /// What a message takes [m]; no receiver is outside.
  private static let altitudeRangeM = -1e5...1e6

  /// An error estimate: 0 is no estimate, and a negative one is none either. An absurd one is not left out: the fix
  /// would be used as one of unknown accuracy.
  fileprivate func positive(_ key: String) -> Double? {
    guard let number = self[key]?.number, number > 0 else { return nil }
    return min(number, JSONValue.mostErrorM)
  }

  fileprivate func altitude(_ key: String) -> Double? {
    guard let number = self[key]?.number, JSONValue.altitudeRangeM.contains(number) else { return nil }
    return number
  }

  fileprivate func count(_ key: String) -> Int? {
    guard let number = self[key]?.integer, number >= 0 else { return nil }
    return number
  }
}
