internal import Daemon
internal import Sinks
internal import Telemetry

// What the configuration says about sinks.
extension SinkSettings {
  /// The section of fleet.toml.
  static let section = ConfigurationSection(
    "sink", .list,
    summary: "Where run sends alerts. Without any of these there are two: console, to standard output, and mqtt.",
    common + queueKeys + webKeys + otherKeys)

  private static let common: [ConfigurationKey] = [
    .choice(
      "kind", Kind.allCases.map(\.rawValue),
      "console: a line for people. json: a line of JSON. mqtt: retained messages under fleet.alerts_prefix. command: a "
        + "program is run. webhook: a request over HTTP. alertmanager: Prometheus's Alertmanager is told. sendmail: "
        + "mail. The last four wait in a queue on the disk until they are delivered."
    ).required,
    .text("name", note: "the kind", "Name in logs, and of the queue's folder: there a to z, 0 to 9 and -."),
    .path("file", note: "standard output", "Only console and json: a file to add lines to. SIGHUP opens it again."),
  ]

  private static let queueKeys: [ConfigurationKey] = [
    .path(
      "queue", note: "sinks beside store.file, or in systemd's STATE_DIRECTORY; without these in memory only",
      "Only kinds with a queue: the folder that takes a folder for this sink's queue."),
    .integer("queue_max", 1...100_000, note: "10000", "Alerts that wait at the most. Of more the oldest goes."),
    .number("queue_mb", 0.01...10_000, unit: "MB", note: "16", "Likewise."),
    .integer(
      "tries", 1...1000, note: "10",
      "Only command, webhook and sendmail: failed tries before an alert is given up, and kept in the queue's folder "
        + "failed. A receiver that is away is tried for ever."),
    .number("retry_max_s", 0.1...86_400, unit: "s", note: "300", "Longest wait between two tries; the first is 1 s."),
    .number(
      "timeout_s", 0.1...3600, unit: "s", note: "30 for programs, 10 for HTTP", "How long one try may take."),
  ]

  private static let webKeys: [ConfigurationKey] = [
    .text("url", note: "required by webhook", "Only webhook: where requests go, http or https.").secret
      .checked { complaint($0, urlComplaint) },
    .choice("method", ["POST", "PUT"], note: "POST", "Only webhook: the method."),
    .text("content_type", note: "application/json", "Only webhook: what the body is; values are escaped to fit.")
      .checked { complaint($0) { $0.contains("/") ? nil : "must be a media type such as application/json" } },
    .texts("headers", note: "none further", "Only webhook: further headers, \"Name: value\" each.").secret.checked {
      guard case .texts(let texts) = $0, !texts.allSatisfy(isHeader) else { return nil }
      return "must be lines like \"X-Room: 12\""
    },
    .path(
      "template", note: "the alert's JSON",
      "Only webhook: a file, the body with {{name}} where values go: \(Template.names.joined(separator: ", "))."),
    .path(
      "token_file", note: "the credential sink-NAME-token of systemd, else none",
      "Only webhook and alertmanager: a file with a bearer token."),
    .path(
      "ca_file", note: "the authorities this system trusts",
      "Only webhook and alertmanager: who may vouch for the receiver."),
    .text("proxy", note: "none, whatever the environment says", "Only webhook and alertmanager: URL of a proxy."),
    .texts(
      "urls", note: "required by alertmanager",
      "Only alertmanager: its URL, without /api; of a cluster all, each is told."
    ).checked {
      guard case .texts(let texts) = $0 else { return nil }
      return texts.isEmpty ? "must not be empty" : texts.lazy.compactMap { urlComplaint($0) }.first
    },
    .number(
      "resend_s", 1...3600, unit: "s", note: "60",
      "Only alertmanager: what fires is told again after so long. Keep it well below its resolve_timeout."),
  ]

  private static let otherKeys: [ConfigurationKey] = [
    .texts(
      "command", note: "required by command",
      "Only command: the program's path and its arguments; no shell. It gets the alert's JSON on standard input, ends "
        + "with 0, or with 75 to be tried again later; anything else is a failure."
    ).checked {
      guard case .texts(let texts) = $0 else { return nil }
      return texts.first?.hasPrefix("/") == true ? nil : "must begin with the whole path of a program"
    },
    .integer("per_minute", 1...6000, note: "60", "Only command: runs in any minute at the most; the others wait."),
    .path("program", note: "/usr/sbin/sendmail", "Only sendmail: takes -i -t and the mail on standard input."),
    .text("from", note: "required by sendmail", "Only sendmail: the address that mail is from.")
      .checked { complaint($0, mailAddressComplaint) },
    .texts("to", note: "required by sendmail", "Only sendmail: the addresses that get it.").checked {
      guard case .texts(let texts) = $0 else { return nil }
      return texts.isEmpty ? "must not be empty" : texts.lazy.compactMap { mailAddressComplaint($0) }.first
    },
    .number(
      "collect_s", 0...3600, unit: "s", note: "30", "Only sendmail: what comes within so long makes one mail."),
  ]

  private static func complaint(_ value: ConfigurationValue, _ judge: (String) -> String?) -> String? {
    if case .text(let text) = value { judge(text) } else { nil }
  }

  /// A name of RFC 9110's letters, a colon, a value.
  private static func isHeader(_ line: String) -> Bool {
    guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return false }
    return line[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }
}

// Which keys are for which kinds.
extension SinkSettings {
  private static let queued = Kind.allCases.filter(\.isQueued)

  /// Every key but `kind` and `name`.
  static let kinds: [(key: String, kinds: [Kind])] =
    [("file", [.console, .json])]
    + ["queue", "queue_max", "queue_mb", "retry_max_s", "timeout_s"].map { ($0, queued) }
    + [("tries", [.command, .webhook, .sendmail])]
    + ["url", "method", "content_type", "headers", "template"].map { ($0, [.webhook]) }
    + ["token_file", "ca_file", "proxy"].map { ($0, [.webhook, .alertmanager]) }
    + ["urls", "resend_s"].map { ($0, [.alertmanager]) }
    + ["command", "per_minute"].map { ($0, [.command]) }
    + ["program", "from", "to", "collect_s"].map { ($0, [.sendmail]) }

  static let required: [Kind: [String]] = [
    .webhook: ["url"], .alertmanager: ["urls"], .command: ["command"], .sendmail: ["from", "to"],
  ]

  static func misplaced(_ table: ConfigurationTable, _ kind: Kind) -> [ConfigurationProblem] {
    let foreign = kinds.filter { table.isSet($0.key) && !$0.kinds.contains(kind) }.map { key, kinds in
      let names = kinds.map(\.rawValue).joined(separator: ", ")
      return table.problem(key, "is for sinks of the kind \(names), and this one is \(kind.rawValue); remove it")
    }
    let missing = (required[kind] ?? []).filter { !table.isSet($0) }.map {
      ConfigurationProblem(
        place: table.place ?? "configuration", text: "\(table.label) of the kind \(kind.rawValue) needs '\($0)'")
    }
    return foreign + missing
  }
}
