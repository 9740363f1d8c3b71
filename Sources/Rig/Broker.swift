internal import Foundation

/// A private mosquitto on a free port of 127.0.0.1.
///
/// `@unchecked Sendable`: started and stopped only from the thread that owns the value.
public final class Broker: @unchecked Sendable {
  /// What the broker demands and offers.
  public struct Options: Sendable {
    /// Who may come in, by password; nobody else may. Nil: everybody.
    public var users: [(name: String, password: String)]?
    /// The broker's certificate and key, and the authority it asks of its clients; nil: no TLS.
    public var tls: TLS?
    /// A shared key in place of certificates.
    public var sharedKey: (identity: String, key: String)?
    /// An access control list, as mosquitto.conf(5) describes it.
    public var accessList: String?
    /// Keeps sessions and retained messages over an orderly restart.
    public var persists = false
    /// Its log has a line for each packet, which `subscribe` goes by; without, one for each subscription.
    public var logsPackets = true
    /// More lines for its configuration.
    public var lines: [String] = []

    public init() {}
  }

  /// A certificate for the broker, and whether it asks its clients for theirs.
  public struct TLS: Sendable {
    public var identity: CertificateAuthority.Identity
    /// PEM file of who vouches for clients.
    public var authorityFile: String
    /// A client without a certificate is refused.
    public var asksForCertificates: Bool
    /// PEM file of the clients' certificates that were taken back; nil: none were.
    public var revocationsFile: String?

    public init(
      identity: CertificateAuthority.Identity, authorityFile: String, asksForCertificates: Bool = false,
      revocationsFile: String? = nil
    ) {
      self.identity = identity
      self.authorityFile = authorityFile
      self.asksForCertificates = asksForCertificates
      self.revocationsFile = revocationsFile
    }
  }

  /// Where it listens on 127.0.0.1.
  public let port: Int
  private let workplace: Workplace
  private let name: String
  private let configuration: String
  private var process: ChildProcess?

  /// Writes its configuration into the workplace; `start` starts it.
  public init(_ options: Options = Options(), in workplace: Workplace, port: Int? = nil) throws {
    self.port = try port ?? Workplace.freePort()
    self.workplace = workplace
    name = "mosquitto-\(self.port)"
    var lines = ["user root", "log_dest stderr", "listener \(self.port) 127.0.0.1"]
    let logged = ["error", "warning", "notice", "information", "subscribe"]
    lines += options.logsPackets ? ["log_type all"] : logged.map { "log_type \($0)" }
    lines += try Broker.credentials(options, in: workplace, name: name)
    lines += Broker.security(options)
    if let key = options.sharedKey {
      lines += ["psk_hint judder", "psk_file \(try workplace.write("\(name).psk", "\(key.identity):\(key.key)\n"))"]
    }
    if options.persists {
      let folder = workplace.path("\(name).data")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      lines += ["persistence true", "persistence_location \(folder)/"]
    }
    lines += options.lines
    configuration = try workplace.write("\(name).conf", lines.joined(separator: "\n") + "\n")
  }

  deinit { process?.stop(signal: SIGKILL) }

  /// What it has logged since the first start.
  public var log: String {
    (try? String(contentsOfFile: workplace.path("\(name).err"), encoding: .utf8)) ?? ""
  }

  /// Whether its process is there, frozen or not.
  public var isRunning: Bool { process?.isRunning ?? false }

  /// Starts it, and waits until it takes connections.
  public func start() throws {
    guard !isRunning else { return }
    let logged = FileManager.default.contents(atPath: workplace.path("\(name).err"))?.count ?? 0
    let process = try ChildProcess("mosquitto", ["-c", configuration], name: name, in: workplace.folder)
    self.process = process
    let isUp = waitUntil(seconds: 10) { !process.isRunning || hasStarted(after: logged) }
    guard isUp, process.isRunning else {
      throw RigError("mosquitto on port \(port) did not start: \(log.suffix(400))")
    }
  }

