internal import Glibc

/// Keeps a second process from the file for as long as the value lives: flock(2) on a file beside it, since closing any
/// descriptor of the database itself would take SQLite's own locks away.
final class FileLock {
  /// What is made is for this user to write, and for its group to read.
  static let mode: mode_t = 0o640

  private let descriptor: Int32

  init(_ file: String) throws(StoreProblem) {
    descriptor = try Self.lock(file)
    nameHolder()
  }

  /// Apart from the initialiser: one that throws once the descriptor is set runs `deinit`, and what is closed twice may
  /// by then be somebody else's.
  private static func lock(_ file: String) throws(StoreProblem) -> Int32 {
    let path = file + ".lock"
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      throw StoreProblem(kind(errno), file: file, "\(path) cannot be made (\(String(cString: strerror(errno))))")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(descriptor)
      if code == EWOULDBLOCK { throw StoreProblem(.inUse, file: file, "it is in use by \(holder(of: file))") }
      throw StoreProblem(.other, file: file, "\(path) cannot be locked (\(String(cString: strerror(code))))")
    }
    return descriptor
  }

  /// Its number, for whoever comes second. On a full disk there may be no room for that.
  private func nameHolder() {
    let text = Array("\(getpid())\n".utf8)
    ftruncate(descriptor, 0)
    _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  /// Who has it, as far as it can be said.
  private static func holder(of file: String) -> String {
    let descriptor = open(file + ".lock", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "another process" }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 16)
    let count = read(descriptor, &text, text.count)
    let digits = text.prefix(max(0, count)).prefix { $0 != 10 }
    return Int32(String(decoding: digits, as: UTF8.self)).map { "process \($0)" } ?? "another process"
  }

  /// Unlocked by name: a child that was forked and has not executed its program yet has the descriptor too.
  deinit {
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Whether somebody has it, as far as this user may see. Makes no file: it would be this user's.
  static func isHeld(_ file: String) -> Bool {
    let descriptor = open(file + ".lock", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private static func kind(_ code: Int32) -> StoreProblem.Kind {
    switch code {
    case ENOENT, ENOTDIR: .gone
    case EACCES, EPERM: .denied
    case EROFS: .readOnly
    case ENOSPC, EDQUOT: .full
    case EIO: .io
    default: .other
    }
  }
}

/// What stands under a path.
struct FileIdentity: Equatable {
  var device: UInt64
  var inode: UInt64
  var sizeBytes: Int64
  var isFolder: Bool

  /// Nil when there is nothing, or this user may not know.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    sizeBytes = Int64(status.st_size)
    isFolder = status.st_mode & S_IFMT == S_IFDIR
  }

  func isSameFile(as other: FileIdentity?) -> Bool { device == other?.device && inode == other?.inode }
}

/// The folder of a path.
func folder(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Makes what was created, renamed or taken away in a folder last: fsync(2) of the folder.
func synchronizeFolder(of path: String) {
  let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { return }
  fsync(descriptor)
  close(descriptor)
}

/// The monotonic clock [s].
func monotonicS() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// What the machine's calendar says [s since 1970].
func calendarS() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
