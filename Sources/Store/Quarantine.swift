internal import CSQLite
internal import Glibc
internal import Telemetry

/// Sets a damaged database aside.
enum Quarantine {
  /// Damaged databases that are kept; the oldest goes first.
  static let maximumKept = 3

  /// Renames the database and what belongs to it, and answers its new name.
  static func setAside(_ file: String) throws(SQLiteFailure) -> String {
    let target = freeName(file)
    for suffix in ["", "-wal", "-shm"] {
      var status = stat()
      guard stat(file + suffix, &status) == 0 else { continue }
      guard rename(file + suffix, target + suffix) == 0 else {
        throw SQLiteFailure(
          code: SQLITE_IOERR, message: "it is damaged and cannot be set aside", systemCode: errno)
      }
      // Never wider than it was: a umask may have kept the group out.
      chmod(target + suffix, status.st_mode & FileLock.mode)
    }
    synchronizeFolder(of: file)
    forgetOldest(file)
    return target
  }

  private static func freeName(_ file: String) -> String {
    let time = WallTime(seconds: calendarS()).rfc3339.prefix(19).filter { $0 != "-" && $0 != ":" }
    let name = "\(file).corrupt-\(time)Z"
    guard FileIdentity(name) != nil || FileIdentity(name + "-wal") != nil else { return name }
    return (2...99).lazy.map { "\(name).\($0)" }.first { FileIdentity($0) == nil && FileIdentity($0 + "-wal") == nil }
      ?? name
  }

  /// The names that were given, the oldest first.
  static func names(of file: String) -> [String] {
    guard let listing = opendir(folder(of: file)) else { return [] }
    defer { closedir(listing) }
    let base = file.lastIndex(of: "/").map { String(file[file.index(after: $0)...]) } ?? file
    var found: Set<String> = []
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasPrefix("\(base).corrupt-") else { continue }
      let stem = name.hasSuffix("-wal") || name.hasSuffix("-shm") ? String(name.dropLast(4)) : name
      found.insert("\(folder(of: file))/\(stem)")
    }
    return found.sorted()
  }

  private static func forgetOldest(_ file: String) {
    for name in names(of: file).dropLast(maximumKept) {
      for suffix in ["", "-wal", "-shm"] { unlink(name + suffix) }
    }
  }
}
