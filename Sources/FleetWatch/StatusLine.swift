internal import FleetLogic
internal import Sinks

/// What `systemctl status` says of the fleet tool: the broker, and whatever stands still.
struct StatusLine {
  let fleet: FleetState
  let endpoint: String
  /// Why nothing is kept; nil where it is.
  let storeTrouble: String?
  let sinks: [SinkState]

  var text: String {
    var parts: [String]
    if case .connected = fleet.link {
      parts = ["watching \(fleet.configuration.prefix), connected to \(endpoint)"]
    } else {
      parts = ["no broker at \(endpoint)"]
    }
    if let storeTrouble { parts.append("nothing is kept: \(storeTrouble)") }
    parts += sinks.filter { $0.problem != nil }.map { "sink \($0.name) does not deliver, \($0.queued) wait" }
    let strangers = fleet.quarantine.nodes
    if strangers > 0 { parts.append("about \(strangers) nodes are not taken in") }
    return parts.joined(separator: "; ")
  }
}
