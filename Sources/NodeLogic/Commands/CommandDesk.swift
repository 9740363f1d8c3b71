public import Telemetry

/// Reads what a node is asked to do, and decides whether it is to be done.
///
/// A command may arrive twice (QoS 1), late, or from a broker that kept it; a node that does not know the time cannot
/// tell whether one has expired. What was answered is remembered, so that a command that comes again is answered as
/// before and not done again.
public struct CommandDesk: Equatable, Sendable {
  /// Answers that are remembered.
  static let remembered = 16

  /// What is to become of a payload.
  public enum Decision: Equatable, Sendable {
    /// Do it, then say so with `answered`.
    case carryOut(CommandMessage)
    /// Publish this answer: it is not done, or was done before.
    case answer(ReplyMessage)
    /// Say nothing on the broker: the reason for the log.
    case ignore(reason: String)
  }

  private var answers: [ReplyMessage] = []
  /// What is being done, and answered later.
  private var underWay: [CommandMessage] = []

  public init() {}

  /// Decides about a payload that came on the node's command topic at `now`.
  ///
  /// - Parameters:
  ///   - isRetained: the broker kept it, and would bring it again at each connection.
  ///   - clock: for `expires_t`.
  public func decide(_ payload: [UInt8], isRetained: Bool, clock: ClockState, at now: Instant) -> Decision {
    // An empty retained message is how a retained one is taken away.
    if payload.isEmpty { return .ignore(reason: "an empty command") }
    let command: CommandMessage
    do throws(DecodingProblem) {
      command = try CommandMessage.decode(payload: payload)
    } catch {
      let id = CommandMessage.id(ofUnreadable: payload)
      return .answer(ReplyMessage(id: id, nil, isDone: false, reason: "not understood: \(error)"))
    }
    if let before = answers.first(where: { $0.id == command.id && $0.verb == command.verb }) { return .answer(before) }
    if underWay.contains(where: { $0.id == command.id && $0.verb == command.verb }) {
      return .ignore(reason: "it came again, and is being done")
    }
    if isRetained { return .answer(refusal(of: command, "a retained command would be done again at each connection")) }
    if let expires = command.expires, let reason = expiry(expires, clock: clock, at: now) {
      return .answer(refusal(of: command, reason))
    }
    return .carryOut(command)
  }

  /// Whether one more may be begun that is answered later.
  public var hasRoom: Bool { underWay.count < Self.remembered }

  /// Remembers that a command is being done; `note` ends that.
  public mutating func begin(_ command: CommandMessage) { underWay.append(command) }

  /// Remembers the answer to a command that was carried out.
  public mutating func note(_ answer: ReplyMessage) {
    underWay.removeAll { $0.id == answer.id && $0.verb == answer.verb }
    if answers.count >= Self.remembered { answers.removeFirst() }
    answers.append(answer)
  }

  private func expiry(_ expires: WallTime, clock: ClockState, at now: Instant) -> String? {
    guard clock.quality != .none else { return "it expires, and the node does not know the time" }
    let lateS = clock.wall(at: now) - expires
    return lateS > 0 ? "expired \(tenths(lateS)) s ago" : nil
  }

  private func refusal(of command: CommandMessage, _ reason: String) -> ReplyMessage {
    ReplyMessage(id: command.id, command.verb, isDone: false, reason: reason)
  }
}
