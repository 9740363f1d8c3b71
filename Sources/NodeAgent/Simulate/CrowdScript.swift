internal import Daemon
internal import NodeLogic
internal import Telemetry

/// What a crowd of simulated nodes goes through, and when.
struct CrowdScript {
  /// One line of the agenda.
  struct Step {
    /// Since the script began [s].
    var atS: Double
    /// Which nodes, counted from 0.
    var nodes: [Int]
    var action: CrowdAction
    /// How the log names it.
    var label: String
  }

  /// Where the crowd lives.
  struct Place {
    var centre: Coordinate
    /// Homes are so far from the centre at the most, east and north [m].
    var spreadM: Double
  }

  var place: Place
  /// In the order of their times.
  var steps: [Step]

  /// A crowd that goes through nothing.
  static func empty() throws(ConfigurationFailure) -> CrowdScript { try CrowdScript(text: [], names: []) }

  /// Reads a script.
  ///
  /// - Parameters:
  ///   - file: its path; "script" stands in complaints where there is none.
  ///   - names: the nodes' names.
  /// - Throws: all that is wrong with it, one line each, with the file and the line.
  init(file: String, names: [NodeName]) throws(ConfigurationFailure) {
    self = try CrowdScript(Configuration.load(CrowdScript.schema, file: file), names: names)
  }

  /// As the other one, from the file's bytes.
  init(text: [UInt8], names: [NodeName]) throws(ConfigurationFailure) {
    self = try CrowdScript(Configuration.load(CrowdScript.schema, text: text, file: "script"), names: names)
  }

  private init(_ configuration: Configuration, names: [NodeName]) throws(ConfigurationFailure) {
    let (lat, lon) = (configuration.number("place.lat"), configuration.number("place.lon"))
    guard let centre = Coordinate(latitude: lat, longitude: lon) else { preconditionFailure("a checked place") }
    place = Place(centre: centre, spreadM: configuration.number("place.spread_m"))
    steps = []
    var problems: [ConfigurationProblem] = []
    for row in configuration.rows("step") {
      do throws(ConfigurationFailure) {
        steps += try CrowdScript.steps(row, names)
      } catch {
        problems += error.problems
      }
    }
    guard problems.isEmpty else { throw ConfigurationFailure(problems) }
    // Those of one time stay in the order of the file.
    steps = steps.enumerated().sorted { ($0.element.atS, $0.offset) < ($1.element.atS, $1.offset) }.map(\.element)
  }

  /// One step for all nodes at once; one for each where they come one after the other.
  private static func steps(
    _ row: ConfigurationTable, _ names: [NodeName]
  ) throws(ConfigurationFailure) -> [Step] {
    let selected: [Int]
    do throws(NodeSelection.Problem) {
      selected = try NodeSelection.indices(row.text("nodes"), among: names)
    } catch {
      throw ConfigurationFailure([row.problem("nodes", error.text)])
    }
    let action = try CrowdAction(row)
    let time = Decimal.text(row.number("at_s"), decimals: 1)
    let label = "\(row.label) at \(time) s: \(row.text("action")), nodes \(row.text("nodes"))"
    let first = Step(atS: row.number("at_s"), nodes: selected, action: action, label: label)
    let overS = row.number("over_s")
    guard overS > 0 else { return [first] }
    return selected.enumerated().map { index, node in
      var step = first
      step.atS += overS * Double(index) / Double(selected.count)
      step.nodes = [node]
      return step
    }
  }
}

// MARK: - Schema

extension CrowdScript {

  static let schema = ConfigurationSchema(
    heading: ["What simulated nodes go through: judder-node simulate --script FILE."], sections: [placeSection, step],
    reservedVariables: [])

  private static let placeSection = ConfigurationSection(
    "place", summary: "Where the nodes live.",
    [
      .number("lat", -89...89, unit: "deg", default: 47.3769, "Latitude of the middle, WGS 84."),
      .number("lon", -180...180, unit: "deg", default: 8.5417, "Longitude of the middle, WGS 84."),
      .number("spread_m", 0...100_000, unit: "m", default: 500, "Homes are so far from it at the most."),
    ])

  private static let step = ConfigurationSection(
    "step", .list, summary: "What happens, to whom and when.",
    [
      .number("at_s", 0...1_000_000, unit: "s", note: "needed", "When, from the moment that all nodes are there.")
        .required,
      .text(
        "nodes", default: "*",
        "To whom: numbers as in the names, 1-20,45, or a pattern of names with * for any characters and ? for one."),
      .choice("action", CrowdAction.words.map(\.word), CrowdAction.summary).required,
      .number(
        "over_s", 0...86_400, unit: "s", default: 0, "Not to all at once, but to one after the other within that."),
      .number(
        "peak_g", 0.001...1000, unit: "g", note: "2; impact 8", "shake, burst, impact: the largest acceleration."),
      .number("for_s", 0.05...86_400, unit: "s", note: "shake 0.8", "shake, burst, backlog: how long."),
      .integer("count", 1...1000, note: "needed", "burst: how many shakes."),
      .choice(
        "reason", LocationMessage.Loss.Reason.allCases.map(\.rawValue), note: "no_fix", "lose-fix: why there is none."),
      .number("east_m", -1e6...1e6, unit: "m", note: "needed", "move, teleport: so far east of the node's home."),
      .number("north_m", -1e6...1e6, unit: "m", note: "needed", "move, teleport: so far north of the node's home."),
      .number("speed_mps", 0.1...1000, unit: "m/s", note: "10", "move: how fast."),
      .choice(
        "face", Face.allCases.filter { $0 != .unknown }.map(\.rawValue), note: "needed", "tip: the side up then."),
      .number("offset_s", -1e10...1e10, unit: "s", note: "it shows 1970", "clock: how wrong it is; 0: right again."),
    ])
}
