import NodeLogic
import Telemetry
import Testing

@Suite struct CommandDeskTests {
  private static let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
  private static let now = Instant(seconds: 100)

  private func decide(
    _ command: CommandMessage, with desk: CommandDesk = CommandDesk(), isRetained: Bool = false,
    quality: ClockQuality = .ntp
  ) -> CommandDesk.Decision {
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: quality)
    return desk.decide(command.encode(), isRetained: isRetained, clock: clock, at: Self.now)
  }

  private func reason(_ decision: CommandDesk.Decision) -> String? {
    if case .answer(let reply) = decision, !reply.isDone { reply.reason } else { nil }
  }

  @Test func aCommandIsCarriedOut() {
    let command = CommandMessage(id: "a", .live, forS: 60, expires: WallTime(seconds: 1_800_000_100.5))
    #expect(decide(command) == .carryOut(command))
  }

  @Test func anExpiredOneIsRefusedWithItsAge() {
    let command = CommandMessage(id: "a", .arm, expires: WallTime(seconds: 1_800_000_090))
    #expect(reason(decide(command)) == "expired 10.0 s ago")
  }

  @Test func withoutTheTimeNothingThatExpiresIsDone() {
    let command = CommandMessage(id: "a", .arm, expires: WallTime(seconds: 1_900_000_000))
    #expect(reason(decide(command, quality: .none)) == "it expires, and the node does not know the time")
    #expect(decide(CommandMessage(id: "a", .arm), quality: .none) == .carryOut(CommandMessage(id: "a", .arm)))
  }

  @Test func aRetainedOneIsRefused() {
    #expect(reason(decide(CommandMessage(id: "a", .disarm), isRetained: true))?.contains("retained") == true)
  }

  @Test func oneThatComesAgainIsAnsweredAsBefore() {
    var desk = CommandDesk()
    let done = ReplyMessage(id: "a", .arm, isDone: true)
    desk.note(done)
    #expect(decide(CommandMessage(id: "a", .arm), with: desk) == .answer(done))
    #expect(decide(CommandMessage(id: "a", .disarm), with: desk) == .carryOut(CommandMessage(id: "a", .disarm)))
    for index in 0..<16 { desk.note(ReplyMessage(id: "\(index)", .arm, isDone: true)) }
    #expect(decide(CommandMessage(id: "a", .arm), with: desk) == .carryOut(CommandMessage(id: "a", .arm)), "long ago")
  }

  @Test func whatIsNotUnderstoodIsAnsweredWithItsId() {
    let payload = Array(#"{"v":1,"id":"a7","command":"explode"}"#.utf8)
    let decision = CommandDesk().decide(payload, isRetained: false, clock: Self.clock, at: Self.now)
    guard case .answer(let reply) = decision else {
      Issue.record("no answer")
      return
    }
    #expect(reply.id == "a7")
    #expect(reply.reason?.contains("live") == true, "it says what is understood")
  }

  @Test func takingARetainedCommandAwayIsNoCommand() {
    let decision = CommandDesk().decide([], isRetained: true, clock: Self.clock, at: Self.now)
    #expect(decision == .ignore(reason: "an empty command"))
  }
}
