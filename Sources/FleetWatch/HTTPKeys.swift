internal import BrokerLink
internal import Daemon
internal import Glibc
internal import Telemetry
internal import WebServer

/// What `run` tells over HTTP, and to whom.
struct HTTPFace: Equatable {
  var server: WebServerSettings
  /// Nodes that have series of their own at the most; 0: none has.
  var nodes: Int
  /// What is doubtful about the token's file; nil when nothing is.
  var warning: String?

  /// The section of fleet.toml.
  static let section = ConfigurationSection(
    "http",
    summary:
      "Where run answers GET /metrics, for Prometheus, and GET /healthz: 200 while there is a connection to the broker "
      + "and what comes is kept, else 503 and why.",
    [
      .integer("port", 1...65535, note: "nothing is answered", "The port. 9464 is free as a rule."),
      .text(
        "address", default: "127.0.0.1",
        "The address to listen on, IPv4 or IPv6 in figures. One that other machines reach needs a token."
      ).checked {
        guard case .text(let text) = $0, WebServerSettings(address: text, port: 1).isLoopback == nil else { return nil }
        return "must be an address in figures, such as 127.0.0.1, ::1 or 0.0.0.0"
      },
      .path(
        "token_file", note: "the credential http-token of systemd, else none",
        "A file with a token; who asks has to send Authorization: Bearer and the token."),
      .flag("per_node", default: false, "Metrics have series for each node, too: some ten a node."),
      .integer("max_nodes", 1...100_000, default: 1000, "Only with per_node: nodes that have them at the most."),
    ])

  /// Nil: no port is set.
  init?(_ configuration: Configuration, environment: [String: String]) throws(ConfigurationFailure) {
    guard let port = configuration.optionalInteger("http.port") else { return nil }
    var server = WebServerSettings(address: configuration.text("http.address"), port: UInt16(port))
    server.realm = "judder-fleet"
    let secret: Secret?
    do throws(Termination) {
      secret = try Credentials(environment: environment).secret(
        file: configuration.optionalText("http.token_file"), name: "http-token", variable: "")
    } catch {
      throw ConfigurationFailure([configuration.problem("http.token_file", error.lines.joined(separator: "; "))])
    }
    server.token = secret?.text
    guard server.token?.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F }) != false else {
      throw ConfigurationFailure([
        configuration.problem("http.token_file", "holds no token: it must be of ASCII without spaces")
      ])
    }
    guard server.isLoopback == true || server.token != nil else {
      throw ConfigurationFailure([
        configuration.problem(
          "http.address",
          "is reached by other machines, and anybody there could read what is told of the fleet: set http.token_file, "
            + "or listen on 127.0.0.1 or ::1")
      ])
    }
    self.server = server
    nodes = configuration.flag("http.per_node") ? configuration.integer("http.max_nodes") : 0
    warning = secret?.warning
  }

  /// What `check` says about it: listens for a moment.
  var finding: Finding {
    let asked = server.token == nil ? "" : " with a token"
    let series = nodes == 0 ? "" : ", with series for up to \(nodes) nodes"
    do throws(WebServerFailure) {
      try WebServer(server) { _ in Page(503, body: []) }.stop()
      return Finding(.good, "http", "/metrics and /healthz on \(server.place)\(asked)\(series)")
    } catch {
      if error.code == EADDRINUSE {
        return Finding(.good, "http", "\(server.place) is in use, as it is while judder-fleet runs")
      }
      return Finding(.problem, "http", "\(error)", remedy: "set http.address and http.port to what this machine has")
    }
  }
}
