import Glibc
import Spool

/// A disk that fails when it is told to, and forgets what was not synced when the power goes.
final class SimulatedDisk: SpoolDisk {
  /// What is wrong with it.
  enum Trouble: Equatable {
    case none
    /// So many bytes are left.
    case full(freeBytes: Int)
    case readOnly
    /// Each sync fails, once in so many times.
    case syncFails(oneIn: Int)
    /// Everything fails.
    case broken
  }

  var image = DiskImage()
  var trouble = Trouble.none
  var chance: Chance
  /// After so many calls that change something the program or the power dies.
  var callsUntilCut: Int?
  /// The disk as it was then; nil: it was not reached.
  private(set) var imageAtCut: DiskImage?
  /// Each descriptor that a sync failed on, which must not be used for another one.
  private(set) var syncedAfterFailure = 0
  private(set) var syncs = 0
  private(set) var writtenBytes = 0
  private var failedFiles: Set<Int32> = []

  init(chance: Chance) { self.chance = chance }

  /// After the program died: what it wrote is there, also what it did not sync. Files are closed.
  func endProcess(cutsPower: Bool) {
    if let imageAtCut { image = imageAtCut }
    (imageAtCut, callsUntilCut, failedFiles) = (nil, nil, [])
    if cutsPower { image.cutPower(&chance) }
  }

  // MARK: Calls

  func open() throws(DiskFailure) { if trouble == .broken { throw failure("open", EIO, ".") } }

  func close() {}

  func list(_ folder: String?) throws(DiskFailure) -> [DiskEntry] {
    if trouble == .broken { throw failure("readdir", EIO, folder ?? ".") }
    let prefix = folder.map { "\($0)/" } ?? ""
    return image.names.keys.sorted().compactMap { name in
      guard name.hasPrefix(prefix), !name.dropFirst(prefix.count).contains("/") else { return nil }
      return DiskEntry(name: String(name.dropFirst(prefix.count)), sizeBytes: image.inode(name)?.bytes.count ?? 0)
    }
  }

  func create(_ name: String) throws(DiskFailure) -> DiskFile {
    try change("open", name)
    guard image.names[name] == nil else { throw failure("open", EEXIST, name) }
    if case .full(let free) = trouble, free < 64, chance.oneIn(2) { throw failure("open", ENOSPC, name) }
    return DiskFile(number: Int32(image.create(name)))
  }

  func append(_ bytes: [UInt8], to file: DiskFile) throws(DiskFailure) {
    var part = bytes.count
    if case .full(let free) = trouble, free < bytes.count { part = max(0, free) }
    if countDown() {
      var torn = image
      torn.inodes[Int(file.number)]?.bytes += bytes.prefix(chance.int(0...part))
      imageAtCut = torn
    }
    if trouble == .readOnly { throw failure("write", EROFS, "") }
    if trouble == .broken { throw failure("write", EIO, "") }
    image.inodes[Int(file.number)]?.bytes += bytes.prefix(part)
    writtenBytes += part
    if case .full(let free) = trouble { trouble = .full(freeBytes: free - part) }
    if part < bytes.count { throw failure("write", ENOSPC, "") }
  }

  func sync(_ file: DiskFile) throws(DiskFailure) {
    try change("fdatasync", "\(file.number)")
    syncs += 1
    if case .syncFails(let number) = trouble, chance.oneIn(number) {
      image.failSync(Int(file.number))
      failedFiles.insert(file.number)
      throw failure("fdatasync", EIO, "\(file.number)")
    }
    if failedFiles.contains(file.number) { syncedAfterFailure += 1 }
    image.sync(Int(file.number))
  }

  func close(_ file: DiskFile) {}

  func read(_ name: String, from offset: Int, count: Int) throws(DiskFailure) -> [UInt8] {
    if trouble == .broken { throw failure("read", EIO, name) }
    guard let number = image.names[name], let size = image.inodes[number]?.bytes.count else {
      throw failure("open", ENOENT, name)
    }
    guard offset < size else { return [] }
    return image.inodes[number].map { Array($0.bytes[offset..<min(size, offset + count)]) } ?? []
  }

  func truncate(_ name: String, to sizeBytes: Int) throws(DiskFailure) {
    try change("ftruncate", name)
    guard let number = image.names[name] else { throw failure("open", ENOENT, name) }
    image.truncate(number, to: sizeBytes)
  }

  func rename(_ name: String, to other: String) throws(DiskFailure) {
    try change("rename", name)
    guard image.names[name] != nil else { throw failure("rename", ENOENT, name) }
    image.rename(name, to: other)
  }

  func unlink(_ name: String) throws(DiskFailure) {
    try change("unlink", name)
    guard let size = image.inode(name)?.bytes.count else { throw failure("unlink", ENOENT, name) }
    image.unlink(name)
    if case .full(let free) = trouble { trouble = .full(freeBytes: free + size) }
  }

  func syncDirectory() throws(DiskFailure) {
    try change("fsync", ".")
    syncs += 1
    image.syncNames()
  }

  func freeBytes() -> Int? {
    switch trouble {
    case .full(let free): free
    default: nil
    }
  }

  // MARK: Faults

  /// Any call that changes something: it may be the last, and a disk that is read-only refuses it.
  private func change(_ call: String, _ name: String) throws(DiskFailure) {
    if countDown() { imageAtCut = image }
    if trouble == .readOnly { throw failure(call, EROFS, name) }
    if trouble == .broken { throw failure(call, EIO, name) }
  }

  private func countDown() -> Bool {
    guard let left = callsUntilCut else { return false }
    callsUntilCut = left > 0 ? left - 1 : nil
    return left == 0
  }

  private func failure(_ call: String, _ code: Int32, _ name: String) -> DiskFailure {
    DiskFailure(call: call, code: code, name: name)
  }
}
