public import Telemetry

/// Writes events in a format of other programs, piece by piece. Pure: the answer is what comes next of the file.
public protocol Export {
  /// The format wants one node's events after the other's.
  static var isByNode: Bool { get }
  /// What stands before the first event.
  mutating func begin() -> String
  /// An event; those of a node come oldest first.
  mutating func add(_ event: KeptEvent) -> String
  /// What is left at the end.
  mutating func end() -> String
}

/// What events can be written as.
public enum ExportFormat: String, CaseIterable, Sendable {
  /// A row an event; RFC 4180.
  case csv
  /// Tracks; GPX 1.1.
  case gpx
  /// Positions and crossings of fences as points; RFC 7946.
  case geojson
  /// Tracks with times; OGC KML 2.2 with Google's gx extension.
  case kml

  /// The one that writes it.
  public func make() -> any Export {
    switch self {
    case .csv: CSVExport()
    case .gpx: GPXExport()
    case .geojson: GeoJSONExport()
    case .kml: KMLExport()
    }
  }

  /// The streams that it can show.
  public var streams: [Stream]? {
    switch self {
    case .csv: nil
    case .gpx, .kml: [.location]
    case .geojson: [.location, .geofence]
    }
  }
}

extension KeptEvent {
  /// What it says; nil when this version cannot read it.
  public var telegram: Telegram? { try? Telegram.decode(stream: stream, payload: payload) }

  /// When a fix was taken, `ageS` before the message; nil when nothing vouches for it.
  func fixTime(_ ageS: Double) -> WallTime? { measured.map { $0 + -ageS } }
}

/// Text in XML 1.0.
enum XMLText {
  /// With `&`, `<`, `>` and quotes escaped, and what no XML may have (2.2, Char) shown as SafeText does.
  static func escaped(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": shown += "&amp;"
      case "<": shown += "&lt;"
      case ">": shown += "&gt;"
      case "\"": shown += "&quot;"
      case "'": shown += "&apos;"
      default:
        switch scalar.value {
        case 0xFFFE, 0xFFFF: shown += "\\u{\(String(scalar.value, radix: 16))}"
        case 0..<0x20, 0x7F..<0xA0: shown += SafeText.escaped(String(scalar))
        default: shown.unicodeScalars.append(scalar)
        }
      }
    }
    return shown
  }

  static func number(_ value: Double, _ decimals: Int) -> String { Decimal.text(value, decimals: decimals) }
}
