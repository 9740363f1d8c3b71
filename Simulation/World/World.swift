import Telemetry

/// Everything that takes part in one run, and the time that passes in it.
///
/// A class, since its parts plan what they do next in the same agenda.
final class World {
  let seed: UInt64
  let plan: Plan
  private(set) var nowS = 0.0
  /// Things that have happened.
  private(set) var steps = 0
  /// Faults that were injected, by kind.
  private(set) var faults: [String: Int] = [:]
  /// From now on nothing goes wrong any more.
  var isQuiet = false { didSet { quietAtS = quietAtS ?? nowS } }
  /// Since when [s]; nil: it is not.
  private(set) var quietAtS: Double?
  /// And nothing new is measured.
  var isStill = false
  var trace = Trace()
  /// What refers to one another without holding one another.
  var parts: [AnyObject] = []
  private(set) var oracle: Oracle!
  private(set) var violation: Violation?
  /// When the last fault began [s].
  private(set) var lastFaultS = 0.0
  private var agenda = Agenda()
  private var what = "start"
  /// Steps within less than a millisecond each: many of them are a loop without a wait.
  private var stepsAtOnce = 0
  private static let mostStepsAtOnce = 10_000
  /// The true time at the start [s since 1970].
  static let epochS = 1_800_000_000.0

  init(_ plan: Plan, seed: UInt64) {
    self.plan = plan
    self.seed = seed
    oracle = Oracle(self)
  }

  /// The true time.
  var wall: WallTime { WallTime(seconds: World.epochS + nowS) }

  /// Plans something for so much later [s].
  func after(_ delayS: Double, _ what: String, _ action: @escaping () -> Void) {
    agenda.add(atS: nowS + max(0, delayS), what, action)
  }

  /// Counts a fault, and tells it.
  func fault(_ kind: String, _ detail: @autoclosure () -> String = "") {
    faults[kind, default: 0] += 1
    lastFaultS = nowS
    note("FAULT \(kind) \(detail())")
  }

  /// Only where everything is shown.
  func detail(_ text: @autoclosure () -> String) { if trace.output != nil { note(text()) } }

  func note(_ text: @autoclosure () -> String) {
    trace.note("\((nowS * 1000).rounded() / 1000) #\(steps) \(text())")
  }

  /// Something that must hold does not: the run ends after this step.
  func violated(_ invariant: Invariant, _ text: @autoclosure () -> String) {
    guard violation == nil else { return }
    let found = Violation(invariant: invariant, step: steps, atS: nowS, what: what, text: text())
    violation = found
    note("VIOLATED \(found.text)")
  }

  /// Throws nothing: an expectation that fails is kept as the run's violation.
  func expect(_ holds: Bool, _ invariant: Invariant, _ text: @autoclosure () -> String) {
    if !holds { violated(invariant, text()) }
  }

  /// Lets happen what is planned, one thing after the other, until a moment or the first violation.
  func run(untilS: Double, afterEach check: () -> Void) {
    while violation == nil, let nextS = agenda.nextS, nextS <= untilS, let item = agenda.pop() {
      stepsAtOnce = item.atS > nowS + 0.001 ? 0 : stepsAtOnce + 1
      nowS = max(nowS, item.atS)
      steps += 1
      expect(stepsAtOnce < World.mostStepsAtOnce, .drains, "time stands still")
      what = item.what
      detail("- \(what)")
      item.action()
      check()
    }
    nowS = max(nowS, untilS)
  }
}
