import FleetLogic
import Telemetry
import Testing

/// The rule over several nodes, from messages to alerts.
@Suite struct TogetherRuleTests {
  private static let names = ["a", "b", "c", "d", "e"]
  private static let rule = Rule(name: "together", kind: .together)

  /// Five nodes some 10 km apart, each with a position.
  private static func bench(store: Bool = false, labels: [NodeName: Label] = [:]) -> Bench {
    var configuration = FleetState.Configuration(graceS: 0, rules: [rule], keeps: store)
    configuration.labels = labels
    var bench = Bench(configuration)
    for (place, name) in names.enumerated() { bench.send(name, fix(place)) }
    return bench
  }

  private static func fix(_ place: Int) -> Telegram.Body { .fix(48 + Double(place) * 0.09) }

  private static func shake(_ bench: inout Bench, _ name: String, id: Int = 1) -> [Effect] {
    guard case .shake(var shake) = Telegram.Body.shake(id) else { return [] }
    shake.start = WallTime(seconds: Bench.epoch + bench.now.seconds)
    return bench.send(name, .shake(shake))
  }

  @Test func aWaveOverFiveNodesIsOneAlertOfTheFleet() throws {
    var bench = Self.bench()
    var alerts: [Alert] = []
    for name in Self.names {
      alerts += Self.shake(&bench, name).fullAlerts
      alerts += bench.pass(3).fullAlerts
    }
    let first = try #require(alerts.first)
    #expect(alerts.count == 1)
    #expect(first.subject == .fleet)
    #expect(first.state == .firing)
    #expect(first.summary.contains("nodes shook together: ground motion"))
    #expect(bench.pass(600).alerts == ["together @fleet resolved 5"])
  }

  @Test func threeNodesAreNone() {
    var bench = Self.bench()
    var alerts: [String] = []
    for name in Self.names.prefix(3) { alerts += Self.shake(&bench, name).alerts }
    #expect((alerts + bench.pass(600).alerts).isEmpty)
  }

  @Test func aRestartWithinAWaveNeitherLosesNorRepeatsIt() throws {
    for split in 1..<Self.names.count {
      var bench = Self.bench(store: true)
      var store = MemoryStore()
      var alerts: [String] = []
      func take(_ effects: [Effect], _ store: inout MemoryStore) -> [String] {
        store.take(effects)
        return effects.alerts
      }
      for (place, name) in Self.names.enumerated() { store.take(bench.send(name, Self.fix(place))) }
      for (place, name) in Self.names.enumerated() {
        if place == split {
          for alert in store.kept.alerts.flatMap(\.untold) {
            store.take(bench.fleet.handle(.told(alert), at: bench.now))
          }
          alerts += take(bench.restart(store), &store)
        }
        alerts += take(Self.shake(&bench, name), &store)
        alerts += take(bench.pass(3), &store)
      }
      alerts += take(bench.pass(700), &store)
      #expect(
        alerts.map { $0.split(separator: " ").dropLast().joined(separator: " ") } == [
          "together @fleet firing", "together @fleet resolved",
        ], "split \(split)")
    }
  }

  /// It began at one site, and was told as the site's.
  @Test func oneThatGrewBeyondItsSiteEndsWhereItWasToldAlsoAfterARestart() throws {
    let site = (0..<4).map { "n\($0)" }
    let labels = Dictionary(uniqueKeysWithValues: site.compactMap { NodeName($0) }.map { ($0, Label(site: "north")) })
    var bench = Self.bench(store: true, labels: labels)
    var store = MemoryStore()
    var alerts: [String] = []
    func take(_ effects: [Effect]) {
      store.take(effects)
      alerts += effects.alerts
      for alert in effects.fullAlerts { store.take(bench.fleet.handle(.told(alert), at: bench.now)) }
    }
    for (place, name) in Self.names.enumerated() { take(bench.send(name, Self.fix(place))) }
    for name in site { take(bench.send(name, .fix(48))) }
    for name in site { take(Self.shake(&bench, name)) }
    take(bench.pass(2))
    #expect(alerts == ["together @north firing 4"])
    for name in Self.names {
      take(Self.shake(&bench, name))
      take(bench.pass(3))
    }
    take(bench.restart(store))
    take(bench.pass(900))
    #expect(alerts.count == 2 && alerts.last?.hasPrefix("together @north resolved") == true, "\(alerts)")
    #expect(bench.fleet.firingCount == 0)
  }

  @Test func oneThatNothingStandsForAnyMoreEndsAfterARestart() throws {
    var bench = Self.bench(store: true)
    var store = MemoryStore()
    func take(_ effects: [Effect]) -> [String] {
      store.take(effects)
      for alert in effects.fullAlerts { store.take(bench.fleet.handle(.told(alert), at: bench.now)) }
      return effects.alerts
    }
    for (place, name) in Self.names.enumerated() { _ = take(bench.send(name, Self.fix(place))) }
    for name in Self.names { _ = take(Self.shake(&bench, name)) }
    _ = take(bench.pass(10))
    #expect(bench.fleet.firingCount == 1)
    store.texts = [:]
    #expect((take(bench.restart(store)) + take(bench.pass(60))).map { $0.prefix(24) } == ["together @fleet resolved"])
  }

  /// All that may still count is kept each time, which would be the more the more have shaken.
  @Test func whileAWholeFleetShakesThatIsKeptOnceASecond() throws {
    var bench = Self.bench(store: true)
    var kept: [[UInt8]] = []
    func take(_ effects: [Effect]) {
      for case .keep(.note(let note)) in effects where note.key == "together/together" {
        kept.append(note.text)
      }
    }
    for number in 0..<400 {
      bench.send("n\(number)", .fix(48 + Double(number) * 0.01))
      take(Self.shake(&bench, "n\(number)"))
      take(bench.pass(0.001))
    }
    #expect((200...260).contains(kept.count), "\(kept.count)")
    let last = try #require(kept.last)
    let due = try #require(bench.fleet.nextDeadline(after: bench.now))
    #expect(due <= bench.now + 1)
    take(bench.pass(1.1))
    #expect(try #require(kept.last).count > last.count)
  }
}

extension TogetherRuleTests {
  /// As large a fleet as one tool takes: nothing of its rates is forgotten over a restart.
  @Test func theRatesOfALargeFleetReadBack() throws {
    var together = Together()
    let now = WallTime(seconds: Bench.epoch)
    for index in 0..<5000 {
      let name = try #require(NodeName("n\(index)"))
      let place = Together.Place(latitude: 40 + Double(index % 100) * 0.01, longitude: Double(index / 100) * 0.01)
      together.know(Together.Participant(node: index, name: name, place: place), at: now)
    }
    let kept = together.snapshot
    let read = try #require(Together.Snapshot(recent: kept.encodeRecent(), rates: kept.encodeRates()))
    #expect(read.rates.count == 5000)
    #expect(read.rates.map(\.participant.name) == kept.rates.map(\.participant.name))
  }
}
