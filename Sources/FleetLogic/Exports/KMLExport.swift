internal import Telemetry

/// A track for each node and each time without a loss of its fix (KML 2.2, gx:Track, which wants all times before all
/// places). A position without a time that anything vouches for is a point without one.
struct KMLExport: Export {
  static let isByNode = true

  /// Positions of one track at the most: a longer one goes on in another.
  private static let mostInTrack = 5000

  private struct Place {
    var time: WallTime
    var coordinates: String
    var hasHeight: Bool
  }

  private var node: NodeName?
  private var places: [Place] = []

  mutating func begin() -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
    <Document>

    """
  }

  mutating func add(_ event: KeptEvent) -> String {
    guard case .location(let location) = event.telegram?.body else { return "" }
    var text = node == event.node ? "" : closeTrack()
    node = event.node
    guard case .fixed(let position) = location else { return text + closeTrack() }
    if position.lostS != nil || places.count >= Self.mostInTrack { text += closeTrack() }
    let numbers =
      [(position.longitude, 7), (position.latitude, 7)] + (position.heightAboveSeaM.map { [($0, 2)] } ?? [])
    let coordinates = numbers.map { XMLText.number($0.0, $0.1) }
    guard let time = event.fixTime(position.ageS) else {
      let name = XMLText.escaped("\(event.node), time unknown")
      return text + "<Placemark><name>\(name)</name><Point><coordinates>"
        + "\(coordinates.joined(separator: ","))</coordinates></Point></Placemark>\n"
    }
    places.append(
      Place(time: time, coordinates: coordinates.joined(separator: " "), hasHeight: position.heightAboveSeaM != nil))
    return text
  }

  mutating func end() -> String { closeTrack() + "</Document>\n</kml>\n" }

  private mutating func closeTrack() -> String {
    defer { places = [] }
    guard let node, !places.isEmpty else { return "" }
    let mode = places.allSatisfy(\.hasHeight) ? "<altitudeMode>absolute</altitudeMode>\n" : ""
    let times = places.map { "<when>\($0.time.rfc3339)</when>\n" }.joined()
    // gx:coord wants a height; without the mode it is not looked at.
    let track = places.map { "<gx:coord>\($0.coordinates)\($0.hasHeight ? "" : " 0")</gx:coord>\n" }.joined()
    let name = XMLText.escaped(node.description)
    return "<Placemark><name>\(name)</name><gx:Track>\n\(mode)\(times)\(track)</gx:Track></Placemark>\n"
  }
}
