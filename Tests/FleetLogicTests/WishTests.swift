import FleetLogic
import Telemetry
import Testing

/// Commands that wait for their nodes.
@Suite struct WishTests {
  private static let topic = "judder/pump-7/command"

  private func wish(
    _ bench: inout Bench, id: String = "w1", node: String = "pump-7", forS: Double = 3600
  ) -> [Effect] {
    let message = ControlTests.request(bench, .wish, id: id) {
      $0.matchers.node = node
      $0.command = .init(.locate)
      $0.durationS = forS
    }
    return bench.raw("judder-fleet/command", message.encode())
  }

  private func commands(_ effects: [Effect]) -> [CommandMessage] {
    effects.compactMap { effect in
      guard case .publish(let publication) = effect, publication.topic == Self.topic else { return nil }
      return try? CommandMessage.decode(payload: publication.payload)
    }
  }

  private func reply(_ id: String, isDone: Bool = true) -> Telegram.Body {
    .reply(ReplyMessage(id: id, .locate, isDone: isDone, reason: isDone ? nil : "location is off"))
  }

  private func states(_ effects: [Effect]) -> [Wish.State] {
    effects.keeps.compactMap { if case .wish(let wish) = $0 { wish.state } else { nil } }
  }

  @Test func aWishForANodeThatIsThereIsSentAtOnce() {
    var bench = ControlTests.bench()
    bench.send("pump-7", .online())
    let effects = wish(&bench)
    var command = CommandMessage(id: "w1", .locate)
    command.author = "ann@desk"
    #expect(commands(effects) == [command])
    #expect(states(effects) == [.waiting] && ControlTests.answer(effects)?.result == .done)
    #expect(commands(bench.send("pump-7", .fix())).isEmpty, "once each time that the node is there")
    let done = bench.send("pump-7", reply("w1"))
    #expect(states(done) == [.done] && bench.fleet.knownWishes.isEmpty)
    #expect(states(bench.send("pump-7", reply("w1"))).isEmpty, "the same answer again means nothing")
  }

  @Test func aWishWaitsForItsNodeAndIsSentOnceEachTimeItComes() {
    var bench = ControlTests.bench()
    bench.send("pump-7", .online())
    _ = bench.will("pump-7")
    #expect(commands(wish(&bench)).isEmpty)
    #expect(commands(bench.send("van-1", .online())).isEmpty)
    #expect(commands(bench.send("pump-7", .online())).map(\.id) == ["w1"])
    #expect(commands(bench.send("pump-7", .fix())).isEmpty)
    _ = bench.will("pump-7")
    _ = bench.pass(1)
    #expect(commands(bench.send("pump-7", .online())).map(\.id) == ["w1"], "with the same id: the node knows it")
    #expect(commands(bench.send("pump-7", .online(), boot: 2)).map(\.id) == ["w1"], "another run of the node")
    #expect(states(bench.send("pump-7", reply("w1", isDone: false), boot: 2)) == [.refused])
    #expect(commands(bench.send("pump-7", .online(), boot: 3)).isEmpty)
  }

  @Test func aBrokenLinkIsAnotherOccasion() {
    var bench = ControlTests.bench()
    bench.send("pump-7", .online())
    #expect(commands(wish(&bench)).count == 1)
    _ = bench.fleet.handle(.disconnected(reason: "gone"), at: bench.now)
    #expect(ControlTests.answer(wish(&bench, id: "w2")) == nil, "nobody can be answered")
    _ = bench.pass(5)
    _ = bench.fleet.handle(.connected, at: bench.now)
    #expect(commands(bench.send("pump-7", .fix())).map(\.id) == ["w1", "w2"], "in the order in which they were made")
  }

  @Test func anAnswerOfAnotherNodeOrToSomethingElseEndsNoWish() {
    var bench = ControlTests.bench()
    bench.send("pump-7", .online())
    _ = wish(&bench)
    #expect(states(bench.send("van-1", reply("w1"))).isEmpty)
    #expect(states(bench.send("pump-7", reply("w9"))).isEmpty)
    #expect(bench.fleet.knownWishes.map(\.id) == ["w1"])
  }

  @Test func aWishThatLapsesIsToldAndDropped() {
    var bench = ControlTests.bench()
    _ = wish(&bench, forS: 60)
    #expect(states(bench.pass(59)).isEmpty)
    let effects = bench.pass(2)
    #expect(states(effects) == [.expired])
    #expect(effects.contains { if case .log(let entry) = $0 { entry.text.contains("has lapsed") } else { false } })
    #expect(commands(bench.send("pump-7", .online())).isEmpty)
  }

  @Test func aWishIsTakenBack() {
    var bench = ControlTests.bench()
    _ = wish(&bench)
    let back = ControlTests.request(bench, .unwish, id: "f2") { $0.target = "w1" }
    let effects = bench.raw("judder-fleet/command", back.encode())
    #expect(ControlTests.answer(effects)?.result == .done && states(effects) == [.withdrawn])
    #expect(commands(bench.send("pump-7", .online())).isEmpty)
  }

  @Test func wishesOutlastTheFleetTool() {
    var bench = ControlTests.bench()
    var store = MemoryStore()
    store.take(bench.send("pump-7", .online()))
    store.take(wish(&bench))
    _ = bench.restart(store, after: 30)
    #expect(bench.fleet.knownWishes.map(\.id) == ["w1"])
    #expect(commands(bench.send("pump-7", .fix())).map(\.id) == ["w1"], "its answer may have been missed")
    store.take(bench.send("pump-7", reply("w1")))
    _ = bench.restart(store)
    #expect(bench.fleet.knownWishes.isEmpty)
    store.take(wish(&bench, id: "w2", forS: 60))
    #expect(states(bench.restart(store, after: 100)) == [.expired], "while the tool was away")
  }

  @Test func wishesAreBounded() {
    var bench = ControlTests.bench()
    for number in 0..<16 { #expect(ControlTests.answer(wish(&bench, id: "w\(number)"))?.result == .done) }
    #expect(ControlTests.answer(wish(&bench, id: "w16"))?.result == .refused, "a node remembers 16 answers")
    #expect(ControlTests.answer(wish(&bench, id: "w3"))?.result == .done, "the same again")
    for number in 16..<10_000 {
      #expect(ControlTests.answer(wish(&bench, id: "x\(number)", node: "n\(number / 10)"))?.result == .done)
    }
    #expect(ControlTests.answer(wish(&bench, id: "y", node: "last"))?.text.contains("10000 wishes") == true)
  }
}
