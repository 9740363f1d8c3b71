internal import FleetLogic
internal import Telemetry

/// What a person at the viewer asks of the fleet tool, and what it answers.
struct WatchRequests {
  /// How long an answer is waited for, and a request may be under way [s].
  static let answerS = 10.0

  private let prefix: TopicPrefix
  private let author: String
  /// Tells the requests of this run from all others.
  private let run: String
  private var asked = 0
  /// The last one, while there is no answer.
  private var open: (id: String, since: Instant)?

  /// - Parameter run: of this process alone.
  init(_ configuration: FleetState.Configuration, author: String, run: String) {
    prefix = configuration.alertsPrefix
    self.author = author
    self.run = run
  }

  /// What to subscribe to.
  static func subscription(_ configuration: FleetState.Configuration) -> String {
    FleetTopic.reply.text(under: configuration.alertsPrefix)
  }

  /// The request for an action, to be published.
  mutating func publication(for action: WatchAction, at moment: Moment) -> FleetLogic.Publication {
    asked += 1
    let id = "watch-\(run)-\(asked)"
    open = (id, moment.instant)
    let (verb, rule, subject, comment): (ControlMessage.Verb, String, String, String) =
      switch action {
      case .acknowledge(let rule, let subject, let comment): (.acknowledge, rule, subject, comment)
      case .silence(let rule, let subject, _, let comment): (.silence, rule, subject, comment)
      }
    var message = ControlMessage(
      id: id, verb, author: author, time: moment.wall, expires: moment.wall + Self.answerS)
    message.matchers = ControlMessage.Matchers(rule: rule, node: subject)
    message.comment = comment.isEmpty ? nil : comment
    if case .silence(_, _, let durationS, _) = action { message.durationS = durationS }
    return FleetLogic.Publication(
      topic: FleetTopic.command.text(under: prefix), payload: message.encode(), retained: false)
  }

  /// What the fleet tool says to the last request; nil for anything else.
  mutating func answer(topic: String, payload: [UInt8]) -> String? {
    guard let open, topic == FleetTopic.reply.text(under: prefix),
      let reply = try? ControlReply.decode(payload: payload), reply.id == open.id
    else { return nil }
    self.open = nil
    return "\(reply.result.rawValue): \(reply.text)"
  }

  /// Once, when no answer came in time.
  mutating func silence(at now: Instant) -> String? {
    guard let since = open?.since, now - since > Self.answerS else { return nil }
    open = nil
    return "no fleet tool answered: it needs one that runs and takes commands (fleet.commands)"
  }
}
