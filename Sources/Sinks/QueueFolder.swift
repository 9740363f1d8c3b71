internal import Daemon
internal import Glibc

/// A folder of small files named by rising numbers, each there with all of its bytes or not at all: written under
/// another name, synced, renamed, and the folder synced.
struct QueueFolder {
  let path: String

  /// Makes it where it is not there, for the owner and the group.
  init(_ path: String) throws(SinkProblem) {
    self.path = path
    guard mkdir(path, 0o750) == 0 || errno == EEXIST else { throw QueueFolder.problem(path, errno) }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { throw QueueFolder.problem(path, ENOTDIR) }
  }

  static func problem(_ path: String, _ code: Int32) -> SinkProblem {
    SinkProblem("\(path): \(systemErrorText(code))")
  }

  static func name(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + ".json"
  }

  static func number(_ name: String) -> UInt64? {
    guard name.utf8.count == 21, name.hasSuffix(".json") else { return nil }
    let digits = name.dropLast(5)
    guard digits.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }) else { return nil }
    return UInt64(digits, radix: 16)
  }

  func file(_ number: UInt64) -> String { "\(path)/\(QueueFolder.name(number))" }

  /// Names in it, in order, but those that begin with a dot.
  func names() throws(SinkProblem) -> [String] { try QueueFolder.names(path) }

  static func names(_ path: String) throws(SinkProblem) -> [String] {
    guard let folder = opendir(path) else { throw QueueFolder.problem(path, errno) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Takes away what a process that was killed left half-written.
  func sweep() {
    unlink("\(path)/.new")
  }

  /// The name is on the disk only after `sync`.
  func write(_ number: UInt64, _ bytes: [UInt8]) throws(SinkProblem) {
    let hidden = "\(path)/.new"
    let descriptor = open(hidden, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw QueueFolder.problem(path, errno) }
    var (sent, code) = (0, Int32(0))
    while sent < bytes.count, code == 0 {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
      if count >= 0 { sent += count } else if errno != EINTR { code = errno }
    }
    if code == 0, fsync(descriptor) != 0 { code = errno }
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0, rename(hidden, file(number)) != 0 { code = errno }
    guard code == 0 else {
      unlink(hidden)
      throw QueueFolder.problem(path, code)
    }
  }

  /// After it all names that were given and taken before are on the disk.
  func sync() throws(SinkProblem) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw QueueFolder.problem(path, errno) }
    defer { close(descriptor) }
    // Not every file system can say so: EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw QueueFolder.problem(path, errno) }
  }

  func remove(_ number: UInt64) {
    unlink(file(number))
  }

  /// Moves a file to another folder of the same file system. False where it is not there any more.
  @discardableResult
  func move(_ name: String, to other: QueueFolder) -> Bool {
    rename("\(path)/\(name)", "\(other.path)/\(name)") == 0
  }
}
