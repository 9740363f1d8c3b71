import Daemon
import Telemetry
import Testing

@testable import NodeAgent

/// What `check` says of the machine's clock.
@Suite struct ClockFindingTests {
  private func find(_ quality: ClockQuality, at wall: Double, _ text: String = "") throws -> String {
    let configuration = try NodeConfiguration(
      Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml"), environment: [:],
      hostName: "pump-2")
    let state = ClockState(wallAtStart: WallTime(seconds: wall), quality: quality)
    return "\(CheckCommand.clock(state, at: Instant(seconds: 10), configuration))"
  }

  @Test func aDisciplinedClockIsGood() throws {
    let finding = try find(.ntp, at: 1_796_000_000)
    #expect(finding.hasPrefix("ok      clock: 2026-11-30T00:53:30.000Z, disciplined"))
  }

  @Test func aClockThatWasSetOnceIsGoodAndSaysWhatWouldBeBetter() throws {
    #expect(try find(.rtc, at: 1_796_000_000, "[gpsd]\nenabled = true").contains("clk rtc until GPS time or NTP"))
    #expect(try find(.rtc, at: 1_796_000_000, "[gpsd]\nenabled = false").hasSuffix("clk rtc until NTP"))
  }

  /// Tasmota PR#9757, Azure/iotedge#4062: a clock that says 1970 makes TLS fail, and nothing says why.
  @Test func aClockThatNothingVouchesForIsAWarningThatNamesTLS() throws {
    let plain = try find(.none, at: 100)
    #expect(plain.hasPrefix("warning clock: 1970-01-01T00:01:50.000Z, nothing vouches for it"))
    #expect(plain.contains("marked clk none until"))
    #expect(!plain.contains("TLS"), "there is none")
    let secure = try find(.none, at: 100, "[broker]\ntls = true")
    #expect(secure.contains("TLS certificates may be refused"), "\(secure)")
  }
}
