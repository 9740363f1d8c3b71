import Telemetry

/// What people ask over the broker.
extension FleetState {
  /// Whether the fleet tool hears what people ask it over the broker.
  public enum Control: Equatable, Sendable {
    /// It does not listen.
    case none
    /// It refuses, with the reason.
    case refused
    /// It does what the broker lets through.
    case allowed
  }

  /// Why a request cannot be carried out; one line.
  private struct Objection: Error {
    let text: String
  }

  /// Takes what came on the fleet tool's command topic, and answers it.
  mutating func takeRequest(_ payload: [UInt8], retained: Bool, at moment: Moment) {
    tally.requests += 1
    guard configuration.control != .none else { return }
    let isAllowed = configuration.control == .allowed
    switch desk.decide(payload, isRetained: retained, isAllowed: isAllowed, at: moment.wall) {
    case .carryOut(let message):
      let reply = obey(message, at: moment)
      desk.note(reply)
      say(message, reply)
      publish(reply)
    case .answer(let reply):
      log(.debug, "a request was not carried out: \(SafeText.escaped(reply.text, limit: 300))")
      publish(reply)
    case .ignore(let reason): log(.debug, "no request: \(reason)")
    }
  }

  private mutating func publish(_ reply: ControlReply) {
    guard isConnected else { return }
    effects.append(.publish(Publication(topic: text(.reply), payload: reply.encode(), retained: false)))
  }

  private mutating func say(_ message: ControlMessage, _ reply: ControlReply) {
    let author = SafeText.escaped(message.author, limit: 60)
    let text = SafeText.escaped(reply.text, limit: 300)
    log(
      .information,
      "\(message.verb.rawValue), asked by \(author): \(reply.result.rawValue): \(text)"
    )
  }

  private mutating func obey(_ message: ControlMessage, at moment: Moment) -> ControlReply {
    let answer: OrderAnswer
    do throws(Objection) {
      answer = carryOut(try order(message, at: moment), at: moment)
    } catch {
      answer = OrderAnswer(false, error.text)
    }
    return ControlReply(
      id: message.id, message.verb, time: moment.wall, answer.isDone ? .done : .refused, answer.text,
      alerts: answer.alerts)
  }

  // MARK: From a request to an order

  private func order(_ message: ControlMessage, at moment: Moment) throws(Objection) -> Order {
    guard !message.author.isEmpty, message.author.utf8.count <= 100 else {
      throw Objection(text: "it does not say who asks, in 1 to 100 bytes")
    }
    let comment = message.comment ?? ""
    switch message.verb {
    case .acknowledge: return .acknowledge(try matchers(message), author: message.author, comment: comment)
    case .unacknowledge: return .unacknowledge(try matchers(message), author: message.author)
    case .silence:
      let (start, end) = try period(message, at: moment)
      let silence = Silence(
        id: message.id, try matchers(message), start: start, end: end, author: message.author, comment: comment,
        made: moment.wall)
      return .silence(silence)
    case .unsilence: return .unsilence(id: message.target ?? "", author: message.author)
    case .wish: return .wish(try wish(message, at: moment))
    case .unwish: return .unwish(id: message.target ?? "", author: message.author)
    }
  }

  /// Named by its request: the name is typed again to end it, and shown in many places.
  private func period(
    _ message: ControlMessage, at moment: Moment
  ) throws(Objection) -> (start: WallTime, end: WallTime) {
    let id = message.id.utf8
    guard id.allSatisfy({ isalnum($0) || $0 == UInt8(ascii: "-") }) else {
      throw Objection(text: "its id must be made of letters, digits and -")
    }
    let start = message.start ?? moment.wall
    guard let end = message.end ?? message.durationS.map({ start + $0 }) else {
      throw Objection(text: "it does not say until when")
    }
    return (start, end)
  }

  private func isalnum(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private func wish(_ message: ControlMessage, at moment: Moment) throws(Objection) -> Wish {
    guard let node = message.matchers.node.flatMap({ NodeName($0) }), let command = message.command else {
      throw Objection(text: "it names no node")
    }
    let (_, end) = try period(message, at: moment)
    guard end > moment.wall else { throw Objection(text: "it would lapse at once") }
    return Wish(id: message.id, node, command, author: message.author, made: moment.wall, expires: end)
  }

  /// The longest pattern, in bytes.
  private static let longestPattern = 128

  private func matchers(_ message: ControlMessage) throws(Objection) -> Matchers {
    let asked = message.matchers
    guard !asked.isEmpty || message.isForAll else { throw Objection(text: "it does not say which alerts") }
    let texts = [asked.rule, asked.node, asked.site, asked.group].compactMap { $0 }
    guard texts.allSatisfy({ (1...Self.longestPattern).contains($0.utf8.count) }) else {
      throw Objection(text: "a pattern has 1 to \(Self.longestPattern) bytes")
    }
    var matchers = Matchers(
      rule: asked.rule.map { NamePattern($0) }, subject: asked.node.map { NamePattern($0) },
      site: asked.site.map { NamePattern($0) }, group: asked.group.map { NamePattern($0) })
    if let word = asked.severity {
      guard let severity = Rule.Severity(rawValue: word) else {
        throw Objection(text: "there is no severity \(SafeText.quoted(word))")
      }
      matchers.severity = severity
    }
    if let word = asked.kind {
      guard let kind = Rule.Kind(rawValue: word) else {
        throw Objection(text: "there is no kind of rule \(SafeText.quoted(word))")
      }
      matchers.kind = kind
    }
    return matchers
  }
}
