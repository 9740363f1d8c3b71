internal import BrokerLink
internal import Daemon
internal import Glibc
internal import Sinks
internal import Telemetry

// What `check` says about a sink; nothing is sent.
extension SinkSettings {
  /// What it will do, and whether what it needs is there.
  var findings: [Finding] {
    var findings = [Finding(.good, subject, purpose)]
    switch work {
    case .command(let command): findings += Self.program(command.arguments.first ?? "", subject)
    case .mail(let mail): findings += Self.program(mail.arguments.first ?? "", subject)
    case .webhook(let webhook): findings += Self.http(webhook.http, [webhook.url], subject)
    case .alertmanager(let alertmanager): findings += Self.http(alertmanager.http, alertmanager.urls, subject)
    case nil: if let file { findings += Self.lines(file, subject) }
    }
    if kind.isQueued { findings.append(queueFinding) }
    return findings
  }

  private var subject: String { "sink \(SafeText.escaped(name))" }

  private var purpose: String {
    switch work {
    case .command(let command): "runs \(Self.shown(command.arguments.joined(separator: " ")))"
    case .webhook(let webhook):
      "\(webhook.http.method) to \(shownPlace(webhook.url))"
        + (webhook.template == nil ? "" : " by a template") + (webhook.http.token == nil ? "" : " with a token")
    case .alertmanager(let alertmanager):
      "tells \(alertmanager.urls.map { shownPlace($0) }.joined(separator: ", ")), again each "
        + "\(Decimal.text(alertmanager.resendS, decimals: 0)) s while an alert fires"
    case .mail(let mail):
      "mails \(mail.to.joined(separator: ", ")) what comes within \(Decimal.text(queue.collectS, decimals: 0)) s"
    case nil:
      kind == .mqtt
        ? "publishes alerts" : "\(kind.rawValue) lines to \(file.map { Self.shown($0) } ?? "standard output")"
    }
  }

  private static func shown(_ text: String) -> String { SafeText.escaped(text, limit: 200) }

  /// Whether a file of lines can be written: it may not be there yet.
  private static func lines(_ file: String, _ subject: String) -> [Finding] {
    let folder = file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    let isThere = access(file, F_OK) == 0
    if access(isThere ? file : folder, isThere ? W_OK : W_OK | X_OK) == 0 { return [] }
    return [
      Finding(
        .problem, subject, "\(shown(file)): \(systemErrorText(errno))",
        remedy: "make the folder, and let this user write to the file")
    ]
  }

  private static func program(_ path: String, _ subject: String) -> [Finding] {
    var status = stat()
    guard stat(path, &status) != 0 || status.st_mode & S_IFMT != S_IFREG || access(path, X_OK) != 0 else { return [] }
    let why = access(path, F_OK) == 0 ? "is no program that this user may run" : systemErrorText(errno)
    return [
      Finding(.problem, subject, "\(shown(path)): \(why)", remedy: "install it, or name another in the configuration")
    ]
  }

  private static func http(_ http: HTTPSettings, _ urls: [String], _ subject: String) -> [Finding] {
    var findings: [Finding] = []
    if let file = http.authorities, access(file, R_OK) != 0 {
      findings.append(
        Finding(
          .problem, subject, "\(shown(file)): \(systemErrorText(errno))",
          remedy: "name a PEM file that this user may read in ca_file"))
    }
    if let warning = http.token?.warning { findings.append(Finding(.warning, subject, warning)) }
    if http.token != nil, urls.contains(where: { $0.hasPrefix("http://") }) {
      findings.append(
        Finding(.warning, subject, "the token goes over http, which anybody can read", remedy: "use https"))
    }
    return findings
  }

  private var queueFinding: Finding {
    guard let folder = queue.folder else { return Finding(.warning, subject, memoryWarning ?? "") }
    // The next folder above that is there will take the others.
    var there = folder
    while access(there, F_OK) != 0, let slash = there.lastIndex(of: "/"), slash > there.startIndex {
      there = String(there[..<slash])
    }
    guard access(there, W_OK | X_OK) == 0 else {
      return Finding(
        .problem, subject, "its queue \(Self.shown(folder)): \(Self.shown(there)): \(systemErrorText(errno))",
        remedy: "make the folder, and let this user write to it")
    }
    let purpose = "its queue is \(Self.shown(folder)), at most \(queue.notices) alerts or \(queue.bytes >> 20) MB"
    guard let held = SinkInventory(folder) else { return Finding(.good, subject, purpose) }
    let text = "\(purpose); \(held.waiting) wait, \(held.givenUp) were given up"
    guard held.givenUp > 0 else { return Finding(.good, subject, text) }
    return Finding(
      .warning, subject, text,
      remedy: "look into \(Self.shown(folder))/failed, then remove the files, or move them to new while judder-fleet "
        + "is stopped")
  }

  /// Said where a queue does not outlast the process.
  var memoryWarning: String? {
    guard kind.isQueued, queue.folder == nil else { return nil }
    return "sink \(name) keeps what it has not delivered in memory only: set its key queue, or store.file"
  }
}
