internal import Glibc

/// A folder that is read and never written to, whatever is asked of it: EROFS. For whoever only wants to know what a
/// spool holds, and must leave what is to be mended to the node, which tells it.
public final class UntouchedDisk: SpoolDisk {
  private let disk: LinuxDisk

  /// The disk is opened and locked all the same.
  public init(_ disk: LinuxDisk) { self.disk = disk }

  public func open() throws(DiskFailure) { try disk.open() }
  public func close() { disk.close() }
  public func list(_ folder: String?) throws(DiskFailure) -> [DiskEntry] { try disk.list(folder) }
  public func read(_ name: String, from offset: Int, count: Int) throws(DiskFailure) -> [UInt8] {
    try disk.read(name, from: offset, count: count)
  }
  public func freeBytes() -> Int? { disk.freeBytes() }
  public func close(_ file: DiskFile) { disk.close(file) }

  public func create(_ name: String) throws(DiskFailure) -> DiskFile { throw refusal("openat", name) }
  public func append(_ bytes: [UInt8], to file: DiskFile) throws(DiskFailure) { throw refusal("write", "") }
  public func sync(_ file: DiskFile) throws(DiskFailure) { throw refusal("fdatasync", "") }
  public func sync(_ name: String) throws(DiskFailure) { throw refusal("fdatasync", name) }
  public func truncate(_ name: String, to sizeBytes: Int) throws(DiskFailure) { throw refusal("ftruncate", name) }
  public func rename(_ name: String, to other: String) throws(DiskFailure) { throw refusal("renameat", other) }
  public func unlink(_ name: String) throws(DiskFailure) { throw refusal("unlinkat", name) }
  public func syncDirectory() throws(DiskFailure) { throw refusal("fsync", "") }

  private func refusal(_ call: String, _ name: String) -> DiskFailure {
    DiskFailure(call: call, code: EROFS, name: name)
  }
}
