import BrokerLink
import FleetLogic
import Telemetry
import Testing

@testable import FleetWatch

/// What `check` says of the machine's clock.
@Suite struct ClockFindingTests {
  private func finding(_ quality: ClockQuality, _ kinds: [Rule.Kind]) -> Finding {
    CheckCommand.clock(
      ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: quality), at: .start + 60,
      kinds.map { Rule(name: "\($0)-1", kind: $0) })
  }

  @Test func aClockThatSomethingVouchesForIsGood() {
    for quality in [ClockQuality.ntp, .rtc] {
      let finding = finding(quality, [.together])
      #expect(finding.severity == .good && finding.text.hasSuffix(", \(quality.rawValue)"), "\(finding.text)")
    }
  }

  @Test func aRuleThatWaitsForTheClockIsNamed() {
    let finding = finding(.none, [.shake, .together])
    #expect(finding.severity == .warning && finding.text.contains("together-1 waits"), "\(finding.text)")
    let other = self.finding(.none, [.shake])
    #expect(other.severity == .good && other.text.hasSuffix("the times of alerts may be wrong"), "\(other.text)")
  }
}
