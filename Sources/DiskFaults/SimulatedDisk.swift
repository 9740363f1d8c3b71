internal import Glibc
public import Spool

/// A disk in memory that forgets what was not synced when the power goes, tears writes, and fails as planned.
///
/// Files and names are kept apart: a file's bytes outlast a power cut once the file was synced, its name once the
/// folder was. Nothing is random here but `powerCut`, whose generator is the caller's.
public final class SimulatedDisk: SpoolDisk {
  /// What all files may take [bytes]; ENOSPC beyond; nil: no end. May be changed at any time.
  public var capacityBytes: Int?
  /// Whether nothing can be written: EROFS.
  public var isReadOnly = false
  /// Asked before each call: the errno with which it fails, or nil. A failing sync forgets what it should have synced,
  /// as Linux does: the next sync of the file succeeds, and the bytes are not on the medium.
  public var fault: (DiskCall) -> Int32? = { _ in nil }
  /// Bytes of every segment that can't be read: EIO.
  public var badBytes: Range<Int>?
  /// After this call the disk is dead: every call fails with EIO and changes nothing, until `powerCut` or `restart`.
  public var diesAfterCall: Int?
  /// Calls so far, and how many of each kind.
  public private(set) var calls = 0
  public private(set) var counts: [DiskCall.Kind: Int] = [:]
  /// Bytes appended so far.
  public private(set) var writtenBytes = 0

  var names: [String: Inode] = [:]
  var durableNames: [String: Inode] = [:]
  /// Changes of names since the last sync of the folder.
  var changes: [NameChange] = []
  private var files: [Int32: Inode] = [:]
  private var nextFile: Int32 = 3
  private var isHeld = false

  /// An empty disk of that size.
  public init(capacityBytes: Int? = nil) {
    self.capacityBytes = capacityBytes
  }

  /// Whether `diesAfterCall` has come.
  public var isDead: Bool { diesAfterCall.map { calls >= $0 } ?? false }

  /// Bytes of all files that have a name.
  public var sizeBytes: Int { names.values.reduce(0) { $0 + $1.bytes.count } }

  /// A file's bytes as the spool would read them; nil when there is none.
  public func bytes(of name: String) -> [UInt8]? { names[name]?.bytes }

  /// The names of all files, sorted.
  public var fileNames: [String] { names.keys.sorted() }

  /// Puts other bytes into a file, on the medium too, or makes it: for damage.
  public func overwrite(_ name: String, _ bytes: [UInt8]) {
    let inode = names[name] ?? Inode()
    inode.bytes = bytes
    inode.durable = bytes
    names[name] = inode
    durableNames[name] = inode
  }

  /// The process ended, the machine runs on: everything written is still there.
  public func restart() {
    files = [:]
    isHeld = false
    diesAfterCall = nil
  }

  /// The power went: of what was not synced, anything may be left.
  public func powerCut(using random: inout some RandomNumberGenerator) {
    names = NameChange.survivors(of: changes, on: durableNames, using: &random)
    durableNames = names
    changes = []
    // By name, so that the same seed gives the same disk.
    for name in names.keys.sorted() { names[name]?.tear(using: &random) }
    restart()
  }

  public func open() throws(DiskFailure) {
    try begin(.open, "")
    if isHeld { throw DiskFailure(call: "flock", code: EWOULDBLOCK, name: "") }
    isHeld = true
  }

  public func close() { isHeld = false }

  public func list(_ folder: String?) throws(DiskFailure) -> [DiskEntry] {
    try begin(.list, folder ?? "")
    let prefix = folder.map { $0 + "/" } ?? ""
    return names.keys.sorted().filter { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains("/") }.map {
      DiskEntry(name: String($0.dropFirst(prefix.count)), sizeBytes: names[$0]?.bytes.count ?? 0)
    }
  }

