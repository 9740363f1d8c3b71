import Telemetry

/// Reads what people ask the fleet tool over the broker, and decides whether it is to be done.
///
/// A request may come twice (QoS 1), late, from a broker that kept it while the fleet tool was away, or from anybody
/// whom the broker's access list lets publish. What was answered is remembered, so that a request that comes again is
/// answered as before and not done again.
struct ControlDesk: Equatable, Sendable {
  /// Answers that are remembered.
  static let remembered = 256

  /// What is to become of a payload.
  enum Decision: Equatable {
    /// Do it, then `note` the answer.
    case carryOut(ControlMessage)
    /// It is not done, or was done before.
    case answer(ControlReply)
    /// Nobody is answered: the reason for the log.
    case ignore(reason: String)
  }

  private var answers: [ControlReply] = []
  /// The next to be forgotten.
  private var oldest = 0

  /// - Parameters:
  ///   - isRetained: the broker kept it, and would bring it again at each start.
  ///   - isAllowed: whether anything may be asked at all.
  func decide(_ payload: [UInt8], isRetained: Bool, isAllowed: Bool, at now: WallTime) -> Decision {
    // An empty retained message is how a retained one is taken away.
    if payload.isEmpty { return .ignore(reason: "an empty request") }
    let message: ControlMessage
    do throws(DecodingProblem) {
      message = try ControlMessage.decode(payload: payload)
    } catch {
      guard let id = CommandMessage.id(ofUnreadable: payload) else { return .ignore(reason: error.description) }
      return .answer(ControlReply(id: id, nil, time: now, .refused, "not understood: \(error)"))
    }
    func refusal(_ result: ControlReply.Result, _ reason: String) -> Decision {
      .answer(ControlReply(id: message.id, message.verb, time: now, result, reason))
    }
    guard isAllowed else { return refusal(.refused, "fleet.commands is not set") }
    if let before = answers.first(where: { $0.id == message.id && $0.verb == message.verb }) { return .answer(before) }
    if isRetained { return refusal(.refused, "a retained request would be done again at each start") }
    let lateS = now - message.expires
    guard lateS <= 0 else {
      return refusal(
        .expired, "it came \(Decimal.text(lateS, decimals: 1)) s too late, by the clock of the fleet tool")
    }
    return .carryOut(message)
  }

  /// Remembers the answer to a request that was looked at.
  mutating func note(_ answer: ControlReply) {
    guard answers.count >= Self.remembered else { return answers.append(answer) }
    answers[oldest] = answer
    oldest = (oldest + 1) % Self.remembered
  }
}
