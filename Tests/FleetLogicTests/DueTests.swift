import Telemetry
import Testing

@testable import FleetLogic

/// Nothing is woken late: what is looked up in an index is what a look at everything finds.
@Suite struct DueTests {
  @Test(arguments: 1...20) func aQueueIsWhatASortedListIs(seed: UInt64) {
    var dice = LifePropertyTests.Dice(state: seed)
    var queue = DueQueue<Int, Double>()
    var dues: [Int: Double] = [:]
    for _ in 0..<500 {
      let key = Int.random(in: 0..<40, using: &dice)
      switch Int.random(in: 0..<8, using: &dice) {
      case 0:
        queue.set(key, nil)
        dues[key] = nil
      case 1:
        let limit = Double.random(in: 0..<10, using: &dice)
        let due = dues.filter { $0.value <= limit }
        #expect(Set(queue.keys(dueBy: limit)) == Set(due.keys))
        let taken = queue.takeKeys(dueBy: limit)
        #expect(taken.compactMap { dues[$0] } == due.values.sorted() && Set(taken) == Set(due.keys))
        for key in due.keys { dues[key] = nil }
      default:
        // Of few values, so that some are equal.
        let due = Double.random(in: 0..<100, using: &dice).rounded()
        queue.set(key, due)
        dues[key] = due
      }
      #expect(queue.earliest == dues.values.min() && queue.count == dues.count)
      #expect(queue.isEmpty == dues.isEmpty && queue.due(key) == dues[key])
    }
  }

  /// The random lives of `LifePropertyTests` ask these after each step; here each is seen to find what it is for.
  @Test func whatIsOverlookedIsFound() {
    var bench = Bench(FleetState.Configuration(graceS: 0))
    bench.send("a", .online(healthS: 60))
    bench.send("a", .noFix())
    let (later, silent) = (bench.fleet.moment(bench.now + 100), bench.fleet.moment(bench.now + 1000))
    #expect(bench.fleet.missedDues.isEmpty && bench.fleet.overlooked(at: silent).isEmpty)
    #expect(bench.fleet.overlooked(at: later).isEmpty)
    var deaf = bench.fleet
    deaf.silenceDues = DueQueue()
    #expect(!deaf.missedDues.isEmpty && !deaf.overlooked(at: silent).isEmpty)
    var late = bench.fleet
    late.alertDues = DueQueue()
    #expect(!late.missedDues.isEmpty && !late.overlooked(at: later).isEmpty)
  }

  @Test func aFleetIsWokenForEachNodeThatFallsSilentAndForNothingElse() {
    var bench = Bench(FleetState.Configuration(graceS: 0, rules: [Rule(name: "silent", kind: .silent)]))
    for number in 0..<200 {
      bench.now = bench.now + 0.1
      for _ in 0..<3 { bench.send("n\(number)", .online(healthS: 60)) }
    }
    var (wakes, alerts, times) = (0, [String](), [Double]())
    while let next = bench.fleet.nextDeadline(after: bench.now), next.seconds < 175 {
      bench.now = next
      wakes += 1
      let fired = bench.fleet.handle(.tick, at: next).alerts
      alerts += fired
      times += fired.map { _ in next.seconds }
    }
    #expect(alerts == (0..<200).map { "silent n\($0) firing 1" })
    #expect(times.enumerated().allSatisfy { abs($1 - (0.1 * Double($0 + 1) + 150)) < 1e-6 })
    // The fleet's own status tells the new numbers of nodes and alerts, every 10 s at the most.
    #expect(wakes <= 200 + 4)
  }
}

extension FleetState {
  /// Dues that the indices have not as the nodes and alerts have them.
  var missedDues: [String] {
    var missed: [String] = []
    for index in nodes.indices where silenceDues.due(index) != silenceDue(node: index) {
      missed.append("the silence of \(nodes[index].name) is noted for another time")
    }
    for (key, record) in records {
      let isSilence = configuration.rules[key.rule].kind == .silent
      let due = (isSilence ? silentAlertDues : alertDues).due(key)
      if due != record.life.deadline { missed.append("\(alertName(key)) is due at another time than noted") }
      if attended.due(key) != attention(key, record) { missed.append("\(alertName(key)) is attended at another time") }
    }
    let dues = records.values.count { $0.life.deadline != nil }
    if silentAlertDues.count + alertDues.count != dues { missed.append("dues of alerts that are over are left") }
    let attentions = records.count { attention($0.key, $0.value) != nil }
    if attended.count != attentions { missed.append("alerts that are over are attended") }
    return missed
  }

  /// What a look at every node and every alert makes of a moment, and `letTimePass` does not.
  func overlooked(at moment: Moment) -> [String] {
    var indexed = self
    var scanned = self
    indexed.effects = []
    scanned.effects = []
    indexed.letTimePass(moment)
    scanned.scan(moment)
    var found: [String] = []
    if indexed.effects != scanned.effects { found.append("said otherwise at \(moment.instant.seconds)") }
    if indexed.records != scanned.records { found.append("alerts are otherwise at \(moment.instant.seconds)") }
    if indexed.nodes != scanned.nodes { found.append("nodes are otherwise at \(moment.instant.seconds)") }
    if indexed.restless != scanned.restless { found.append("restless otherwise at \(moment.instant.seconds)") }
    return found
  }

  private mutating func scan(_ moment: Moment) {
    for index in nodes.indices { lookForSilence(node: index, at: moment) }
    for key in records.filter({ $0.value.life.deadline != nil }).keys.sorted() {
      passTime(key, at: moment)
    }
  }

  private func alertName(_ key: AlertKey) -> String { "\(configuration.rules[key.rule].name) \(subject(key.place))" }
}
