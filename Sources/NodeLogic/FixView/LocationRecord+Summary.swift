internal import Telemetry

extension LocationRecord {
  /// A few words for people: `odometer 12.3 km, inside depot and 2 more`.
  public var summary: String {
    let travelled = "odometer \(ViewText.distance(odometer.totalM))"
    guard let fence = fences.first else { return "\(travelled), inside no fence" }
    let more = fences.count > 1 ? " and \(fences.count - 1) more" : ""
    return "\(travelled), inside \(SafeText.escaped(fence.name))\(more)"
  }
}