  /// Whether it has said that it listens, behind so many bytes of its log: an open port may still be that of whoever
  /// had it before.
  private func hasStarted(after count: Int) -> Bool {
    let bytes = FileManager.default.contents(atPath: workplace.path("\(name).err")) ?? Data()
    let lines = String(decoding: bytes.dropFirst(count), as: UTF8.self).split(separator: "\n")
    return lines.contains { $0.contains("mosquitto version ") && $0.hasSuffix(" running") }
  }

  /// Ends it in order: SIGTERM. False when it had to be killed.
  @discardableResult
  public func stop() -> Bool { process.map { $0.stop() != nil } ?? true }

  /// Ends it without warning: SIGKILL.
  public func kill() {
    process?.send(signal: SIGKILL)
    _ = process?.wait(seconds: 5)
  }

  /// Freezes it, so that connections stay open and nothing answers. Returns when it stands still.
  public func freeze() {
    guard let process else { return }
    process.send(signal: SIGSTOP)
    _ = waitUntil(seconds: 2) {
      let status = try? String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
      return status?.contains("State:\tT") ?? true
    }
  }

  /// Lets it go on.
  public func thaw() { process?.send(signal: SIGCONT) }

  /// Publishes with mosquitto_pub, and waits for its end.
  public func publish(
    _ topic: String, _ text: String, qos: Int = 1, isRetained: Bool = false, arguments more: [String] = []
  ) throws {
    var arguments = ["-h", "127.0.0.1", "-p", "\(port)", "-t", topic, "-m", text, "-q", "\(qos)"]
    if isRetained { arguments.append("-r") }
    let publisher = try client("mosquitto_pub", arguments + more)
    let status = publisher.wait(seconds: 10)
    guard status == 0 else {
      throw RigError(
        "mosquitto_pub to \(topic) ended with \(status.map(String.init) ?? "nothing"): \(publisher.errorText())")
    }
  }

  /// Starts mosquitto_sub, which prints `topic payload` for each message.
  ///
  /// - Parameter count: it ends after this many messages.
  /// - Returns: once the broker has its subscription.
  public func subscribe(_ filter: String, qos: Int = 1, count: Int? = nil, arguments more: [String] = []) throws
    -> ChildProcess
  {
    var arguments = ["-h", "127.0.0.1", "-p", "\(port)", "-t", filter, "-q", "\(qos)", "-v", "-W", "60"]
    if let count { arguments += ["-C", "\(count)"] }
    let id = "watcher-\(UUID().uuidString.prefix(8))"
    let subscriber = try client("mosquitto_sub", arguments + ["-i", id] + more)
    guard waitUntil(seconds: 10, { log.contains("Sending SUBACK to \(id)") }) else {
      throw RigError("mosquitto_sub has no subscription to \(filter): \(subscriber.errorText())")
    }
    return subscriber
  }

  private func client(_ program: String, _ arguments: [String]) throws -> ChildProcess {
    try ChildProcess(program, arguments, name: "\(program)-\(UUID().uuidString.prefix(8))", in: workplace.folder)
  }

  private static func credentials(_ options: Options, in workplace: Workplace, name: String) throws -> [String] {
    var lines = ["allow_anonymous \(options.users == nil)"]
    if let users = options.users {
      let file = try workplace.write("\(name).passwords", "")
      for user in users {
        let tool = try ChildProcess(
          "mosquitto_passwd", ["-b", file, user.name, user.password], name: "\(name)-passwd", in: workplace.folder)
        guard tool.wait(seconds: 10) == 0 else { throw RigError("mosquitto_passwd: \(tool.errorText())") }
      }
      lines.append("password_file \(file)")
    }
    if let accessList = options.accessList {
      lines.append("acl_file \(try workplace.write("\(name).acl", accessList))")
    }
    return lines
  }

  private static func security(_ options: Options) -> [String] {
    guard let tls = options.tls else { return [] }
    return [
      "certfile \(tls.identity.certificateFile)", "keyfile \(tls.identity.keyFile)", "cafile \(tls.authorityFile)",
      "tls_version tlsv1.2", "require_certificate \(tls.asksForCertificates)",
    ] + (tls.revocationsFile.map { ["crlfile \($0)"] } ?? [])
  }
}
