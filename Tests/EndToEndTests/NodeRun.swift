import Foundation
import Rig

/// Keys of a configuration file and their values as TOML writes them: `["broker.port": "1883"]`.
typealias Keys = [String: String]

/// A judder-node with a configuration file of its own.
///
/// What the keys do not say is: node `e2e`, a broker on 127.0.0.1, no accelerometer, no gpsd, health each second, no
/// wait after the broker went.
final class NodeRun {
  let file: String
  private let workplace: Workplace
  private(set) var process: ChildProcess

  /// - Parameters:
  ///   - tables: what comes after the keys in the configuration file, such as lists of tables
  ///   - isThroughEnv: `env` becomes the node. A library that is loaded before (LD_PRELOAD) and sets variables does so
  ///     in `env`: Swift finds no arguments where they lie elsewhere than at the start.
  init(
    _ keys: Keys, tables: String = "", in workplace: Workplace, name: String = "node",
    environment: [String: String] = [:], isThroughEnv: Bool = false
  ) throws {
    self.workplace = workplace
    file = try workplace.write("\(name).toml", NodeRun.text(keys) + tables)
    let command = (isThroughEnv ? ["env"] : []) + [Programs.node, "run", "--config", file]
    process = try ChildProcess(
      command[0], Array(command.dropFirst()), name: name, in: workplace.folder, environment: environment)
  }

  deinit { process.stop(signal: SIGKILL) }

  /// The configuration file for some keys.
  static func text(_ keys: Keys) -> String {
    let all: Keys = [
      "node.id": "\"e2e\"", "broker.host": "\"127.0.0.1\"", "broker.reconnect_spread_s": "0",
      "accelerometer.source": "\"none\"",
      "gpsd.enabled": "false", "health.interval_s": "1",
    ].merging(keys) { $1 }
    var sections: [String: [String]] = [:]
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      let parts = key.split(separator: ".", maxSplits: 1)
      sections[String(parts[0]), default: []].append("\(parts[1]) = \(value)")
    }
    return sections.sorted { $0.key < $1.key }.map { "[\($0)]\n\($1.joined(separator: "\n"))\n" }.joined()
  }

  /// Overwrites the configuration file, and has it read again.
  func reload(_ keys: Keys) throws { try reload(text: NodeRun.text(keys)) }

  func reload(text: String) throws {
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    process.send(signal: SIGHUP)
  }

  /// The lines of its log.
  var log: [String] { process.errorText().split(separator: "\n").map(String.init) }

  /// What the log says about a trouble with the broker.
  var brokerTroubles: [String] { log.filter { $0.contains(" warning: broker: ") } }

  /// Processor time used so far, in user mode and in the kernel [s]: fields 14 and 15 of proc(5) stat.
  var processorS: Double? {
    guard let text = try? String(contentsOfFile: "/proc/\(process.identifier)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let kernel = Double(fields[12]) else { return nil }
    return (user + kernel) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}

/// A broker's port as the key of a node's configuration.
func port(_ port: Int) -> Keys { ["broker.port": "\(port)"] }

/// The keys of a simulated node that is shaken for less than a second, five seconds after its start.
let shakenNode: Keys = [
  "accelerometer.source": "\"simulated\"", "accelerometer.scenario": "\"shaken\"", "accelerometer.seed": "9",
  "acceleration.window_s": "1",
]

/// The keys of a node on a recording that is shaken for 0.7 s, a second after the start and each 2.5 s from then on.
func shakenAgainAndAgain(in workplace: Workplace) throws -> Keys {
  let rateHz = 50
  let rows = (0..<rateHz * 5 / 2).map { index in
    let time = Double(index) / Double(rateHz)
    let isShaken = time >= 1 && time < 1.7
    let x = isShaken ? 2.0 * sin(2 * .pi * 4.5 * (time - 1)) : 0.01 * sin(Double(index))
    return "\(time),\(x),0.02,0.998"
  }
  let file = try workplace.write("shaken.csv", "t,x,y,z\n" + rows.joined(separator: "\n") + "\n")
  return [
    "accelerometer.source": "\"recording\"", "accelerometer.recording_file": "\"\(file)\"",
    "acceleration.window_s": "1",
  ]
}

extension Dictionary where Key == String, Value == String {
  static func + (a: Self, b: Self) -> Self { a.merging(b) { $1 } }
}
