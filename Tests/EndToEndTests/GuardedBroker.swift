import Foundation
import Rig

/// A mosquitto with the settings and access rules of `deploy/mosquitto` and certificates of `deploy/certificates`, all
/// in a folder of its own. Only paths, the port and the address it listens on are changed.
final class GuardedBroker {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  let workplace: Workplace
  let port: Int
  private let broker: ChildProcess
  private var runs = 0

  /// Makes an authority, certificates for `nodes`, the fleet and a viewer, and starts the broker.
  init(nodes: [String]) throws {
    workplace = try Workplace("judder-broker")
    port = try Workplace.freePort()
    try GuardedBroker.certificates(["ca"], in: workplace)
    try GuardedBroker.certificates(["server", "localhost", "127.0.0.1"], in: workplace)
    try GuardedBroker.certificates(["fleet"], in: workplace)
    try GuardedBroker.certificates(["viewer"], in: workplace)
    for node in nodes { try GuardedBroker.certificates(["node", node], in: workplace) }
    let settings = try GuardedBroker.settings(in: workplace, port: port)
    broker = try ChildProcess("mosquitto", ["-c", settings], name: "mosquitto", in: workplace.folder)
    guard waitUntil(seconds: 10, { self.log.contains("mosquitto version") && self.log.contains("running") }) else {
      throw RigError("mosquitto did not start: \(broker.errorText()) \(log)")
    }
  }

  deinit { broker.stop() }

  /// What the broker has logged so far.
  var log: String { (try? String(contentsOfFile: workplace.path("mosquitto.log"), encoding: .utf8)) ?? "" }

  /// Lets the broker read its certificates and access rules again.
  func reload() { broker.send(signal: SIGHUP) }

  /// Runs `deploy/certificates`, with its files in the broker's folder.
  static func certificates(_ arguments: [String], in workplace: Workplace) throws {
    let script = root.appendingPathComponent("deploy/certificates").path
    let child = try ChildProcess(
      script, ["--directory", workplace.path("judder")] + arguments, name: "certificates", in: workplace.folder)
    guard child.wait(seconds: 30) == 0 else { throw RigError("certificates \(arguments): \(child.errorText())") }
  }

  private static func settings(in workplace: Workplace, port: Int) throws -> String {
    let folder = root.appendingPathComponent("deploy/mosquitto")
    let rules = try String(contentsOf: folder.appendingPathComponent("judder.acl"), encoding: .utf8)
    try workplace.write("judder/judder.acl", rules)
    let text = try String(contentsOf: folder.appendingPathComponent("judder.conf"), encoding: .utf8)
      .replacingOccurrences(of: "/etc/mosquitto/judder/", with: workplace.path("judder") + "/")
      .replacingOccurrences(of: "listener 8883", with: "listener \(port) 127.0.0.1")
    // What Debian's mosquitto.conf sets beside it; `user` keeps a broker started by root able to read the folder.
    let own = """
      user \(NSUserName())
      persistence true
      persistence_location \(workplace.folder.path)/
      log_dest file \(workplace.path("mosquitto.log"))
      log_type all

      """
    return try workplace.write("mosquitto.conf", own + text)
  }

  // MARK: - Clients

  /// A client that is still running, for example a subscriber.
  func start(_ program: String, as client: String?, _ arguments: [String]) throws -> ChildProcess {
    runs += 1
    return try ChildProcess(
      program, identity(client) + arguments, name: "\(program)-\(runs)", in: workplace.folder)
  }

  /// Options that name the broker, and the certificate of `client` when there is one.
  private func identity(_ client: String?) -> [String] {
    let folder = workplace.path("judder")
    let server = ["-h", "localhost", "-p", "\(port)", "--cafile", "\(folder)/ca.crt"]
    return client.map { server + ["--cert", "\(folder)/\($0).crt", "--key", "\(folder)/\($0).key"] } ?? server
  }

  /// Publishes with QoS 1 and waits for the answer; false when the broker could not be used at all.
  @discardableResult
  func publish(_ topic: String, _ text: String, as client: String?, _ more: [String] = []) throws -> Bool {
    let child = try start(
      "mosquitto_pub", as: client, ["-V", "mqttv5", "-q", "1", "-t", topic, "-m", text] + more)
    return child.wait(seconds: 10) == 0
  }

  /// A subscriber whose subscription the broker has taken; one a client.
  func subscribe(_ filters: [String], as client: String, _ more: [String] = []) throws -> ChildProcess {
    let child = try start("mosquitto_sub", as: client, filters.flatMap { ["-t", $0] } + ["-q", "1", "-v"] + more)
    guard waitUntil(seconds: 10, { log.contains("Sending SUBACK to \(client)\n") }) else {
      throw RigError("no subscription as \(client): \(child.errorText()) \(log)")
    }
    return child
  }
}

extension ChildProcess {
  /// Waits until its output has `text`.
  func prints(_ text: String, within seconds: Double = 10) -> Bool {
    waitUntil(seconds: seconds) { outputText().contains(text) }
  }
}
