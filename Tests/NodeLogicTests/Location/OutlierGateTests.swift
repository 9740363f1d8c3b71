import Telemetry
import Testing

@testable import NodeLogic

@Suite("Outlier gate") struct OutlierGateTests {
  private func gate(_ speed: Double = 100, _ acceleration: Double = 15) -> OutlierGate {
    OutlierGate(maxSpeedMPS: speed, maxAccelerationMPS2: acceleration)
  }

  private func objection(_ gate: OutlierGate, _ a: Fix, _ b: Fix) -> FixDecision.Rejection? {
    gate.objection(to: b, after: a)
  }

  @Test func theFirstFixIsGood() {
    var gate = gate()
    #expect(gate.judge(FixMaker.fix(at: 0), after: nil) == .good)
  }

  /// 100 m/s for 10 s and three times hypot(5, 5).
  @Test func aPlaceBeyondTheGreatestSpeedIsRejected() throws {
    let start = FixMaker.fix(at: 0, speedMPS: 90)
    #expect(objection(gate(), start, FixMaker.fix(at: 10, north: 1_020)) == nil)
    guard case .speed(let leap, limitMPS: 100)? = objection(gate(), start, FixMaker.fix(at: 10, north: 1_023)) else {
      Issue.record("not rejected for its speed")
      return
    }
    #expect(abs(leap.distanceM - 1_023) < 0.5)
    #expect(leap.durationS == 10)
    #expect(abs(leap.reachM - 1_021.2) < 0.1)
  }

  /// 10 m/s and 15 m/s2 for 2 s: 50 m, and 21 m of noise.
  @Test func aPlaceBeyondTheGreatestAccelerationIsRejected() {
    let start = FixMaker.fix(at: 0, speedMPS: 10)
    #expect(objection(gate(), start, FixMaker.fix(at: 2, north: 70)) == nil)
    guard case .acceleration(let leap, limitMPS2: 15)? = objection(gate(), start, FixMaker.fix(at: 2, north: 73)) else {
      Issue.record("not rejected for its acceleration")
      return
    }
    #expect(abs(leap.reachM - 71.2) < 0.1)
  }

  @Test func anUnknownSpeedMayBeTheGreatest() {
    #expect(objection(gate(), FixMaker.fix(at: 0), FixMaker.fix(at: 1, north: 115)) == nil)
    #expect(objection(gate(), FixMaker.fix(at: 0), FixMaker.fix(at: 1, north: 125)) != nil)
  }

  @Test func aReportedSpeedBeyondTheGreatestIsRejectedEvenOnAFirstFix() {
    let fix = FixMaker.fix(at: 1, speedMPS: 101)
    #expect(gate().objection(to: fix, after: nil) == .reportedSpeed(speedMPS: 101, limitMPS: 100))
    #expect(gate(0).objection(to: fix, after: nil) == nil)
  }

  @Test func limitsAreOffAtZero() {
    let far = FixMaker.fix(at: 1, north: 50_000)
    #expect(objection(gate(0, 0), FixMaker.fix(at: 0, speedMPS: 0), far) == nil)
    #expect(objection(gate(0, 15), FixMaker.fix(at: 0), far) == nil, "no speed to begin with")
    #expect(objection(gate(0, 15), FixMaker.fix(at: 0, speedMPS: 0), far) != nil)
    #expect(objection(gate(100, 0), FixMaker.fix(at: 0, speedMPS: 0), FixMaker.fix(at: 1, north: 110)) == nil)
  }

  @Test func poorAccuracyWidensTheReachAndNoneCountsAsTwentyMetres() {
    let start = FixMaker.fix(at: 0, accuracyM: 200, speedMPS: 0)
    #expect(objection(gate(), start, FixMaker.fix(at: 1, north: 600, accuracyM: 5)) == nil)
    let unknown = FixMaker.fix(at: 0, accuracyM: nil, speedMPS: 0)
    #expect(objection(gate(), unknown, FixMaker.fix(at: 1, north: 90, accuracyM: nil)) == nil)
    #expect(objection(gate(), unknown, FixMaker.fix(at: 1, north: 95, accuracyM: nil)) != nil)
  }

