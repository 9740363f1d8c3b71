import Telemetry
import Testing

/// What is said about delivery: what a node gave up, and what the fleet tool has stored.
@Suite struct DeliveryMessageTests {
  private func payload(_ members: String) -> [UInt8] {
    Array((#"{"v":1,"boot":"00c0ffee","seq":7,"t":1,"clk":"ntp","up":1,"# + members + "}").utf8)
  }

  private func evicted(_ members: String) throws -> EvictedMessage {
    let body = try Telegram.decode(stream: .evicted, payload: payload(members)).body
    guard case .evicted(let message) = body else { return try #require(nil) }
    return message
  }

  private func problem(_ members: String) -> DecodingProblem? {
    do {
      _ = try Telegram.decode(stream: .evicted, payload: payload(members))
      return nil
    } catch {
      return error
    }
  }

  private func ack(_ members: String) -> DecodingProblem? {
    do {
      _ = try AckMessage.decode(payload: Array((#"{"v":1,"boot":"00c0ffee","# + members + "}").utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test func withoutRunsEveryNumberBetweenWasGivenUp() throws {
    let message = try evicted(#""from_seq":3,"to_seq":9,"events":7,"reason":"age""#)
    #expect(message.exactRuns == [3...9] && message.runs.isEmpty)
  }

  @Test func runsAreExactAndTheNumbersBetweenThemAreNotMeant() throws {
    let message = try evicted(#""from_seq":3,"to_seq":9,"runs":[[3,4],[9,9]],"events":3,"reason":"cap""#)
    #expect(message.exactRuns == [3...4, 9...9])
  }

  @Test func whatWasDamagedHasBoundsAndNoNumbers() throws {
    let message = try evicted(#""from_seq":3,"to_seq":9,"reason":"damaged""#)
    #expect(message.exactRuns == nil && message.count == nil)
  }

  @Test(arguments: [
    #"[[3,9],[9,9]]"#, #"[[4,9],[3,3]]"#, #"[[3,3],[4,9]]"#, #"[[9,3]]"#, #"[[3]]"#, #"[[-3,9]]"#, #"[[3.5,9]]"#,
    #"[[3,8]]"#, #"[[4,9]]"#, #"[3,9]"#,
  ])
  func runsThatOverlapTouchOrDisagreeAreRefused(runs: String) {
    #expect(problem(#""from_seq":3,"to_seq":9,"runs":"# + runs + #","events":3,"reason":"cap""#)?.key == "runs")
  }

  @Test func theBoundsAreInOrderAndExactOnesAreCounted() {
    #expect(problem(#""from_seq":9,"to_seq":3,"events":3,"reason":"cap""#)?.key == "to_seq")
    #expect(problem(#""from_seq":3,"to_seq":9,"reason":"cap""#)?.key == "events")
    #expect(problem(#""from_seq":3,"to_seq":9,"events":3,"reason":"whim""#)?.reason == .unknownWord)
    let many = (0..<257).map { "[\($0 * 2),\($0 * 2)]" }.joined(separator: ",")
    #expect(problem(#""from_seq":0,"to_seq":512,"runs":["# + many + #"],"events":257,"reason":"cap""#)?.key == "runs")
  }

  @Test func anAcknowledgementReadsBackAsItself() throws {
    #expect(try AckMessage.decode(payload: Examples.ack.encode()) == Examples.ack)
    let none = AckMessage(boot: BootID(1), sequence: 0)
    #expect(try AckMessage.decode(payload: none.encode()) == none)
    #expect(String(decoding: none.encode(), as: UTF8.self) == #"{"v":1,"boot":"00000001","seq":0}"#)
  }

  @Test func anAcknowledgementSaysNothingTwice() {
    #expect(ack(#""seq":5,"also":[[7,9]]"#) == nil)
    #expect(ack(#""seq":5,"also":[[5,9]]"#)?.key == "also")
    #expect(ack(#""seq":5,"also":[[7,9],[8,10]]"#)?.key == "also")
    #expect(ack(#""seq":-1"#)?.reason == .outOfRange)
    #expect(ack(#""also":[[7,9]]"#)?.key == "seq")
    let many = (0..<65).map { "[\($0 * 2 + 9),\($0 * 2 + 9)]" }.joined(separator: ",")
    #expect(ack(#""seq":5,"also":["# + many + "]")?.key == "also")
  }
}
