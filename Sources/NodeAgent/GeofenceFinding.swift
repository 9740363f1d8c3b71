internal import BrokerLink
internal import NodeLogic
internal import Telemetry

extension CheckCommand {
  /// What `check` says of the fences, held against where the node is.
  ///
  /// - Parameter place: nil where gpsd gave no fix.
  /// - Returns: nil without any fence.
  static func geofence(_ fences: [Geofence], from place: Coordinate?) -> Finding? {
    guard !fences.isEmpty else { return nil }
    let count = fences.count == 1 ? "1 fence" : "\(fences.count) fences"
    guard let place else { return Finding(.good, "geofence", "\(count); without a fix no distance is known") }
    let distances = GeofenceDistances(fences, from: place)
    let text = "\(count); \(distances.text)"
    guard let name = distances.swapped.first else { return Finding(.good, "geofence", text) }
    let more = distances.swapped.count > 1 ? " and \(distances.swapped.count - 1) more" : ""
    return Finding(
      .warning, "geofence", text, remedy: "lat and lon of \(name)\(more) seem to be swapped: lat comes first")
  }
}
