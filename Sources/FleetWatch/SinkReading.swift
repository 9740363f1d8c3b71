internal import Daemon
internal import Sinks
internal import Store
internal import Telemetry

// From the tables of [[sink]] to settings.
extension SinkSettings {
  /// What a template may have [bytes].
  private static let longestTemplate = 65_536

  /// The sinks in their order; the two that there are without any.
  static func list(
    _ configuration: Configuration, environment: [String: String]
  ) throws(ConfigurationFailure) -> [SinkSettings] {
    let store = StoreSettings.file(configuration, environment)
    let home = store.map { file in file.lastIndex(of: "/").map { String(file[..<$0]) + "/sinks" } ?? "sinks" }
    var problems: [ConfigurationProblem] = []
    var sinks: [SinkSettings] = []
    for table in configuration.rows("sink") {
      guard let kind = Kind(rawValue: table.text("kind")) else { continue }
      let misplaced = misplaced(table, kind)
      problems += misplaced
      var sink = SinkSettings(
        name: table.optionalText("name") ?? kind.rawValue, kind: kind, file: table.optionalText("file"))
      if kind.isQueued, misplaced.isEmpty {
        problems += namingProblems(table, sink.name, sinks)
        sink.queue = queue(table, kind, sink.name, home)
        do throws(ConfigurationFailure) {
          sink.work = try work(table, kind, sink.name, environment)
        } catch {
          problems += error.problems
        }
      }
      sinks.append(sink)
    }
    guard problems.isEmpty else { throw ConfigurationFailure(problems) }
    if !sinks.isEmpty { return sinks }
    return [SinkSettings(name: "console", kind: .console), SinkSettings(name: "mqtt", kind: .mqtt)]
  }

  /// The name becomes a folder's.
  private static func namingProblems(
    _ table: ConfigurationTable, _ name: String, _ others: [SinkSettings]
  ) -> [ConfigurationProblem] {
    let key = table.isSet("name") ? "name" : "kind"
    guard FleetTopic.isLevel(name) else {
      return [table.problem(key, "must be a to z, 0 to 9 and -, at most 63 characters, and not begin with -")]
    }
    guard others.contains(where: { $0.kind.isQueued && $0.name == name }) else { return [] }
    return [table.problem(key, "gives the name '\(name)' to a second sink with a queue; set another name")]
  }

  private static func queue(_ table: ConfigurationTable, _ kind: Kind, _ name: String, _ home: String?) -> QueueSettings
  {
    var queue = QueueSettings()
    queue.folder = (table.optionalText("queue") ?? home).map { "\($0)/\(name)" }
    queue.notices = table.optionalInteger("queue_max") ?? queue.notices
    queue.bytes = table.optionalNumber("queue_mb").map { Int($0 * 1_048_576) } ?? queue.bytes
    queue.tries = table.optionalInteger("tries") ?? queue.tries
    queue.retryMaxS = table.optionalNumber("retry_max_s") ?? queue.retryMaxS
    if kind == .command { queue.perMinute = table.optionalInteger("per_minute") ?? 60 }
    if kind == .sendmail { queue.collectS = table.optionalNumber("collect_s") ?? 30 }
    return queue
  }

  private static func work(
    _ table: ConfigurationTable, _ kind: Kind, _ name: String, _ environment: [String: String]
  ) throws(ConfigurationFailure) -> Work? {
    let limitS = table.optionalNumber("timeout_s")
    switch kind {
    case .console, .json, .mqtt: return nil
    case .command:
      return .command(CommandSettings(arguments: table.optionalTexts("command") ?? [], limitS: limitS ?? 30))
    case .webhook:
      var http = try http(table, name, environment)
      http.method = table.optionalText("method") ?? http.method
      http.contentType = table.optionalText("content_type") ?? http.contentType
      http.headers = table.optionalTexts("headers") ?? []
      let template = try template(table, contentType: http.contentType)
      return .webhook(WebhookSettings(url: table.optionalText("url") ?? "", http: http, template: template))
    case .alertmanager:
      return .alertmanager(
        AlertmanagerSettings(
          urls: table.optionalTexts("urls") ?? [], http: try http(table, name, environment),
          resendS: table.optionalNumber("resend_s") ?? 60))
    case .sendmail:
      return .mail(
        MailSettings(
          program: table.optionalText("program") ?? "/usr/sbin/sendmail", from: table.optionalText("from") ?? "",
          to: table.optionalTexts("to") ?? [], limitS: limitS ?? 30))
    }
  }

  private static func http(
    _ table: ConfigurationTable, _ name: String, _ environment: [String: String]
  ) throws(ConfigurationFailure) -> HTTPSettings {
    var http = HTTPSettings(
      authorities: table.optionalText("ca_file"), proxy: table.optionalText("proxy"),
      limitS: table.optionalNumber("timeout_s") ?? 10)
    do throws(Termination) {
      http.token = try Credentials(environment: environment).secret(
        file: table.optionalText("token_file"), name: "sink-\(name)-token", variable: "")
    } catch {
      throw ConfigurationFailure([table.problem("token_file", error.lines.joined(separator: "; "))])
    }
    guard http.token?.text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F }) != false else {
      throw ConfigurationFailure([table.problem("token_file", "holds no token: it must be of ASCII without spaces")])
    }
    return http
  }

  private static func template(
    _ table: ConfigurationTable, contentType: String
  ) throws(ConfigurationFailure) -> Template? {
    guard let file = table.optionalText("template") else { return nil }
    let text: [UInt8]
    do throws(FileError) {
      text = try readSmallFile(file, limit: longestTemplate)
    } catch {
      throw ConfigurationFailure([table.problem("template", "\(file) \(error)")])
    }
    let template: Template
    do throws(Template.Problem) {
      template = try Template(String(decoding: text, as: UTF8.self))
    } catch {
      throw ConfigurationFailure([table.problem("template", "\(file):\(error.line): \(error.text)")])
    }
    guard !contentType.contains("json") || template.isJSON else {
      throw ConfigurationFailure([
        table.problem("template", "\(file) gives no JSON, as content_type says; put quotes around texts")
      ])
    }
    return template
  }
}
