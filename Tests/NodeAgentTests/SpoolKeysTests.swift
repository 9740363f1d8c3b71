import Daemon
import Foundation
import NodeLogic
import Spool
import Telemetry
import Testing

@testable import NodeAgent

/// `[spool]`, its folder, and what `check` says of it.
@Suite struct SpoolKeysTests {
  private func load(_ text: String, _ environment: [String: String] = [:]) throws -> NodeConfiguration {
    try NodeConfiguration(
      Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml"), environment: environment,
      hostName: "node-1")
  }

  private let state = ["STATE_DIRECTORY": "/var/lib/judder:/var/lib/other"]

  @Test func theFolderIsThatOfTheService() throws {
    #expect(try load("", state).spool?.directory == "/var/lib/judder/spool")
    #expect(try load("[spool]\ndirectory = \"/data/spool\"", state).spool?.directory == "/data/spool")
    #expect(try load("").spool == nil)
    #expect(try load("[spool]\ndirectory = \"\"", state).spool == nil)
  }

  @Test func theDefaultsAreThoseOfTheLogic() throws {
    let found = try load("", state)
    var expected = OutboxSettings()
    expected.hasSpool = true
    #expect(found.logic.outbox == expected)
    #expect(found.spool?.limits == SpoolLimits(capBytes: 32_000_000, capAgeS: nil))
  }

  @Test func everyKeyArrives() throws {
    let text = """
      [spool]
      cap_mb = 5
      cap_h = 48
      memory_mb = 0.5
      delivery = "fleet"
      """
    let found = try load(text, state)
    #expect(found.spool?.limits == SpoolLimits(capBytes: 5_000_000, capAgeS: 172_800))
    #expect(found.logic.outbox.spoolBytes == 5_000_000)
    #expect(found.logic.outbox.memoryBytes == 500_000)
    #expect(found.logic.outbox.delivery == .fleet)
  }

  @Test func acknowledgementsAreSubscribedTo() throws {
    #expect(try load("").broker.subscriptions.map(\.filter) == ["judder/node-1/ack"])
    let both = try load("[node]\ncommands = true").broker.subscriptions.map(\.filter)
    #expect(both == ["judder/node-1/ack", "judder/node-1/command"])
  }

  // MARK: What check says

  private func folder() throws -> String {
    let path = NSTemporaryDirectory() + "judder-spool-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private func finding(_ directory: String) throws -> String {
    let settings = try load("[spool]\ndirectory = \"\(directory)\"").spool
    return SpoolFinding.finding(settings).description
  }

  @Test func withoutAFolderThatIsAWarning() {
    #expect(SpoolFinding.finding(nil).severity == .warning)
  }

  @Test func aFolderThatIsMissingIsMadeOrAProblem() throws {
    let place = try folder()
    defer { try? FileManager.default.removeItem(atPath: place) }
    #expect(try finding(place + "/spool").contains("is made at the first start"))
    #expect(!FileManager.default.fileExists(atPath: place + "/spool"), "check makes nothing that is another user's")
    #expect(try finding(place + "/no/spool").contains("cannot be made"))
    try Data("x".utf8).write(to: URL(fileURLWithPath: place + "/file"))
    #expect(try finding(place + "/file").contains("is no folder"))
  }

  @Test func whatWaitsIsCountedAndLeftAlone() throws {
    let place = try folder()
    defer { try? FileManager.default.removeItem(atPath: place) }
    let limits = SpoolLimits(capBytes: 1_000_000, capAgeS: nil)
    var core = SpoolCore(disk: LinuxDisk(folder: place), boot: 7, limits: limits)
    _ = core.open(atS: 1)
    for sequence in 1...3 as ClosedRange<UInt64> {
      let record = SpoolRecord(boot: 7, sequence: sequence, lane: .shock, kind: 1, payload: [1, 2, 3])
      _ = core.handle(.append(record, bornAtS: nil), atS: 2)
    }
    #expect(try finding(place).contains("in use by a node that runs"))
    _ = core.handle(.stop, atS: 3)
    core = SpoolCore(disk: LinuxDisk(folder: place + "-other"), boot: 7, limits: limits)
    for _ in 1...2 { #expect(try finding(place).contains("3 events wait")) }
  }
}
