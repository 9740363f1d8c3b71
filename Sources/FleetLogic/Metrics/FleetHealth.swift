internal import Telemetry

/// Whether the fleet tool does what it is there for, for those who ask now and then.
public enum FleetHealth {
  /// What is wrong, one line each; empty: nothing is.
  public static func troubles(_ fleet: FleetState) -> [String] {
    var troubles: [String] = []
    switch fleet.link {
    case .none: troubles.append("not connected to the broker yet")
    case .connected: break
    case .disconnected(let reason, _): troubles.append("no link to the broker: \(reason)")
    }
    if case .failed(let reason) = fleet.storing { troubles.append("nothing is kept: \(reason)") }
    return troubles
  }

  /// `ok`, or a line of JSON that says what is wrong; with the line's end.
  public static func text(_ troubles: [String]) -> [UInt8] {
    guard !troubles.isEmpty else { return Array("ok\n".utf8) }
    var json = JSONWriter()
    json.object { json in
      json.string("status", "failing")
      json.array("reasons") { json in for trouble in troubles { json.string(trouble) } }
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }
}
