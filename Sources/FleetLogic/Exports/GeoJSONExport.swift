internal import Telemetry

/// Positions and crossings of fences as points (RFC 7946): longitude, latitude, and the height above the ellipsoid
/// where the receiver gave that one; a height above the sea is a property.
struct GeoJSONExport: Export {
  static let isByNode = false

  private var isFirst = true

  mutating func begin() -> String { "{\"type\":\"FeatureCollection\",\"features\":[" }
  mutating func end() -> String { "\n]}\n" }

  mutating func add(_ event: KeptEvent) -> String {
    let feature: String?
    switch event.telegram?.body {
    case .location(.fixed(let position)):
      let heightM = position.altitudeSource == .hae ? position.altitudeM : nil
      feature = Self.feature(event, position.latitude, position.longitude, heightM, position.ageS) { json in
        json.integer("dimensions", position.dimensions)
        json.number("acc_m", position.accuracyM, decimals: 2)
        json.number("alt_m", position.heightAboveSeaM, decimals: 2)
        json.number("speed_mps", position.speedMPS, decimals: 3)
        json.number("course_deg", position.courseDeg, decimals: 2)
      }
    case .geofence(let geofence):
      feature = Self.feature(event, geofence.latitude, geofence.longitude, nil, geofence.ageS) { json in
        json.string("fence", SafeText.escaped(geofence.fence))
        json.string("event", geofence.event.rawValue)
        json.number("acc_m", geofence.accuracyM, decimals: 2)
      }
    default: feature = nil
    }
    guard let feature else { return "" }
    defer { isFirst = false }
    return (isFirst ? "\n" : ",\n") + feature
  }

  private static func feature(
    _ event: KeptEvent, _ latitude: Double, _ longitude: Double, _ heightM: Double?, _ ageS: Double,
    _ more: (inout JSONWriter) -> Void
  ) -> String {
    var json = JSONWriter()
    json.object { json in
      json.string("type", "Feature")
      json.object("geometry") { json in
        json.string("type", "Point")
        json.array("coordinates") { json in
          json.number(longitude, decimals: 7)
          json.number(latitude, decimals: 7)
          if let heightM { json.number(heightM, decimals: 2) }
        }
      }
      json.object("properties") { json in
        json.string("node", event.node.description)
        json.string("stream", event.stream.rawValue)
        json.string("time", event.fixTime(ageS)?.rfc3339)
        json.number("t", event.fixTime(ageS)?.seconds, decimals: 3)
        json.number("received_t", event.received.seconds, decimals: 3)
        more(&json)
      }
    }
    return json.text
  }
}
