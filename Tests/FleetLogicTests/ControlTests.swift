import FleetLogic
import Telemetry
import Testing

/// What people ask the fleet tool over the broker.
@Suite struct ControlTests {
  static func bench(_ control: FleetState.Control = .allowed, keeps: Bool = true) -> Bench {
    var configuration = FleetState.Configuration(
      graceS: 0, rules: [Rule(name: "shake", kind: .shake)], keeps: keeps)
    configuration.control = control
    return Bench(configuration)
  }

  static func request(
    _ bench: Bench, _ verb: ControlMessage.Verb, id: String = "f1", expiresInS: Double = 10,
    _ change: (inout ControlMessage) -> Void = { _ in }
  ) -> ControlMessage {
    let now = bench.fleet.moment(bench.now).wall
    var message = ControlMessage(id: id, verb, author: "ann@desk", time: now, expires: now + expiresInS)
    change(&message)
    return message
  }

  static func answer(_ effects: [Effect]) -> ControlReply? {
    for case .publish(let publication) in effects where publication.topic == "judder-fleet/reply" {
      #expect(!publication.retained)
      return try? ControlReply.decode(payload: publication.payload)
    }
    return nil
  }

  private func ask(_ bench: inout Bench, _ message: ControlMessage, retained: Bool = false) -> ControlReply? {
    Self.answer(bench.raw("judder-fleet/command", message.encode(), retained: retained))
  }

  @Test func anAlertIsAcknowledgedAndTheAnswerNamesIt() {
    var bench = Self.bench()
    bench.send("pump-7", .online())
    bench.send("pump-7", .shake(1))
    let message = Self.request(bench, .acknowledge) { $0.matchers = .init(rule: "sh*", node: "pump-?") }
    let reply = ask(&bench, message)
    #expect(reply?.result == .done && reply?.alerts == ["shake pump-7"] && reply?.verb == .acknowledge)
    let other = Self.request(bench, .acknowledge, id: "f2") { $0.matchers = .init(rule: "shake", node: "van-1") }
    #expect(ask(&bench, other)?.result == .refused)
    let back = Self.request(bench, .unacknowledge, id: "f3") { $0.matchers = .init(rule: "shake", node: "pump-7") }
    #expect(ask(&bench, back)?.result == .done)
  }

  @Test func aSilenceIsKeptBeforeItIsAnsweredAndIsCalledAsItsRequest() throws {
    var bench = Self.bench()
    let message = Self.request(bench, .silence) {
      $0.matchers.site = "north"
      $0.durationS = 7200
    }
    let effects = bench.raw("judder-fleet/command", message.encode())
    #expect(Self.answer(effects)?.result == .done)
    let silence = try #require(bench.fleet.knownSilences.first)
    #expect(silence.id == "f1" && silence.end - silence.start == 7200 && silence.author == "ann@desk")
    #expect(effects.keeps.contains(.silence(silence)))
    let end = Self.request(bench, .unsilence, id: "f2") { $0.target = "f1" }
    #expect(ask(&bench, end)?.result == .done)
    #expect(bench.fleet.knownSilences.isEmpty)
  }

  @Test func whatComesTwiceIsAnsweredAgainAndNotDoneTwice() {
    var bench = Self.bench()
    let message = Self.request(bench, .silence) {
      $0.isForAll = true
      $0.durationS = 60
    }
    let first = ask(&bench, message)
    let end = Self.request(bench, .unsilence, id: "f2") { $0.target = "f1" }
    _ = ask(&bench, end)
    #expect(ask(&bench, message) == first && first?.result == .done)
    #expect(bench.fleet.knownSilences.isEmpty, "it was not done again")
  }

  @Test func whatWaitedTooLongAtTheBrokerIsNotDone() {
    var bench = Self.bench()
    let message = Self.request(bench, .silence) {
      $0.isForAll = true
      $0.durationS = 60
    }
    _ = bench.pass(10.5)
    let reply = ask(&bench, message)
    #expect(reply?.result == .expired && reply?.text.contains("0.5 s too late") == true)
    #expect(bench.fleet.knownSilences.isEmpty)
  }

  @Test func withoutLeaveEverythingIsRefusedAndWithoutASubscriptionNothingIsAnswered() {
    var bench = Self.bench(.refused)
    let message = Self.request(bench, .acknowledge) { $0.isForAll = true }
    #expect(ask(&bench, message)?.text == "fleet.commands is not set")
    #expect(bench.fleet.subscriptions.contains("judder-fleet/command"))
    var watch = Self.bench(.none)
    #expect(ask(&watch, message) == nil && !watch.fleet.subscriptions.contains("judder-fleet/command"))
  }

  @Test func everythingIsOnlyMeantWhereThatIsSaid() {
    var bench = Self.bench()
    let message = Self.request(bench, .silence) { $0.durationS = 60 }
    #expect(ask(&bench, message)?.text == "it does not say which alerts")
    #expect(bench.fleet.knownSilences.isEmpty)
  }

  @Test func retainedRequestsAreRefused() {
    var bench = Self.bench()
    let message = Self.request(bench, .acknowledge) { $0.isForAll = true }
    #expect(ask(&bench, message, retained: true)?.text.contains("retained") == true)
  }

  @Test(arguments: [
    #"{"v":1}"#, #"{"v":2,"id":"x","command":"silence"}"#, "nonsense", "", #"{"v":1,"id":"\u001b[2J","command":"x"}"#,
    #"{"v":1,"id":"a","command":"silence","t":1,"expires_t":7e9,"author":"","all":true,"duration_s":9}"#,
    #"{"v":1,"id":"a\u0007","command":"silence","t":1,"expires_t":7e9,"author":"x","all":true,"duration_s":9}"#,
    #"{"v":1,"id":"a","command":"silence","t":1,"expires_t":7e9,"author":"x","all":true,"end_t":9}"#,
    #"{"v":1,"id":"a","command":"silence","t":1,"expires_t":7e9,"author":"x","kind":"\u202e","duration_s":9}"#,
    #"{"v":1,"id":"a","command":"wish","t":1,"expires_t":7e9,"author":"x","node":"+/#","verb":"arm","duration_s":9}"#,
    #"{"v":1,"id":"a","command":"unsilence","t":1,"expires_t":7e9,"author":"\u001b[0m","target":"\u001b[2J"}"#,
  ])
  func hostileRequestsAreRefusedAndShownEscaped(payload: String) {
    var bench = Self.bench()
    let effects = bench.raw("judder-fleet/command", Array(payload.utf8))
    #expect(Self.answer(effects).map { $0.result == .refused } ?? true)
    #expect(bench.fleet.knownSilences.isEmpty && bench.fleet.knownWishes.isEmpty)
    for case .log(let entry) in effects { #expect(!entry.text.unicodeScalars.contains { $0.value < 32 }) }
    if let text = Self.answer(effects)?.text { #expect(!text.unicodeScalars.contains { $0.value < 32 }) }
  }

  @Test func theMemoryOfAnswersIsBounded() {
    var bench = Self.bench()
    for number in 0..<300 {
      let message = Self.request(bench, .unsilence, id: "g\(number)") { $0.target = "none" }
      #expect(ask(&bench, message)?.result == .refused)
    }
    let silence = Self.request(bench, .silence, id: "g0") {
      $0.isForAll = true
      $0.durationS = 60
    }
    #expect(ask(&bench, silence)?.result == .done)
  }
}
