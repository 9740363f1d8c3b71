internal import CSQLite
internal import Glibc

/// A call of SQLite that did not work: its extended result code, and what it says.
struct SQLiteFailure: Error, Equatable {
  var code: Int32
  var message: String
  /// errno of the call of the system that failed; 0: none did.
  var systemCode: Int32 = 0

  /// Without what is particular about it.
  var primary: Int32 { code & 0xff }

  /// The content cannot be trusted: it is to be set aside.
  var isCorruption: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

  /// SQLITE_READONLY_DBMOVED: the file was moved or deleted while it was open.
  private static let moved = SQLITE_READONLY | 4 << 8

  /// The kind of trouble, for people.
  var kind: StoreProblem.Kind {
    switch systemCode {
    case ENOSPC, EDQUOT: return .full
    case EROFS: return .readOnly
    case EACCES, EPERM: return .denied
    default: break
    }
    switch primary {
    case SQLITE_FULL: return .full
    case SQLITE_READONLY: return code == Self.moved ? .gone : .readOnly
    case SQLITE_PERM, SQLITE_AUTH: return .denied
    case SQLITE_CANTOPEN: return systemCode == 0 || systemCode == ENOENT || systemCode == ENOTDIR ? .gone : .io
    case SQLITE_IOERR: return .io
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy
    case Opener.newer: return .newer
    case Opener.foreign: return .foreign
    default: return .other
    }
  }

  /// As it is told.
  func problem(_ file: String) -> StoreProblem {
    let system = systemCode == 0 ? "" : " (\(String(cString: strerror(systemCode))))"
    return StoreProblem(kind, file: file, message + system)
  }
}