  /// A log of a real receiver, garbled on the line, jumped so as a three-dimensional fix.
  @Test func aGarbledFixTimeBuysNoRoom() {
    var gate = gate()
    let start = FixMaker.fix(at: 10, speedMPS: 0)
    let jump = FixMaker.fix(at: 11, north: 74_000, speedMPS: 0, time: 11 + 2 * 86_400)
    guard case .rejected(let rejection) = gate.judge(jump, after: start) else {
      Issue.record("taken")
      return
    }
    #expect(rejection.text.contains("74000 m in 1.0 s"))
    #expect(gate.candidates == 1)
    #expect(gate.judge(FixMaker.fix(at: 12), after: start) == .good)
    #expect(gate.candidates == 0)
  }

  @Test func theReceiversTimeCountsInABurstAfterAHang() {
    let a = FixMaker.fix(at: 100, speedMPS: 30, time: 91)
    let b = FixMaker.fix(at: 100.001, north: 60, speedMPS: 30, time: 92.9)
    #expect(abs(FixSpan.seconds(from: a, to: b) - 1.9) < 1e-6)
    #expect(objection(gate(), a, b) == nil)
    #expect(FixSpan.seconds(from: a, to: FixMaker.fix(at: 101, time: 50)) == 1, "back in time")
    #expect(FixSpan.seconds(from: a, to: FixMaker.fix(at: 101, time: 95)) == 1, "4 s, and 1 s by the clock")
    #expect(FixSpan.seconds(from: a, to: FixMaker.fix(at: 101, time: .some(nil))) == 1)
    #expect(FixSpan.seconds(from: a, to: FixMaker.fix(at: 101, time: 92.5, device: "/dev/b")) == 1, "another's time")
  }

  @Test func threeThatAgreeAreBelieved() {
    var gate = gate()
    let start = FixMaker.fix(at: 0, speedMPS: 0)
    let answers = (1...4).map { step in
      gate.judge(FixMaker.fix(at: Double(step), north: 5_000 + Double(step) * 10, speedMPS: 10), after: start)
    }
    #expect(answers[2] == .believed)
    guard case .rejected(.acceleration(let leap, _)) = answers[1] else {
      Issue.record("\(answers[1])")
      return
    }
    #expect(leap.agreeing == 2)
    #expect(gate.candidates == 1, "the start is kept by who asks: a fourth is a new candidate")
  }

  @Test func threeWithinAMomentAreNotBelievedYet() {
    var gate = gate()
    let start = FixMaker.fix(at: 0)
    let answers = (0...25).map { step in
      gate.judge(FixMaker.fix(at: 1 + Double(step) * 0.1, north: 5_000, speedMPS: 0), after: start)
    }
    #expect(answers.firstIndex(of: .believed) == 20, "2 s of ten a second")
  }

  @Test func threeAtDifferentPlacesAreNot() {
    var gate = gate()
    let start = FixMaker.fix(at: 0, speedMPS: 0)
    for step in 1...30 {
      let north = Double(step * step % 7) * 20_000 + 40_000
      let answer = gate.judge(FixMaker.fix(at: Double(step), north: north, speedMPS: 0), after: start)
      if north / 1_000 > Double(step) { #expect(answer != .good) }
      #expect(answer != .believed)
    }
  }

  @Test func backAtTheOldPlaceCandidatesAreForgotten() {
    var gate = gate()
    let start = FixMaker.fix(at: 0, speedMPS: 0)
    for round in 0..<20 {
      let at = Double(round) * 3
      for step in 0...1 {
        #expect(gate.judge(FixMaker.fix(at: at + Double(step), north: 9_000, speedMPS: 0), after: start) != .believed)
      }
      #expect(gate.judge(FixMaker.fix(at: at + 2), after: FixMaker.fix(at: at + 1.9)) == .good)
    }
  }

  @Test func aLongGapReachesFarByItself() {
    #expect(objection(gate(), FixMaker.fix(at: 0, speedMPS: 0), FixMaker.fix(at: 600, north: 55_000)) == nil)
    #expect(objection(gate(), FixMaker.fix(at: 0, speedMPS: 0), FixMaker.fix(at: 600, north: 61_000)) != nil)
  }
}
