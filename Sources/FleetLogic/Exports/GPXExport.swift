internal import Telemetry

/// A track for each node (GPX 1.1, <https://www.topografix.com/GPX/1/1/>), a new segment where the fix was lost.
/// Heights are above the sea; those above the ellipsoid are left out, and so is a time that nothing vouches for.
struct GPXExport: Export {
  static let isByNode = true

  private var node: NodeName?
  private var isInSegment = false

  mutating func begin() -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="judder-fleet" xmlns="http://www.topografix.com/GPX/1/1">

    """
  }

  mutating func add(_ event: KeptEvent) -> String {
    guard case .location(let location) = event.telegram?.body else { return "" }
    var text = ""
    if node != event.node {
      text += closeTrack()
      node = event.node
      text += "<trk><name>\(XMLText.escaped(event.node.description))</name>\n"
    }
    switch location {
    case .lost: text += closeSegment()
    case .fixed(let position):
      if position.lostS != nil { text += closeSegment() }
      if !isInSegment { text += "<trkseg>\n" }
      isInSegment = true
      text += Self.point(position, event.fixTime(position.ageS))
    }
    return text
  }

  mutating func end() -> String { closeTrack() + "</gpx>\n" }

  private mutating func closeSegment() -> String {
    defer { isInSegment = false }
    return isInSegment ? "</trkseg>\n" : ""
  }

  private mutating func closeTrack() -> String {
    let text = closeSegment()
    return node == nil ? text : text + "</trk>\n"
  }

  /// In the order of the schema: ele, time, fix.
  private static func point(_ position: LocationMessage.Position, _ time: WallTime?) -> String {
    let place = "lat=\"\(XMLText.number(position.latitude, 7))\" lon=\"\(XMLText.number(position.longitude, 7))\""
    let height = position.heightAboveSeaM.map { "<ele>\(XMLText.number($0, 2))</ele>" } ?? ""
    let when = time.map { "<time>\($0.rfc3339)</time>" } ?? ""
    return "<trkpt \(place)>\(height)\(when)<fix>\(position.dimensions == 3 ? "3d" : "2d")</fix></trkpt>\n"
  }
}

extension LocationMessage.Position {
  /// Nil where it is not known, or above the ellipsoid.
  var heightAboveSeaM: Double? { altitudeSource == .hae ? nil : altitudeM }
}
