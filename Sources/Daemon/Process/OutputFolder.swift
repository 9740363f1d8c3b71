internal import CLinux
internal import Glibc

/// A folder that takes whole files: each is there with all of its bytes, or not at all, and none is ever overwritten.
///
/// A file is written under a hidden name and then linked to its own: open(2) with O_EXCL, write(2), link(2). It is not
/// synchronised to the disk, so that a loop that writes many waits for none of them.
public struct OutputFolder: Equatable, Sendable {
  /// What to do where a file of that name is there already.
  public enum Collision: Equatable, Sendable {
    /// Leave it, and say so.
    case refuse
    /// Put `.2`, `.3`, up to `.99` behind the name.
    case number
  }

  /// The highest number that is put behind a name.
  static let highestNumber = 99

  /// As it was given.
  public let path: String

  public init(_ path: String) {
    self.path = path
  }

  /// Tries to write a file and takes it away again; nil: that works.
  public func problem() -> FileError? {
    do throws(FileError) {
      let name = ".judder-\(getpid()).try"
      try write(hidden: name, [])
      unlink("\(path)/\(name)")
      return nil
    } catch {
      return error
    }
  }

  /// Writes files that belong together: `stem`, perhaps a number, and a suffix each.
  ///
  /// - Parameters:
  ///   - stem: without a slash.
  ///   - files: suffixes such as `.csv`, and contents.
  /// - Returns: the paths of the files.
  /// - Throws: why one could not be written; those before it are there.
  public func write(
    _ stem: String, _ files: [(suffix: String, bytes: [UInt8])], _ collision: Collision
  ) throws(FileError) -> [String] {
    let free = try freeStem(stem, files.map(\.suffix), collision)
    var paths: [String] = []
    for file in files {
      let name = "\(free)\(file.suffix)"
      let hidden = ".\(name).\(getpid())"
      try write(hidden: hidden, file.bytes)
      try move(hidden, to: name)
      paths.append("\(path)/\(name)")
    }
    return paths
  }

  private func freeStem(_ stem: String, _ suffixes: [String], _ collision: Collision) throws(FileError) -> String {
    let highest = collision == .number ? Self.highestNumber : 1
    for number in 1...highest {
      let candidate = number == 1 ? stem : "\(stem).\(number)"
      if !suffixes.contains(where: { exists("\(candidate)\($0)") }) { return candidate }
    }
    let taken = suffixes.first { exists("\(stem)\($0)") } ?? ""
    throw FileError(
      code: EEXIST, text: "\(path)/\(stem)\(taken) is there already; choose another folder or delete it")
  }

  /// Anything of that name, even a link that leads nowhere.
  private func exists(_ name: String) -> Bool {
    var status = stat()
    return lstat("\(path)/\(name)", &status) == 0
  }

  private func write(hidden name: String, _ bytes: [UInt8]) throws(FileError) {
    let file = "\(path)/\(name)"
    // What a run that was killed left behind under this process's number.
    unlink(file)
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw FileError(code: errno, action: "\(path) cannot be written to") }
    var sent = 0
    var code: Int32 = 0
    while sent < bytes.count, code == 0 {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
      if count >= 0 { sent += count } else if errno != EINTR { code = errno }
    }
    // A full disk may show only here: NFS, quotas.
    if close(descriptor) != 0, code == 0 { code = errno }
    guard code == 0 else {
      unlink(file)
      throw FileError(code: code, action: "\(path) cannot be written to")
    }
  }

  private func move(_ hidden: String, to name: String) throws(FileError) {
    let (from, to) = ("\(path)/\(hidden)", "\(path)/\(name)")
    var code = link(from, to) == 0 ? 0 : errno
    // No links here, as on FAT: nearly as good.
    if [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) {
      code = exists(name) ? EEXIST : rename(from, to) == 0 ? 0 : errno
    }
    unlink(from)
    guard code == 0 else { throw FileError(code: code, action: "\(to) cannot be written") }
  }
}

extension FileError {
  /// What to do about a folder that cannot be written to; nil: the folder is not to blame.
  public var folderRemedy: String? {
    [ENOENT, ENOTDIR, EACCES, EPERM].contains(code) ? "make the folder, and let this user write to it" : nil
  }

  /// How a program ends that cannot go on for this reason.
  public var exitCode: ExitCode {
    switch code {
    case EACCES, EPERM, EROFS: .permission
    case ENOSPC, EDQUOT, EIO: .temporary
    default: .unavailable
    }
  }
}
