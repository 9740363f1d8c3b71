public import Daemon
public import MQTT

extension BrokerSection {
  /// What is doubtful about the secrets that the `[broker]` table leads to, one line each: a file that every user of
  /// the machine can read. What cannot be read at all, `BrokerSettings` complains about.
  public static func warnings(_ configuration: Configuration, environment: [String: String]) -> [String] {
    let table = configuration.table(name)
    let password = try? BrokerSettings.password(table, environment)
    let key = table.optionalText("psk_file").flatMap { try? Credentials(environment: [:]).read($0) }
    return [password, key].compactMap { $0?.warning }
  }
}

extension BrokerSettings {
  /// Reads the `[broker]` table, and the files it names.
  ///
  /// - Parameter clientID: the client id when none is set.
  /// - Parameter environment: where a password may be, and systemd's credentials directory.
  /// - Throws: what is wrong, with the place of the key that is to blame.
  public init(
    _ configuration: Configuration, clientID: String, environment: [String: String]
  ) throws(ConfigurationFailure) {
    let table = configuration.table(BrokerSection.name)
    self.init(host: table.text("host"))
    port = table.optionalInteger("port")
    version =
      switch table.text("version") {
      case "5": .v5
      case "3.1.1": .v311
      default: .automatic
      }
    self.clientID = table.optionalText("client_id") ?? clientID
    username = table.optionalText("username")
    password = try BrokerSettings.password(table, environment).map { Array($0.text.utf8) }
    security = try BrokerSettings.security(table)
    keepaliveS = table.integer("keepalive_s")
    backoff.maxS = table.number("retry_max_s")
    backoff.firstS = min(backoff.firstS, backoff.maxS)
    backoff.spreadS = table.number("reconnect_spread_s")
    do throws(SettingsProblem) {
      try check()
    } catch {
      throw ConfigurationFailure([table.problem(BrokerSettings.key(of: error.setting), "- \(error.description)")])
    }
  }

  fileprivate static func password(
    _ table: ConfigurationTable, _ environment: [String: String]
  ) throws(ConfigurationFailure) -> Secret? {
    do throws(Termination) {
      return try Credentials(environment: environment).secret(
        file: table.optionalText("password_file"), name: "broker-password", variable: "JUDDER_PASSWORD")
    } catch {
      throw failure(table, "password_file", error)
    }
  }

  private static func security(_ table: ConfigurationTable) throws(ConfigurationFailure) -> Security {
    let certificateKeys = ["ca_file", "ca_path", "certificate_file", "key_file", "server_name"]
    let given = certificateKeys.filter(table.isSet)
    if table.isSet("psk_file") {
      if let other = given.first {
        throw ConfigurationFailure([table.problem(other, "does not go together with psk_file; set one of them")])
      }
      return try sharedKey(table)
    }
    guard table.optionalFlag("tls") ?? !given.isEmpty else {
      if let other = given.first {
        throw ConfigurationFailure([table.problem(other, "is set, but tls is false; remove one of them")])
      }
      return .none
    }
    if table.isSet("ca_file"), table.isSet("ca_path") {
      throw ConfigurationFailure([table.problem("ca_path", "does not go together with ca_file; set one of them")])
    }
    return .certificates(certificates(table))
  }

  private static func certificates(_ table: ConfigurationTable) -> Certificates {
    var authority = Certificates.Authority.system
    if let folder = table.optionalText("ca_path") { authority = .folder(folder) }
    if let file = table.optionalText("ca_file") { authority = .file(file) }
    return Certificates(
      authority: authority, certificateFile: table.optionalText("certificate_file"),
      keyFile: table.optionalText("key_file"), serverName: table.optionalText("server_name"),
      acceptsAnyName: table.flag("insecure"))
  }

  /// Reads `IDENTITY:KEY`, as in mosquitto's own psk_file.
  private static func sharedKey(_ table: ConfigurationTable) throws(ConfigurationFailure) -> Security {
    let text: String
    do throws(Termination) {
      text = try Credentials(environment: [:]).read(table.text("psk_file")).text
    } catch {
      throw failure(table, "psk_file", error)
    }
    guard let colon = text.lastIndex(of: ":"), colon > text.startIndex, !text.contains("\n") else {
      throw ConfigurationFailure([table.problem("psk_file", "must hold one line IDENTITY:KEY, the key in hexadecimal")])
    }
    return .sharedKey(identity: String(text[..<colon]), key: String(text[text.index(after: colon)...]))
  }

  private static func failure(
    _ table: ConfigurationTable, _ key: String, _ termination: Termination
  ) -> ConfigurationFailure {
    ConfigurationFailure(termination.lines.map { table.problem(key, "- \($0)") }, code: termination.code)
  }

  /// The key of the configuration behind a setting of the session.
  private static func key(of setting: String) -> String {
    switch setting {
    case "port": "port"
    case "clientID": "client_id"
    case "username": "username"
    case "password": "password_file"
    case "identity", "key": "psk_file"
    case "certificateFile": "certificate_file"
    case "serverName": "server_name"
    case "keepaliveS": "keepalive_s"
    case "backoff": "reconnect_spread_s"
    default: "host"
    }
  }
}
