internal import FleetLogic

/// What the configuration says about one sink.
public struct SinkSettings: Equatable, Sendable {
  /// What becomes of an alert.
  public enum Kind: String, CaseIterable, Sendable {
    /// Lines for people.
    case console
    /// One JSON object a line: see `FleetJSON`.
    case json
    /// Retained messages at the broker. The fleet's state asks for these itself, so that there is no object for it.
    case mqtt
    /// A program is run.
    case command
    /// A request over HTTP.
    case webhook
    /// An Alertmanager is told, and kept told.
    case alertmanager
    /// A mail for all that comes within a while.
    case sendmail

    /// Whether it has a queue and a thread.
    public var isQueued: Bool {
      switch self {
      case .console, .json, .mqtt: false
      case .command, .webhook, .alertmanager, .sendmail: true
      }
    }
  }

  /// What a sink with a queue does.
  public enum Work: Equatable, Sendable {
    case command(CommandSettings)
    case webhook(WebhookSettings)
    case alertmanager(AlertmanagerSettings)
    case mail(MailSettings)

    var courier: any Courier & Sendable {
      switch self {
      case .command(let settings): CommandCourier(settings)
      case .webhook(let settings): WebhookCourier(settings)
      case .alertmanager(let settings): AlertmanagerCourier(settings)
      case .mail(let settings): MailCourier(settings)
      }
    }
  }

  /// What logs call it, and the folder of its queue.
  public var name: String
  /// What becomes of an alert.
  public var kind: Kind
  /// Lines are added to the end of this file; nil: standard output.
  public var file: String?
  /// Only for kinds with a queue.
  public var queue = QueueSettings()
  /// Nil for kinds without a queue.
  public var work: Work?

  public init(name: String, kind: Kind, file: String? = nil) {
    self.name = name
    self.kind = kind
    self.file = file
  }
}

/// The sink that the settings ask for; nil for `mqtt`, which the fleet's state serves with its own publications.
public func makeSink(_ settings: SinkSettings) -> (any Sink)? {
  if let work = settings.work { return QueuedSink(name: settings.name, work.courier, settings.queue) }
  let outlet = settings.file.map { LineOutlet(file: $0) } ?? LineOutlet(descriptor: 1, label: "standard output")
  return switch settings.kind {
  case .console: LineSink(name: settings.name, outlet) { Array(PlainLine.of($0).utf8) }
  case .json: LineSink(name: settings.name, outlet) { FleetJSON.alert($0) }
  case .mqtt, .command, .webhook, .alertmanager, .sendmail: nil
  }
}
