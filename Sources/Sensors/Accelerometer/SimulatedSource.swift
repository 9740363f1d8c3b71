public import NodeLogic
public import Telemetry

/// A simulated sensor: seeded, so that the same seed gives the same samples.
public final class SimulatedSource: AccelerometerSource {
  private let description: AccelerometerDescription
  private var simulator: MotionSimulator
  private var pacer = SamplePacer()
  private var hasStarted = false
  private var isStopped = false

  /// - Parameter rateHz: 1...10000; what is outside is brought to its nearest end.
  public init(scenario: MotionScenario, seed: UInt64, rateHz: Double) {
    simulator = MotionSimulator(scenario, rateHz: rateHz, seed: seed)
    description = AccelerometerDescription(
      name: "simulated-\(scenario.rawValue)", source: .simulated, rateHz: simulator.rateHz, capture: .generated)
  }

  public var descriptor: Int32? { nil }
  public var nextDeadline: Instant? { isStopped ? nil : pacer.nextDeadline }

  public func handle(at now: Instant) -> [AccelerometerReport] {
    guard !isStopped else { return [] }
    let reports = now < pacer.nextDeadline ? [] : pacer.take(at: now) { simulator.next() }
    guard !hasStarted else { return reports }
    hasStarted = true
    return [.started(description)] + reports
  }

  public func stop() { isStopped = true }
}
