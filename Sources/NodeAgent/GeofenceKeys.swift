internal import Daemon
internal import NodeLogic

// The fences of node.toml, and what they become.

extension Geofence {
  /// The section of node.toml.
  static let section = ConfigurationSection(
    "geofence", .list,
    summary: "An area: the node publishes when it comes in and when it leaves. Circles have lat, lon and radius_m, "
      + "others polygon. At most \(most) of these.",
    [
      .text("name", "How messages name it: 1 to 64 bytes, each name once.").required,
      .number("lat", -90...90, unit: "deg", note: "needed for a circle", "Latitude of the centre, WGS 84."),
      .number("lon", -180...180, unit: "deg", note: "needed for a circle", "Longitude of the centre, WGS 84."),
      .number("radius_m", radiusRangeM, unit: "m", note: "needed for a circle", "Radius of a circle."),
      .numbers(
        "polygon", unit: "deg", note: "a circle",
        "Latitude and longitude of each corner in turn, in the order of the edges: lat, lon, lat, lon, ... "
          + "\(cornerRange.lowerBound) to \(cornerRange.upperBound) corners, and at most "
          + "\(Int(longestM / 1000)) km from one to another. The last edge leads back to the first corner."),
      .number(
        "hysteresis_m", hysteresisRangeM, unit: "m", default: defaultHysteresisM,
        "The node has left when it is so far outside, or farther where the fix is less accurate. Where the accuracy is "
          + "unknown, it has also entered when it is so far inside."),
    ])

  /// All fences.
  ///
  /// - Throws: what is wrong with them, one line each.
  static func all(_ configuration: Configuration) throws(ConfigurationFailure) -> [Geofence] {
    let rows = configuration.rows("geofence")
    var problems: [ConfigurationProblem] = []
    var fences: [Geofence] = []
    for row in rows {
      do throws(ConfigurationFailure) {
        let fence = try make(row)
        if fences.contains(where: { $0.name == fence.name }) {
          problems.append(row.problem("name", "gives the name '\(fence.name)' to a second fence; set another name"))
        }
        fences.append(fence)
      } catch {
        problems += error.problems
      }
    }
    if rows.count > most, let place = rows[most].place {
      problems.append(
        ConfigurationProblem(place: place, text: "geofence is there \(rows.count) times; at most \(most)"))
    }
    guard problems.isEmpty else { throw ConfigurationFailure(problems) }
    return fences
  }

  private static func make(_ row: ConfigurationTable) throws(ConfigurationFailure) -> Geofence {
    let shape = row.isSet("polygon") ? try polygon(row) : try circle(row)
    do throws(GeofenceProblem) {
      return try Geofence(name: row.text("name"), shape, hysteresisM: row.number("hysteresis_m"))
    } catch {
      throw ConfigurationFailure([row.problem(error.key, "\(error)")])
    }
  }

  private static func circle(_ row: ConfigurationTable) throws(ConfigurationFailure) -> Shape {
    let missing = ["lat", "lon", "radius_m"].filter { !row.isSet($0) }
    guard missing.isEmpty, let latitude = row.optionalNumber("lat"), let longitude = row.optionalNumber("lon"),
      let radiusM = row.optionalNumber("radius_m"),
      let centre = Coordinate(latitude: latitude, longitude: longitude)
    else {
      let what =
        missing.count == 3
        ? "needs either lat, lon and radius_m, or polygon" : "needs \(missing.joined(separator: " and ")) for a circle"
      throw ConfigurationFailure([
        ConfigurationProblem(place: row.place ?? "configuration", text: "\(row.label) \(what)")
      ])
    }
    return .circle(centre: centre, radiusM: radiusM)
  }

  private static func polygon(_ row: ConfigurationTable) throws(ConfigurationFailure) -> Shape {
    let misplaced = ["lat", "lon", "radius_m"].filter { row.isSet($0) }
    guard misplaced.isEmpty else {
      throw ConfigurationFailure(
        misplaced.map { row.problem($0, "is for a circle, and this fence has a polygon; remove one of the two") })
    }
    let numbers = row.numbers("polygon")
    guard numbers.count.isMultiple(of: 2) else {
      let text = "has \(numbers.count) numbers; it must have two for each corner: lat, lon, lat, lon, ..."
      throw ConfigurationFailure([row.problem("polygon", text)])
    }
    var corners: [Coordinate] = []
    for index in stride(from: 0, to: numbers.count, by: 2) {
      guard let corner = Coordinate(latitude: numbers[index], longitude: numbers[index + 1]) else {
        let text =
          "has a corner that is not on the globe: corner \(index / 2 + 1) is lat \(numbers[index]), lon "
          + "\(numbers[index + 1]); lat goes from -90 to 90 and comes first, lon from -180 to 180"
        throw ConfigurationFailure([row.problem("polygon", text)])
      }
      corners.append(corner)
    }
    return .polygon(corners)
  }
}
