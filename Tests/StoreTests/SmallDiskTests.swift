import Foundation
import Glibc
import Rig
import Telemetry
import Testing

@testable import Store

/// A tmpfs.
private final class SmallDisk {
  /// Whether it can be mounted: that takes root, and some containers do not let even root.
  static let isPossible = (try? SmallDisk(sizeKiB: 64)) != nil

  let workplace: Workplace
  var file: String { workplace.path("fleet.db") }

  init(sizeKiB: Int) throws {
    workplace = try Workplace("judder-store")
    let mount = try ChildProcess(
      "mount", ["-t", "tmpfs", "-o", "size=\(sizeKiB)k", "tmpfs", workplace.folder.path], name: "mount",
      in: FileManager.default.temporaryDirectory)
    guard mount.wait(seconds: 10) == 0 else { throw RigError("no tmpfs: \(mount.errorText())") }
  }

  deinit { umount2(workplace.folder.path, Int32(MNT_DETACH)) }

  func sizeBytes(_ suffix: String) -> Int64 { FileIdentity(file + suffix)?.sizeBytes ?? 0 }
}

/// Each on a file system of its own.
@Suite("Small disks", .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted here; that takes root"))
struct SmallDiskTests {
  /// Commits tens of events until there is no room. Answers the last number that was acknowledged.
  private func fill(_ store: HistoryStore, from first: UInt64 = 0) throws -> UInt64 {
    var settled = first
    var failure: StoreProblem?
    while failure == nil, settled < 100_000 {
      let events = (1...10).map { event(settled + UInt64($0), padding: 500) }
      failure = problem { settled = try store.commit(batch(events)).acknowledgements.first?.sequence ?? 0 }
    }
    #expect(failure?.kind == .full)
    #expect(failure?.description.contains("make room on the disk") == true)
    return settled
  }

  @Test("A full disk loses nothing that was acknowledged, and it goes on when there is room", arguments: [2, 6, 14])
  func fullDisk(megabytes: Int) throws {
    let disk = try SmallDisk(sizeKiB: megabytes * 1024)
    let ballast = disk.workplace.path("ballast")
    try Data(count: 1 << 20).write(to: URL(fileURLWithPath: ballast))
    let store = try HistoryStore(StoreSettings(file: disk.file))
    let settled = try fill(store)
    // The room is the database's, not that of its log.
    #expect(disk.sizeBytes("") > Int64(megabytes - 1) << 20 - 600 << 10, "\(disk.sizeBytes("")), settled \(settled)")
    #expect(disk.sizeBytes("-wal") < 128 << 10)
    try FileManager.default.removeItem(atPath: ballast)
    let report = try store.commit(batch((0...10).map { event(settled + UInt64($0), padding: 500) }))
    #expect(report.count(.duplicate) == 1 && report.count(.stored) == 10)
    #expect(report.acknowledgements.first?.sequence == settled + 10)
    #expect(try store.count() == Int(settled) + 10)
    #expect(try store.defects().isEmpty)
  }

  @Test("A cap below the disk's size is kept without the disk ever being full")
  func cap() throws {
    let disk = try SmallDisk(sizeKiB: 4096)
    let store = try HistoryStore(StoreSettings(file: disk.file, capMB: 2))
    for part in 0..<100 as Range<UInt64> {
      _ = try store.commit(batch((1...50).map { event(part * 50 + $0, padding: 500) }))
      while try !store.trim(budgetS: 0.5).isDone {}
    }
    #expect(try store.acknowledgement(node: node("pump-7"), boot: BootID(1))?.sequence == 5000)
    #expect(try store.count() > 1000)
  }

  @Test("A batch that is larger than the room leaves nothing behind, and smaller ones go on")
  func largeBatch() throws {
    let disk = try SmallDisk(sizeKiB: 6 * 1024)
    let store = try HistoryStore(StoreSettings(file: disk.file))
    _ = try store.commit(batch((1...100).map { event($0, padding: 500) }))
    let large = (101...300).map { event($0, padding: 60_000) }
    #expect(problem { _ = try store.commit(batch(large)) }?.kind == .full)
    #expect(try store.commit(batch([event(101), event(102)])).acknowledgements.first?.sequence == 102)
    #expect(try store.count() == 102)
  }
}

@Suite("The log of the database")
struct LogSizeTests {
  @Test("A reader that stays makes the log grow no longer than it stays")
  func reader() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let reader = try Connection(shelf.file, .readOnly, busyS: 0)
    try reader.execute("BEGIN; SELECT count(*) FROM events")
    for part in 0..<12 as Range<UInt64> {
      _ = try store.commit(batch((1...1000).map { event(part * 1000 + $0, padding: 1000) }))
    }
    func logBytes() -> Int64 { FileIdentity(shelf.file + "-wal")?.sizeBytes ?? 0 }
    #expect(logBytes() > HistoryStore.largestBytes)
    try reader.execute("COMMIT")
    _ = try store.commit(batch([event(100_000)]))
    _ = try store.commit(batch([event(100_001)]))
    #expect(logBytes() <= HistoryStore.settledBytes)
  }
}
