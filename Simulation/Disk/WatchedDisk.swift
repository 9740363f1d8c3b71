import DiskFaults
import Spool

/// The simulated disk, with a rule broken where a run is to show that it notices.
final class WatchedDisk: SpoolDisk {
  let disk: SimulatedDisk
  private let mutation: Mutation?

  init(_ disk: SimulatedDisk, _ mutation: Mutation?) {
    self.disk = disk
    self.mutation = mutation
  }

  func open() throws(DiskFailure) { try disk.open() }
  func close() { disk.close() }
  func list(_ folder: String?) throws(DiskFailure) -> [DiskEntry] { try disk.list(folder) }
  func create(_ name: String) throws(DiskFailure) -> DiskFile { try disk.create(name) }
  func append(_ bytes: [UInt8], to file: DiskFile) throws(DiskFailure) { try disk.append(bytes, to: file) }
  func close(_ file: DiskFile) { disk.close(file) }
  func truncate(_ name: String, to sizeBytes: Int) throws(DiskFailure) { try disk.truncate(name, to: sizeBytes) }
  func unlink(_ name: String) throws(DiskFailure) { try disk.unlink(name) }
  func freeBytes() -> Int? { disk.freeBytes() }

  func read(_ name: String, from offset: Int, count: Int) throws(DiskFailure) -> [UInt8] {
    try disk.read(name, from: offset, count: count)
  }

  func sync(_ file: DiskFile) throws(DiskFailure) { if mutation != .syncsNothing { try disk.sync(file) } }

  func sync(_ name: String) throws(DiskFailure) { if mutation != .syncsNothing { try disk.sync(name) } }

  func syncDirectory() throws(DiskFailure) { if mutation != .syncsNoFolder { try disk.syncDirectory() } }

  func rename(_ name: String, to other: String) throws(DiskFailure) {
    if mutation != .unlinksWithoutState { return try disk.rename(name, to: other) }
    try disk.unlink(name)
  }
}
