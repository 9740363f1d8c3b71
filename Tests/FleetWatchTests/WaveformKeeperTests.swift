import Daemon
import FleetLogic
import Foundation
import Rig
import Telemetry
import Testing
import Waveforms

@testable import FleetWatch

@Suite struct WaveformKeeperTests {
  private let node = NodeName("pump-7")!

  private func keeper(_ folder: String, _ formats: [WaveformFormat] = [.csv, .mseed]) -> WaveformKeeper {
    WaveformKeeper(WaveformKeeping(directory: folder, formats: formats, network: "XX"))
  }

  private func telegram(_ number: Int, last: Int, id: Int = 1, unitG: Double = 1e-4) -> Telegram {
    let start = 1_796_011_531 + Double(number) * 0.02
    let message = WaveformMessage(
      id: id, chunk: number, isLast: number == last, start: WallTime(seconds: start), periodS: 0.01, unitG: unitG,
      x: [1, 2], y: [3, 4], z: [9999, 10_000])
    return Telegram(
      Envelope(
        boot: BootID(0xc0ffee), sequence: UInt64(number + 1), time: WallTime(seconds: start + 0.01), clock: .ntp,
        uptime: 5 + Double(number) * 0.02), .waveform(message))
  }

  private func names(_ place: Workplace) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: place.folder.path).sorted()
  }

  @Test func aCompleteWaveformIsWrittenInEachFormatAndSaid() throws {
    let place = try Workplace("keeper")
    var keeper = keeper(place.folder.path)
    #expect(keeper.take(telegram(0, last: 1), of: node, at: .start).isEmpty)
    #expect(keeper.nextDeadline != nil)
    let entries = keeper.take(telegram(1, last: 1), of: node, at: .start)
    #expect(try names(place) == ["pump-7-00c0ffee-1.csv", "pump-7-00c0ffee-1.mseed"])
    #expect(
      entries.map(\.text) == ["pump-7: the waveform of shake 1 is in \(place.path("pump-7-00c0ffee-1.csv"))"])
    #expect(keeper.nextDeadline == nil && keeper.written == 1 && keeper.failed == 0)
    let table = try String(contentsOfFile: place.path("pump-7-00c0ffee-1.csv"), encoding: .utf8)
    #expect(table.split(separator: "\r\n").count == 5)
  }

  @Test func whatStaysIncompleteIsWrittenInTheEndAndSaysSo() throws {
    let place = try Workplace("keeper")
    var keeper = keeper(place.folder.path, [.csv])
    _ = keeper.take(telegram(0, last: 2), of: node, at: .start)
    _ = keeper.take(telegram(2, last: 2), of: node, at: .start)
    #expect(keeper.tick(at: Instant(seconds: 899)).isEmpty)
    let entries = keeper.tick(at: Instant(seconds: 900))
    #expect(entries.first?.text.contains("(1 chunks missing) is in") == true)
    _ = keeper.take(telegram(0, last: 2, id: 2), of: node, at: .start)
    #expect(keeper.finish().first?.text.contains("(its end is missing)") == true)
    #expect(try names(place) == ["pump-7-00c0ffee-1.csv", "pump-7-00c0ffee-2.csv"])
  }

  @Test func aFolderThatGoesAwayIsSaidOnceAndStopsNothing() throws {
    let place = try Workplace("keeper")
    let folder = place.path("waves")
    var keeper = keeper(folder)
    let settings = WaveformKeeping(directory: folder, formats: [.csv], network: "XX")
    #expect(
      WaveformKeeper.trouble(settings)
        == "waveform.directory: \(folder) cannot be written to: No such file or directory")
    #expect(keeper.take(telegram(0, last: 0), of: node, at: .start).map(\.level) == [.warning])
    #expect(keeper.take(telegram(0, last: 0, id: 2), of: node, at: .start).isEmpty)
    #expect(keeper.failed == 2)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    #expect(WaveformKeeper.trouble(settings) == nil)
    let entries = keeper.take(telegram(0, last: 0, id: 3), of: node, at: .start)
    #expect(entries.first?.text == "waveforms are written again; 2 in all were not")
    #expect(keeper.written == 1)
  }

  @Test func whatAnEarlierRunWroteStaysAndTheNextHasANumber() throws {
    let place = try Workplace("keeper")
    for _ in 1...2 {
      var keeper = keeper(place.folder.path, [.csv])
      _ = keeper.take(telegram(0, last: 0), of: node, at: .start)
    }
    #expect(try names(place) == ["pump-7-00c0ffee-1.2.csv", "pump-7-00c0ffee-1.csv"])
  }

  @Test func whatOneFormatCannotHoldTheOtherStillDoes() throws {
    let place = try Workplace("keeper")
    var keeper = keeper(place.folder.path)
    let entries = keeper.take(telegram(0, last: 0, unitG: 1), of: node, at: .start)
    #expect(entries.first?.text.contains("is not written as mseed") == true)
    #expect(try names(place) == ["pump-7-00c0ffee-1.csv"])
  }

  @Test func theSectionHasItsChecks() throws {
    func load(_ text: String) throws -> WaveformKeeping? {
      try FleetConfiguration(
        Configuration.load(FleetSchema.schema, text: Array(text.utf8), file: "fleet.toml"), clientID: "c",
        password: nil, environment: [:]
      ).waveforms
    }
    #expect(try load("") == nil)
    #expect(
      try load("[waveform]\ndirectory = \"/srv/waves\"")
        == WaveformKeeping(directory: "/srv/waves", formats: [.csv, .mseed], network: "XX"))
    #expect(
      try load("[waveform]\ndirectory = \"d\"\nformats = \"mseed\"\nnetwork = \"CH\"")
        == WaveformKeeping(directory: "d", formats: [.mseed], network: "CH"))
    for wrong in ["directory = \"\"", "formats = \"sac\"", "network = \"xx\"", "network = \"ABC\""] {
      #expect(throws: ConfigurationFailure.self) { try load("[waveform]\n\(wrong)") }
    }
  }
}
