public import Telemetry

/// Events as lines for people.
extension FixEntry {
  /// What happened in one line, without its time.
  ///
  /// A message that would be published stands after `=>`, exactly as a node would send it.
  public var text: String {
    switch event {
    case .link(.up(let release)): "gpsd: answers, release \(SafeText.escaped(release ?? "unknown"))"
    case .link(.down(let reason)): "gpsd: \(SafeText.escaped(reason, limit: 200))"
    case .devices(let devices): "receivers: \(FixEntry.list(devices))"
    case .report(let report, let sky): FixEntry.sentence(report, sky)
    case .refusal(let reason): "gpsd refuses a request: \(SafeText.escaped(reason, limit: 200))"
    case .unreadable(let problem): "gpsd sent a line that cannot be used (\(problem.rawValue))"
    case .decided(let decision): decision.text
    case .lost(let loss): loss.sentence
    case .published(let topic, let telegram): "=> \(topic) \(String(decoding: telegram.encode(), as: UTF8.self))"
    case .accelerometer(let text): "accelerometer: \(text)"
    }
  }

  /// The same for a list of the last events: a message is said in a few words.
  var brief: String {
    guard case .published(_, let telegram) = event else { return text }
    switch telegram.body {
    case .location(.fixed(let position)): return "published: \(position.cause.rawValue)"
    case .geofence(let crossing): return "published: \(crossing.event.rawValue) \(SafeText.escaped(crossing.fence))"
    default: return "published: \(telegram.body.stream.rawValue)"
    }
  }

  /// With the time of the host's calendar before it.
  public func line(_ clock: ClockState) -> String { "\(clock.wall(at: at).rfc3339) \(text)" }

  static func list(_ devices: [GpsdDevice]) -> String {
    let present = devices.filter(\.isActivated)
    return present.isEmpty ? "none" : present.map(name).joined(separator: ", ")
  }

  static func name(_ device: GpsdDevice) -> String {
    SafeText.escaped(device.path ?? "?") + (device.driver.map { " (\(SafeText.escaped($0)))" } ?? "")
  }

  private static func sentence(_ report: GpsdPosition, _ sky: GpsdSky?) -> String {
    let device = report.device.map { " from \(SafeText.escaped($0))" } ?? ""
    if report.coordinate != nil {
      return "report: \(report.isSimulated ? "simulated " : "")\(report.mode)D fix\(device)"
    }
    let heard = sky?.seen.map { ", \(sky?.used ?? 0) of \($0) satellites used" } ?? ""
    return "report: no fix (mode \(report.mode))\(device)\(heard)"
  }
}

extension LocationMessage.Loss {
  /// One line for people.
  var sentence: String {
    let by = rejectedBy.map { " for \($0.rawValue)" } ?? ""
    let accuracy = rejectedAccuracyM.map { ", the last with \(ViewText.distance($0))" } ?? ""
    guard let last else { return "lost: \(reason.rawValue)\(by)\(accuracy), no good fix before" }
    return "lost: \(reason.rawValue)\(by)\(accuracy), last good fix \(ViewText.duration(last.ageS)) ago at"
      + " \(ViewText.place(last.latitude, last.longitude))"
  }
}
