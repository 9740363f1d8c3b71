/// Fences seen from one place: inside which it is, and how far the others are.
public struct GeofenceDistances: Equatable, Sendable {
  /// So many are named; of the others only the number is told.
  public static let mostNamed = 3
  /// Nobody looks after fences so far off from one node [m].
  static let farM = 100_000.0
  /// A fence that would be so near with its two numbers swapped has them swapped [m].
  static let nearM = 50_000.0

  /// A fence and the distance to its edge [m], negative inside.
  private struct Row: Equatable {
    var name: String
    var edgeM: Double
  }

  private let inside: [String]
  private let outside: [Row]
  /// The names of fences whose latitude and longitude seem to be swapped.
  public let swapped: [String]

  /// - Parameter place: from where they are seen.
  public init(_ fences: [Geofence], from place: Coordinate) {
    let rows = fences.map { Row(name: $0.name, edgeM: $0.edgeDistanceM(from: place)) }
    inside = rows.filter { $0.edgeM <= 0 }.map(\.name)
    outside = rows.filter { $0.edgeM > 0 }.sorted { ($0.edgeM, $0.name) < ($1.edgeM, $1.name) }
    let mirrored = Coordinate(latitude: place.longitude, longitude: place.latitude)
    swapped = zip(fences, rows).compactMap { fence, row in
      guard let mirrored, row.edgeM > Self.farM else { return nil }
      return fence.edgeDistanceM(from: mirrored) < Self.nearM ? fence.name : nil
    }
  }

  /// `inside depot; 1866 m from customer`: the nearest, and how many more there are.
  public var text: String {
    var parts: [String] = []
    if !inside.isEmpty {
      let more = inside.count > Self.mostNamed ? " and \(inside.count - Self.mostNamed) more" : ""
      parts.append("inside \(inside.prefix(Self.mostNamed).joined(separator: ", "))\(more)")
    }
    if !outside.isEmpty {
      let named = outside.prefix(Self.mostNamed).map { "\(ViewText.distance($0.edgeM)) from \($0.name)" }
      let more = outside.count > Self.mostNamed ? " and farther from \(outside.count - Self.mostNamed) more" : ""
      parts.append(named.joined(separator: ", ") + more)
    }
    return parts.joined(separator: "; ")
  }
}
