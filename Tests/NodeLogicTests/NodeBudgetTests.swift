import NodeLogic
import Telemetry
import Testing

@Suite struct NodeBudgetTests {
  private let sensor = AccelerometerDescription(name: "lis3dh", source: .iio, rateHz: 2, capture: .buffered)

  private func node(limitMB: Double?, windowS: Double = 1) -> Node {
    var settings = NodeSettings()
    settings.motion = MotionSettings(.handheld)
    settings.motion?.acceleration.windowS = windowS
    settings.motion?.acceleration.restWindowS = 0
    settings.budget = limitMB.map { DataBudget.Settings(limitBytes: $0 * 1e6) }
    var node = Node(
      boot: BootID(7), settings, clock: ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp))
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(.accelerometer(.started(sensor)), at: .start)
    return node
  }

  /// Some hours of slow swaying, in reports of a minute; answers what the node wants done.
  private func run(_ node: inout Node, hours: Range<Int>) -> [NodeEffect] {
    (hours.lowerBound * 60..<hours.upperBound * 60).flatMap { minute in
      let from = Double(minute) * 60
      let report = samples(rateHz: 2, from: from, lengthS: 60) {
        Vector(0.1 * ($0.truncatingRemainder(dividingBy: 7)), 0, 1)
      }
      return node.handle(.accelerometer(.samples(report)), at: .s(from + 60))
    }
  }

  private func windows(_ effects: [NodeEffect]) -> [AccelerationMessage] {
    effects.compactMap {
      guard case .publish(let outgoing) = $0, case .acceleration(let message) = outgoing.telegram.body else {
        return nil
      }
      return message
    }
  }

  private func notes(_ effects: [NodeEffect]) -> [Note] {
    effects.compactMap { if case .log(let note) = $0, note.topic == "budget" { note } else { nil } }
  }

  private func health(_ node: inout Node, at now: Instant) -> HealthMessage? {
    for case .publish(let outgoing) in node.handle(.usage(ProcessLoad(residentKB: nil, processorS: nil)), at: now) {
      if case .health(let health) = outgoing.telegram.body { return health }
    }
    return nil
  }

  @Test func withoutABudgetNothingIsStretchedOrReported() {
    var node = node(limitMB: nil)
    #expect(windows(run(&node, hours: 0..<1)).count > 3590)
    #expect(health(&node, at: .s(3600))?.budget == nil)
  }

  @Test func windowsBecomeLongerUntilTheyFitAndHealthSaysSo() throws {
    // A window a second would be 27 MB a day.
    var node = node(limitMB: 62)
    var effects = run(&node, hours: 0..<3)
    let said = try #require(notes(effects).first)
    #expect(notes(effects).count == 1 && said.level == .notice && said.text.contains("62.0 MB a month"))
    effects = run(&node, hours: 3..<5)
    #expect(notes(effects).isEmpty)
    let lengths = windows(effects).map(\.windowS)
    #expect(lengths.allSatisfy { $0 > 5 && $0 < 60 })
    let budget = try #require(health(&node, at: .s(18_000))?.budget)
    #expect(budget.limitMB == 62 && budget.stretch > 5)
    // 0.05 of a day's worth was there to begin with, five hours' came, and their part of the reserve of ten days.
    let granted = 62 / 30.75 * (0.05 + 5.0 / 24 * (1 + 0.065))
    #expect(budget.usedMB < granted && budget.usedMB > 0.85 * granted)
  }

  @Test func eventsAreNeverWithheldAndAreCharged() throws {
    var node = node(limitMB: 0.1)
    _ = run(&node, hours: 0..<1)
    let before = try #require(health(&node, at: .s(3601))?.budget?.usedMB)
    let turned = samples(rateHz: 2, from: 3601, lengthS: 30) { _ in Vector(1, 0, 0) }
    let effects = node.handle(.accelerometer(.samples(turned)), at: .s(3632))
    #expect(
      effects.contains {
        if case .publish(let outgoing) = $0 { outgoing.telegram.body.stream == .orientation } else { false }
      })
    #expect(try #require(health(&node, at: .s(3633))?.budget?.usedMB) > before)
  }

  @Test func anotherBudgetTakesEffectAtOnceAndNoneEndsIt() throws {
    var node = node(limitMB: 62)
    _ = run(&node, hours: 0..<2)
    var settings = node.settings
    settings.budget = nil
    _ = node.reconfigure(settings, at: .s(7200))
    #expect(health(&node, at: .s(7200))?.budget == nil)
    #expect(windows(run(&node, hours: 2..<3)).count > 3590)
    settings.budget = DataBudget.Settings(limitBytes: 1e5)
    let effects = node.reconfigure(settings, at: .s(10_800)) + run(&node, hours: 3..<5)
    #expect(notes(effects).map(\.level) == [.notice, .warning], "the link alone is too much for 100 kB")
    #expect((health(&node, at: .s(18_000))?.budget?.stretch ?? 0) > 3599)
  }

  @Test func whatIsNotHandedOverIsNotCharged() throws {
    var node = node(limitMB: 62)
    _ = node.handle(.link(isConnected: false), at: .s(1))
    _ = run(&node, hours: 0..<2)
    _ = node.handle(.link(isConnected: true), at: .s(7200))
    #expect(try #require(health(&node, at: .s(7200))?.budget?.usedMB) < 0.01)
  }
}
