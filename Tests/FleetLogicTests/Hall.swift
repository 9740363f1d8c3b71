import FleetLogic
import Telemetry

/// A fleet of nodes at a hall whose silence is told as one, with a store and sinks that take everything at once.
struct Hall {
  var bench: Bench
  var store = MemoryStore()
  /// What the broker keeps of the alerts.
  var retained: [String: [UInt8]] = [:]
  var told: [String] = []

  init(_ count: Int, _ change: (inout FleetState.Configuration) -> Void = { _ in }) {
    var silence = Condition.Silence()
    silence.holdS = 30
    var lost = Rule(name: "lost-fix", kind: .lostFix)
    (lost.forS, lost.clearForS) = (10, 5)
    var configuration = FleetState.Configuration(
      graceS: 0, rules: [Rule(name: "silent", .silent(silence)), lost], keeps: true)
    for index in 0..<count { NodeName("n\(index)").map { configuration.labels[$0] = Label(site: "hall") } }
    change(&configuration)
    bench = Bench(configuration)
    for index in 0..<count {
      run { $0.send("n\(index)", .online(healthS: 80_000)) + $0.send("n\(index)", .fix()) }
    }
  }

  /// Answers what was told.
  @discardableResult mutating func run(_ work: (inout Bench) -> [Effect]) -> [String] {
    let effects = work(&bench)
    store.take(effects)
    for publication in effects.publications where publication.topic.contains("/alerts/") {
      retained[publication.topic] = publication.payload.isEmpty ? nil : publication.payload
    }
    var heard = effects.alerts
    for alert in effects.fullAlerts { heard += run { $0.fleet.handle(.told(alert), at: $0.now) } }
    told += effects.alerts
    return heard
  }

  @discardableResult mutating func pass(_ seconds: Double) -> [String] { run { $0.pass(seconds) } }

  @discardableResult mutating func order(_ order: Order) -> [String] {
    run { $0.fleet.handle(.order(order, id: "1"), at: $0.now) }
  }

  mutating func silence(_ id: String, _ matchers: Matchers, forS: Double) -> [String] {
    let now = bench.fleet.moment(bench.now).wall
    return order(
      .silence(Silence(id: id, matchers, start: now, end: now + forS, author: "kim", comment: "", made: now)))
  }

  mutating func restart(after seconds: Double = 1) -> [String] {
    let stored = store
    var heard = run { $0.restart(stored, after: seconds) }
    for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) {
      heard += run { $0.raw(topic, payload, retained: true) }
    }
    return heard
  }

  func mute(_ subject: String, _ rule: String = "silent") -> Mute.Cause? {
    bench.fleet.firingAlerts(at: bench.now).first { "\($0.subject)" == subject && $0.rule == rule }?.mute?.cause
  }

  func steps(_ subject: String) -> [Decision.Step] {
    store.decisions.filter { "\($0.subject)" == subject }.map(\.step)
  }
}
