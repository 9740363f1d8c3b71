import BrokerLink
import Testing

@testable import FleetWatch
@testable import Store

/// What `check` says of the database's disk.
@Suite struct StoreFindingTests {
  private let settings = StoreSettings(file: "/var/lib/judder-fleet/fleet.db", capMB: 100)

  private func finding(usedMB: Int64, freeMB: Double?) -> Finding {
    CheckCommand.room(
      HistoryStore.Inspection(
        sizeBytes: usedMB << 20, events: 7, isCheckWhole: true, lostEvents: 0, isInUse: true,
        freeBytes: freeMB.map { Int64($0 * 1_048_576) }), settings)
  }

  @Test func roomForWhatIsAllowedIsGood() {
    #expect(finding(usedMB: 40, freeMB: 60).severity == .good)
    #expect(finding(usedMB: 140, freeMB: 2).severity == .good, "it will be cut")
    #expect(finding(usedMB: 40, freeMB: nil).severity == .good, "the system does not say")
  }

  @Test func lessRoomThanIsAllowedIsWorthAWarning() throws {
    let finding = finding(usedMB: 40, freeMB: 30)
    #expect(finding.severity == .warning)
    #expect(finding.text.contains("room for 70 MB of the 100 MB"), "\(finding.text)")
    #expect(try #require(finding.remedy).contains("store.cap_mb"))
  }

  @Test func aFullDiskIsAProblem() {
    for usedMB: Int64 in [0, 40, 100, 200] {
      let finding = finding(usedMB: usedMB, freeMB: 0.5)
      #expect(finding.severity == .problem && finding.text.contains("is full"), "\(finding.text)")
    }
  }
}
