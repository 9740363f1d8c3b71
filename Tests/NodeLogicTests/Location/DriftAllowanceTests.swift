import Telemetry
import Testing

@testable import NodeLogic

@Suite("Drift allowance") struct DriftAllowanceTests {
  private let still = LocationTracker.Stillness.still(since: .start)

  private func allowance(
    _ accuracyM: Double, _ stillness: LocationTracker.Stillness, speedMPS: Double? = nil
  ) -> Double {
    let anchor = RestAnchor(FixMaker.fix(at: 0, accuracyM: accuracyM))
    return DriftAllowance.metres(
      anchor: anchor, FixMaker.fix(at: 1, accuracyM: accuracyM, speedMPS: speedMPS), stillness)
  }

  @Test func growsWithTheAccuracyAndWithStillness() {
    // The two ends of 8 m together are 11.3 m.
    #expect(abs(allowance(8, still) - 33.9) < 0.1)
    #expect(abs(allowance(8, .unknown) - 28.3) < 0.1)
    #expect(abs(allowance(8, .moving) - 22.6) < 0.1)
    #expect(abs(allowance(8, still, speedMPS: 1.5) - 17) < 0.1)
    #expect(abs(allowance(8, .unknown, speedMPS: 1.5) - 11.3) < 0.1)
    #expect(abs(allowance(8, .unknown, speedMPS: 1.4) - 28.3) < 0.1)
  }

  @Test func hasALeast() {
    for stillness in [still, .unknown, .moving] { #expect(allowance(0.01, stillness) == 10) }
  }

  @Test func isCappedSoThatATowIsSeen() {
    for accuracy in stride(from: 1.0, through: 35, by: 1) { #expect(allowance(accuracy, still) <= 50) }
    #expect(allowance(30, still) == 50)
    #expect(allowance(30, .moving, speedMPS: 3) == 30)
  }

  @Test func isTheAccuracyItselfWhereThatIsWorseUpToItsEnd() {
    #expect(abs(allowance(50, still) - 70.7) < 0.1)
    for accuracy in [60.0, 100, 200] { #expect(allowance(accuracy, still) == 80) }
    #expect(allowance(100, still, speedMPS: 3) == 30)
  }
}
