internal import Telemetry

// What the log says of things that happen.

extension AccelerometerDescription {
  /// One line for people.
  var summary: String {
    let way =
      switch capture {
      case .buffered: "buffered"
      case .polled(let why): "polled (\(why))"
      case .held(let why): "held (\(why))"
      case .generated: source.rawValue
      }
    let sleep =
      switch wake {
      case .off: ""
      case .on(let event): "; sleeps when quiet, until \(event)"
      case .refused(let why): "; does not sleep: \(why)"
      }
    return "accelerometer: \(name) at \(tenths(rateHz)) Hz, \(way)\(sleep)"
  }
}

extension GpsdInput {
  /// What is worth a line.
  func note(_ endpoint: String) -> Note? {
    switch self {
    case .link(.up(let release)): Note(.notice, "gpsd", "gpsd at \(endpoint): release \(release ?? "unknown") answers")
    case .link(.down(let reason)): Note(.warning, "gpsd", "gpsd at \(endpoint): \(reason); trying again")
    case .report(.error(let message)): Note(.warning, "gpsd request", "gpsd refuses a request: \(message)")
    case .unreadable(let problem):
      Note(.warning, "gpsd line", "gpsd sent a line that cannot be used (\(problem.rawValue)); health counts them")
    case .report: nil
    }
  }
}

extension ShakeEvent {
  /// One line for whoever shakes the node to try it.
  var note: Note {
    let cause = reason.map { " (\($0.rawValue))" } ?? ""
    return Note(.info, "shake", "shake \(id) \(phase.rawValue)\(cause), peak \((peakG * 1000).rounded() / 1000) g")
  }
}

extension ImpactEvent {
  /// One line for whoever drops the node to try it.
  var note: Note {
    let height = fallS.map { ", after a fall of \(Int(($0 * 1000).rounded())) ms" } ?? ""
    let others = heldBack > 0 ? "; \(heldBack) before it were not sent" : ""
    let peak = "\(isClipped ? "at least " : "")\(tenths(peakG)) g"
    let text = "impact \(id), peak \(peak), \((dvMps * 100).rounded() / 100) m/s\(height)\(others)"
    return Note(.info, "impact", text)
  }
}

extension FreeFallEvent {
  /// One line for whoever drops the node to try it.
  var note: Note {
    Note(.info, "freefall", "fall \(id), \(Int((durationS * 1000).rounded())) ms, \((dropM * 100).rounded() / 100) m")
  }
}

extension FixDecision {
  /// What is worth a line: that there was a jump. Each text without its numbers, because a line that garbles goes on.
  var note: Note? {
    if isJump {
      return Note(
        .notice, "jump",
        "location: rejected fixes agree that the node is elsewhere; it is there now, and did not travel there")
    }
    switch verdict {
    case .rejected(.speed), .rejected(.acceleration), .rejected(.reportedSpeed):
      return Note(
        .info, "jump",
        "location: fixes that no vehicle can have got to are rejected; health.gps.faults.jumps counts them, and "
          + "judder-node fix shows them")
    default: return nil
    }
  }
}

extension GeofenceEvent {
  /// One line for whoever drives the node about to try it.
  var note: Note {
    let name = "'\(SafeText.escaped(fence))'"
    let text =
      switch (kind, isFirst) {
      case (.enter, false): "entered \(name)"
      case (.enter, true): "found inside \(name)"
      case (.leave, false): "left \(name)"
      case (.leave, true): "found outside \(name)"
      }
    return Note(.info, "geofence", "geofence: \(text), \(tenths(edgeM)) m from its edge")
  }
}

extension LocationMessage {
  /// What is worth a line: that there is a position, or none. Not each position: a log on an SD card would wear it out.
  var note: Note? {
    switch self {
    case .fixed(let position):
      switch position.cause {
      case .first, .regained: Note(.notice, "location", "location: \(position.dimensions)D fix")
      case .distance, .interval, .request: nil
      }
    case .lost(let loss): Note(.warning, "location", "location: lost, \(loss.reason.rawValue)")
    }
  }
}
