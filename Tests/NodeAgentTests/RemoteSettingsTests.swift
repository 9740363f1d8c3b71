import Foundation
import NodeLogic
import Telemetry
import Testing

@testable import Daemon
@testable import NodeAgent

/// What is set over the broker, on top of a configuration that people wrote.
@Suite struct RemoteSettingsTests {
  private func base(_ text: String = "") throws -> Configuration {
    try Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml")
  }

  private func build(_ configuration: Configuration) throws(ConfigurationFailure) -> NodeConfiguration {
    try NodeConfiguration(configuration, environment: [:], hostName: "pump-2")
  }

  private func settings(_ lines: String) throws -> RemoteSettings {
    let file = FileManager.default.temporaryDirectory.appending(path: "judder-settings-\(UUID()).toml").path()
    try lines.write(toFile: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: file) }
    return RemoteSettings(file: file)
  }

  private func refusal(_ key: String, _ value: SettingValue?, on text: String = "") throws -> String? {
    let configuration = try base(text)
    do throws(ConfigurationRefusal) {
      _ = try RemoteSettings(file: nil).changed(.init(key, value), inForce: [], configuration, build)
      return nil
    } catch {
      return error.text
    }
  }

  @Test func aKeyTakesAnotherValueAndGoesBackToWhatTheFileSays() throws {
    let base = try base("[shake]\non_g = 0.8\n")
    let first = try RemoteSettings(file: nil).changed(.init("shake.on_g", .number(0.9)), inForce: [], base, build)
    #expect(first.node.logic.motion?.shake.onG == 0.9)
    #expect(first.node.logic.set == ["shake.on_g=0.9"])
    #expect(RemoteSettings.value(of: "shake.on_g", in: base, first.settings, first.node) == .number(0.9))
    let second = try first.settings.changed(.init("shake.on_g", nil), inForce: first.node.logic.set, base, build)
    #expect(second.node.logic.motion?.shake.onG == 0.8)
    #expect(second.node.logic.set.isEmpty)
  }

  @Test func aPresetsValueIsToldAsTheOneBefore() throws {
    let base = try base()
    let node = try build(base)
    #expect(
      RemoteSettings.value(of: "shake.on_g", in: base, RemoteSettings(file: nil), node)
        == .number(ShakePreset.handheld.settings.onG))
    #expect(RemoteSettings.value(of: "health.interval_s", in: base, RemoteSettings(file: nil), node) == .number(300))
  }

  @Test func whatIsWrongIsRefusedWithTheReason() throws {
    #expect(try refusal("shake.on_h", .number(1)) == "unknown key 'shake.on_h'; did you mean shake.on_g?")
    let broker = try #require(try refusal("broker.host", .text("evil")))
    #expect(broker.hasPrefix("broker.host cannot be set from afar; what can: acceleration: filter window_s"))
    #expect(broker.utf8.count < 1000, "a reply's reason has 1024 bytes")
    #expect(try refusal("shake.on_g", .number(99))?.contains("must be 0.0001 to 16 g") == true)
    #expect(try refusal("shake.on_g", .text("NaN"))?.contains("must be a number") == true)
    #expect(try refusal("shake.reversals", .number(2.5))?.contains("must be a whole number") == true)
    #expect(try refusal("shake.preset", .text("loud"))?.contains("is not one of handheld, fixed") == true)
    #expect(try refusal("acceleration.window_s", .number(0.01))?.contains("from afar it must be 1 to 3600") == true)
    #expect(try refusal("acceleration.window_s", .flag(true))?.contains("found true") == true)
    let conflict = try refusal("shake.low_pass_hz", .number(2), on: "[shake]\nhigh_pass_hz = 5\n")
    #expect(conflict?.contains("in conflict with another key") == true)
    #expect(conflict?.contains("low_pass_hz (2.0) must be above high_pass_hz (5.0)") == true)
  }

  @Test func hostileKeysAreRefusedInOneShortPrintableLine() throws {
    for key in [String(repeating: "k", count: 128), "shake.\u{1b}[2J", "\u{202e}", ".", "shake.", "a\nb", "[broker]"] {
      let text = try #require(try refusal(key, .number(1)))
      #expect(text.utf8.count < 200 && !text.unicodeScalars.contains { $0.value < 0x20 }, "\(text)")
    }
  }

  @Test func noKeyCutsTheNodeOff() {
    let paths = NodeSchema.schema.paths
    #expect(RemoteKeys.all.allSatisfy(paths.contains))
    #expect(Set(RemoteKeys.all).count == RemoteKeys.all.count)
    let closed = ["node.", "broker.", "gpsd.", "spool.", "accelerometer.", "waveform.", "log."]
    #expect(!RemoteKeys.all.contains { key in closed.contains { key.hasPrefix($0) } })
    #expect(!RemoteKeys.all.contains { $0.hasSuffix("_file") || $0.hasSuffix("directory") })
    #expect(RemoteKeys.all.count < StatusMessage.mostSet)
  }

  @Test func theFileSurvivesAndItsBadLinesAreToldWithTheirPlace() throws {
    var settings = try settings(
      "# heading\nshake.on_g = 0.9\nshake.on_h = 1\nnonsense ((\nbroker.host = \"evil\"\nshake.hold_s = 99\n"
        + "acceleration.measures = \"all\"\n")
    let places = settings.complaints.compactMap { $0.split(separator: ".toml:").last?.prefix(2) }
    #expect(places == ["3:", "4:", "5:", "6:"], "\(settings.complaints)")
    let node = try settings.applied(to: try base(), build)
    #expect(node.logic.set == ["shake.on_g=0.9", "acceleration.measures=\"all\""])
    #expect(node.warnings.count == 4)
    settings = try self.settings(String(decoding: settings.bytes, as: UTF8.self))
    #expect(settings.complaints.isEmpty)
    #expect(try settings.applied(to: try base(), build).logic.set == node.logic.set)
  }

  @Test func aKeyThatNoLongerFitsTheFileIsLeftOutToldAndKept() throws {
    let settings = try settings("shake.low_pass_hz = 2\nshake.on_g = 0.9\n")
    let node = try settings.applied(to: try base("[shake]\nhigh_pass_hz = 5\n"), build)
    #expect(node.logic.set == ["shake.on_g=0.9"])
    let told = node.warnings.filter { $0.contains("shake.low_pass_hz=2, set over the broker, is left out") }
    #expect(told.count == 1 && told[0].contains(".toml:1:"), "\(node.warnings)")
    #expect(try settings.applied(to: try base(), build).logic.set.count == 2)
  }

  @Test func twoKeysThatNeedEachOtherHoldTogether() throws {
    let settings = try settings("shake.low_pass_hz = 4\nshake.high_pass_hz = 3\nshake.on_g = 0.5\n")
    #expect(try settings.applied(to: try base("[shake]\nhigh_pass_hz = 5\n"), build).logic.set.count == 3)
  }
}
