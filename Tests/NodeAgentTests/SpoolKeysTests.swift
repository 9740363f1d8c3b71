import BrokerLink
import Daemon
import Foundation
import MQTT
import NodeLogic
import Spool
import SpoolWords
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
    return SpoolFinding.finding(settings, of: "node-1").description
  }

  @Test func withoutAFolderThatIsAWarning() {
    #expect(SpoolFinding.finding(nil, of: "node-1").severity == .warning)
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

  private func keep(_ events: Int, in place: String, owner: String = "node-1") {
    let limits = SpoolLimits(capBytes: 1_000_000, capAgeS: nil)
    var core = SpoolCore(disk: LinuxDisk(folder: place), boot: 7, owner: owner, limits: limits)
    _ = core.open(atS: 1)
    for sequence in 1...UInt64(events) {
      let payload = [UInt8](repeating: 0x61, count: 100)
      let record = SpoolRecord(boot: 7, sequence: sequence, lane: .shock, kind: 1, payload: payload)
      _ = core.handle(.append(record, bornAtS: nil), atS: 2)
    }
    _ = core.handle(.stop, atS: 3)
  }

  @Test func aFolderThatTakesNothingIsAProblem() throws {
    let found = try finding("/proc")
    #expect(found.hasPrefix("problem spool: /proc") && found.contains("events would stay in memory"), "\(found)")
  }

  @Test func aDiskThatIsSmallerThanTheCapIsAWarning() throws {
    let settings = try #require(try load("", state).spool)
    let good = Finding(.good, "spool", "/s: nothing waits")
    #expect(SpoolFinding.room(good, settings, 31_000_000, usedBytes: 1_000_000) == good)
    let short = SpoolFinding.room(good, settings, 30_000_000, usedBytes: 1_000_000)
    let expected =
      "warning spool: /s: nothing waits; the disk has room for 31.00 MB of the 32.00 MB that spool.cap_mb allows; make "
      + "room there, or lower spool.cap_mb"
    #expect(short.description == expected)
    #expect(SpoolFinding.room(good, settings, nil, usedBytes: 0) == good, "not known")
  }

  @Test func whatIsDamagedIsLeftToTheNodeWhichCountsIt() throws {
    let place = try folder()
    defer { try? FileManager.default.removeItem(atPath: place) }
    keep(20, in: place)
    let names = try FileManager.default.contentsOfDirectory(atPath: place)
    let file = place + "/" + (try #require(names.first { $0.hasSuffix(".seg") }))
    var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.write(to: URL(fileURLWithPath: file))
    for _ in 1...2 { #expect(try finding(place).contains("1 places cannot be read")) }
    let limits = SpoolLimits(capBytes: 1_000_000, capAgeS: nil)
    var core = SpoolCore(disk: LinuxDisk(folder: place), boot: 8, owner: "node-1", limits: limits)
    var settings = NodeSettings()
    settings.outbox.hasSpool = true
    var node = Node(boot: BootID(8), settings, clock: ClockState(wallAtStart: WallTime(seconds: 0), quality: .none))
    _ = node.handle(.link(isConnected: true), at: .start)
    for word in core.open(atS: 1).compactMap({ SpoolWord($0, folder: place) }) {
      _ = node.handle(.spool(word), at: .start)
    }
    let effects = node.handle(.usage(ProcessLoad(residentKB: nil, processorS: nil)), at: .start)
    let damaged = effects.compactMap { effect -> Int? in
      if case .publish(let out) = effect, case .health(let health) = out.telegram.body {
        health.spool.damaged
      } else {
        nil
      }
    }
    #expect(damaged == [1])
  }

  @Test func eventsOfAnotherNameAreNamed() throws {
    let place = try folder()
    defer { try? FileManager.default.removeItem(atPath: place) }
    keep(3, in: place, owner: "pump-7")
    let found = try finding(place)
    #expect(found.hasPrefix("warning") && found.contains("they are of pump-7, and node-1 would set them aside"))
    let limits = SpoolLimits(capBytes: 1_000_000, capAgeS: nil)
    var core = SpoolCore(disk: LinuxDisk(folder: place), boot: 8, owner: "node-1", limits: limits)
    let words = core.open(atS: 1).compactMap { SpoolWord($0, folder: place) }
    _ = core.handle(.stop, atS: 2)
    let aside = words.compactMap { if case .opened(let contents) = $0 { contents.aside } else { nil } }
    #expect(aside.first?.hasPrefix("3 events of pump-7, another name of this node, are set aside in \(place)/") == true)
    #expect(try finding(place).contains("3 events of pump-7, another name of this node, are set aside"))
  }
}
