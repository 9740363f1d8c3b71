import Daemon
import NodeLogic
import Telemetry
import Testing

@testable import NodeAgent

/// What `check` says of the machine's clock.
@Suite struct ClockFindingTests {
  private func find(
    _ quality: ClockQuality, at wall: Double, _ text: String = "", fixTime: Double? = nil
  ) throws -> String {
    let configuration = try NodeConfiguration(
      Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml"), environment: [:],
      hostName: "pump-2")
    let state = ClockState(wallAtStart: WallTime(seconds: wall), quality: quality)
    var position = GpsdPosition(device: "/dev/ttyACM0", mode: 3)
    (position.latitude, position.longitude) = (47, 8)
    position.time = fixTime.map { WallTime(seconds: $0) }
    let fix = fixTime.flatMap { _ in Fix(position, at: Instant(seconds: 9)) }
    return "\(CheckCommand.clock(state, at: Instant(seconds: 10), configuration, fix: fix))"
  }

  @Test func aDisciplinedClockIsGood() throws {
    let finding = try find(.ntp, at: 1_796_000_000)
    #expect(finding.hasPrefix("ok      clock: 2026-11-30T00:53:30.000Z, disciplined"))
  }

  @Test func aClockThatWasSetOnceIsGoodAndSaysWhatWouldBeBetter() throws {
    let located = try find(.rtc, at: 1_796_000_000, "[gpsd]\nenabled = true")
    #expect(located.hasPrefix("ok ") && located.hasSuffix("rtc until NTP, or GPS once there is a fix"), "\(located)")
    let alone = try find(.rtc, at: 1_796_000_000, Self.noGPS)
    #expect(alone.hasPrefix("ok ") && alone.hasSuffix("clk rtc until NTP"), "\(alone)")
  }

  private static let noGPS = "[gpsd]\nenabled = false"

  @Test func gpsIsAllTheTimeThatANodeNeeds() throws {
    let cold = try find(.none, at: 100)
    #expect(cold.hasPrefix("ok      clock: 1970-01-01T00:01:50.000Z, nothing vouches for it"), "\(cold)")
    #expect(cold.hasSuffix("marked clk none until time comes from GPS, once there is a fix, or from NTP"), "\(cold)")
    let warm = try find(.none, at: 100, fixTime: 1_796_000_000)
    #expect(warm.hasPrefix("ok ") && warm.hasSuffix("; the fix says 2026-11-30T00:53:20.000Z"), "\(warm)")
  }

  @Test func receiverThatDoesNotKnowTheTimeIsNoHelp() throws {
    // 1024 weeks back.
    let finding = try find(.none, at: 100, fixTime: 1_796_000_000 - 619_315_200)
    #expect(finding.hasPrefix("warning clock: "), "\(finding)")
    #expect(finding.contains("; the fix says 2007-04-16T00:53:20.000Z, which cannot be true; let "), "\(finding)")
    let unused = try find(.none, at: 100, Self.noGPS, fixTime: 1_796_000_000)
    #expect(unused.hasPrefix("warning clock: ") && !unused.contains("GPS"), "\(unused)")
  }

  /// Tasmota PR#9757, Azure/iotedge#4062: a clock that says 1970 makes TLS fail, and nothing says why.
  @Test func aClockThatNothingVouchesForIsAWarningThatNamesTLS() throws {
    let plain = try find(.none, at: 100, Self.noGPS)
    #expect(plain.hasPrefix("warning clock: 1970-01-01T00:01:50.000Z, nothing vouches for it"))
    #expect(plain.contains("marked clk none until"))
    #expect(!plain.contains("TLS"), "there is none")
    let secure = try find(.none, at: 100, "[broker]\ntls = true\n" + Self.noGPS)
    #expect(secure.hasPrefix("warning clock: ") && secure.contains("; TLS certificates may be refused;"), "\(secure)")
    // Certificates are held against GPS time as well.
    let located = try find(.none, at: 100, "[broker]\ntls = true", fixTime: 1_796_000_000)
    #expect(located.hasPrefix("ok ") && located.hasSuffix("; TLS certificates may be refused until then"), "\(located)")
  }
}
