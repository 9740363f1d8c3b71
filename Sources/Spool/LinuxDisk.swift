internal import Glibc

/// A folder of a Linux file system.
public final class LinuxDisk: SpoolDisk {
  private let folder: String
  private let isShared: Bool
  /// The folder itself; its lock is the spool's, so that a read-only file system needs no file for that.
  private var descriptor: Int32 = -1
  /// Folders within it that have got names which they may forget.
  private var touched: Set<String> = []

  /// - Parameters:
  ///   - folder: its path; made, with mode 0750, when it is missing and the folder above it exists
  ///   - isShared: another process may have it: not for a spool
  public init(folder: String, isShared: Bool = false) {
    self.folder = folder
    self.isShared = isShared
  }

  deinit { close() }

  public func open() throws(DiskFailure) {
    if descriptor >= 0 { return }
    let isNew = mkdir(folder, 0o750) == 0
    let isReadOnly = !isNew && errno == EROFS
    if !isNew, errno != EEXIST, !isReadOnly { throw failure("mkdir", folder) }
    let opened = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else {
      if isReadOnly, errno == ENOENT { errno = EROFS }
      throw failure("open", folder)
    }
    guard isShared || flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let failure = failure("flock", folder)
      Glibc.close(opened)
      throw failure
    }
    descriptor = opened
    if isNew { try syncParent() }
  }

  /// A new folder is lost by a power cut with all that is in it, unless the folder above it knows of it.
  private func syncParent() throws(DiskFailure) {
    let parent = openat(descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { return }
    defer { Glibc.close(parent) }
    if fsync(parent) != 0 { throw failure("fsync", "\(folder)/..") }
  }

  public func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  public func list(_ folder: String?) throws(DiskFailure) -> [DiskEntry] {
    let opened = openat(descriptor, folder ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else {
      if folder != nil, errno == ENOENT { return [] }
      throw failure("openat", folder ?? "")
    }
    guard let stream = fdopendir(opened) else {
      let failure = failure("fdopendir", folder ?? "")
      Glibc.close(opened)
      throw failure
    }
    defer { closedir(stream) }
    var entries: [DiskEntry] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var status = stat()
      guard fstatat(opened, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      entries.append(DiskEntry(name: name, sizeBytes: Int(status.st_size)))
    }
    if errno != 0 { throw failure("readdir", folder ?? "") }
    return entries
  }

  public func create(_ name: String) throws(DiskFailure) -> DiskFile {
    try makeFolder(of: name)
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o640)
    guard file >= 0 else { throw failure("openat", name) }
    return DiskFile(number: file)
  }

  public func append(_ bytes: [UInt8], to file: DiskFile) throws(DiskFailure) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { write(file.number, $0.baseAddress! + written, bytes.count - written) }
      if count > 0 {
        written += count
      } else if count == 0 || errno != EINTR {
        if count == 0 { errno = EIO }
        throw failure("write", "")
      }
    }
  }

  public func sync(_ file: DiskFile) throws(DiskFailure) {
    if fdatasync(file.number) != 0 { throw failure("fdatasync", "") }
  }

  public func sync(_ name: String) throws(DiskFailure) {
    let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("openat", name) }
    defer { Glibc.close(file) }
    if fdatasync(file) != 0 { throw failure("fdatasync", name) }
  }

  public func close(_ file: DiskFile) { Glibc.close(file.number) }

  public func read(_ name: String, from offset: Int, count: Int) throws(DiskFailure) -> [UInt8] {
    let file = openat(descriptor, name, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("openat", name) }
    defer { Glibc.close(file) }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = 0
      while filled < count, let base = buffer.baseAddress {
        let got = pread(file, base + filled, count - filled, off_t(offset + filled))
        if got > 0 {
          filled += got
        } else if got == 0 {
          break
        } else if errno != EINTR {
          code = errno
          break
        }
      }
    }
    if code != 0 { throw DiskFailure(call: "pread64", code: code, name: name) }
    return bytes
  }

  public func truncate(_ name: String, to sizeBytes: Int) throws(DiskFailure) {
    let file = openat(descriptor, name, O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { throw failure("openat", name) }
    defer { Glibc.close(file) }
    if ftruncate(file, off_t(sizeBytes)) != 0 { throw failure("ftruncate", name) }
  }

  public func rename(_ name: String, to other: String) throws(DiskFailure) {
    try makeFolder(of: other)
    if renameat(descriptor, name, descriptor, other) != 0 { throw failure("renameat", other) }
  }

  public func unlink(_ name: String) throws(DiskFailure) {
    if unlinkat(descriptor, name, 0) != 0 { throw failure("unlinkat", name) }
  }

  public func syncDirectory() throws(DiskFailure) {
    // What was moved has its new name before it loses the old one.
    for name in touched {
      let opened = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard opened >= 0 else {
        if errno == ENOENT { continue }
        throw failure("openat", name)
      }
      defer { Glibc.close(opened) }
      if fsync(opened) != 0 { throw failure("fsync", name) }
    }
    touched = []
    if fsync(descriptor) != 0 { throw failure("fsync", "") }
  }

  public func freeBytes() -> Int? {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return nil }
    // Some file systems count no files.
    if status.f_files > 0, status.f_favail == 0 { return 0 }
    return Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }

  private func makeFolder(of name: String) throws(DiskFailure) {
    guard let slash = name.lastIndex(of: "/") else { return }
    let folder = String(name[..<slash])
    if mkdirat(descriptor, folder, 0o750) != 0, errno != EEXIST { throw failure("mkdirat", folder) }
    touched.insert(folder)
  }

  private func failure(_ call: String, _ name: String) -> DiskFailure {
    DiskFailure(call: call, code: errno, name: name)
  }
}