  public func create(_ name: String) throws(DiskFailure) -> DiskFile {
    try begin(.create, name)
    if names[name] != nil { throw DiskFailure(call: "openat", code: EEXIST, name: name) }
    let inode = Inode()
    change(.link(name, inode))
    nextFile += 1
    files[nextFile] = inode
    return DiskFile(number: nextFile)
  }

  public func append(_ bytes: [UInt8], to file: DiskFile) throws(DiskFailure) {
    let inode = try inode(of: file, "write")
    do throws(DiskFailure) {
      try begin(.append, "")
    } catch {
      // A write that fails half way leaves its beginning behind.
      if !isDead, !isReadOnly { inode.bytes += bytes.prefix(bytes.count / 2) }
      throw error
    }
    let room = capacityBytes.map { max(0, $0 - sizeBytes) } ?? .max
    inode.bytes += bytes.prefix(room)
    writtenBytes += min(room, bytes.count)
    if room < bytes.count { throw DiskFailure(call: "write", code: ENOSPC, name: "") }
  }

  public func sync(_ file: DiskFile) throws(DiskFailure) {
    let inode = try inode(of: file, "fdatasync")
    do throws(DiskFailure) {
      try begin(.sync, "")
    } catch {
      if !isDead { inode.forgetsUnsynced = true }
      throw error
    }
    inode.sync()
  }

  public func sync(_ name: String) throws(DiskFailure) {
    let inode = try existing(name, "openat")
    do throws(DiskFailure) {
      try begin(.sync, name)
    } catch {
      if !isDead { inode.forgetsUnsynced = true }
      throw error
    }
    inode.sync()
  }

  public func close(_ file: DiskFile) { files[file.number] = nil }

  public func read(_ name: String, from offset: Int, count: Int) throws(DiskFailure) -> [UInt8] {
    try begin(.read, name)
    let bytes = try existing(name, "openat").bytes
    if name.hasSuffix(".seg"), let badBytes, (offset..<min(offset + count, bytes.count)).overlaps(badBytes) {
      throw DiskFailure(call: "pread64", code: EIO, name: name)
    }
    return Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
  }

  public func truncate(_ name: String, to sizeBytes: Int) throws(DiskFailure) {
    try begin(.truncate, name)
    let inode = try existing(name, "truncate")
    inode.bytes = Array(inode.bytes.prefix(sizeBytes))
  }

  public func rename(_ name: String, to other: String) throws(DiskFailure) {
    try begin(.rename, name)
    change(.rename(name, other, try existing(name, "rename")))
  }

  public func unlink(_ name: String) throws(DiskFailure) {
    try begin(.unlink, name)
    _ = try existing(name, "unlink")
    change(.unlink(name))
  }

  public func syncDirectory() throws(DiskFailure) {
    try begin(.syncDirectory, "")
    durableNames = names
    changes = []
  }

  public func freeBytes() -> Int? { capacityBytes.map { max(0, $0 - sizeBytes) } }

  private func change(_ change: NameChange) {
    change.apply(to: &names)
    changes.append(change)
  }

  private func begin(_ kind: DiskCall.Kind, _ name: String) throws(DiskFailure) {
    if isDead { throw DiskFailure(call: kind.rawValue, code: EIO, name: name) }
    calls += 1
    counts[kind, default: 0] += 1
    if isReadOnly, kind.isWrite { throw DiskFailure(call: kind.rawValue, code: EROFS, name: name) }
    if let code = fault(DiskCall(kind: kind, name: name, number: calls)) {
      throw DiskFailure(call: kind.rawValue, code: code, name: name)
    }
  }

  private func inode(of file: DiskFile, _ call: String) throws(DiskFailure) -> Inode {
    guard let inode = files[file.number] else { throw DiskFailure(call: call, code: EBADF, name: "") }
    return inode
  }

  private func existing(_ name: String, _ call: String) throws(DiskFailure) -> Inode {
    guard let inode = names[name] else { throw DiskFailure(call: call, code: ENOENT, name: name) }
    return inode
  }
}
