internal import CSQLite
internal import Glibc

/// The first bytes of a file (<https://www.sqlite.org/fileformat2.html#the_database_header>): whether it is a database,
/// a damaged one of this program, or something else, which is left alone.
///
/// Setting a file aside is no harm to a damaged database, whose nodes must not wait for anybody, and a bad surprise for
/// whoever mistyped `store.file`. So a file without a sound header is taken for a damaged database only where something
/// says so: the rest of its header (SQLite's first words, or this program's application id), the log of SQLite beside
/// it, or nothing but zeros, which is what file systems leave of a file that was written before a power cut.
struct DatabaseHeader {
  enum Verdict: Equatable {
    case sound
    /// In a few words.
    case damaged(String)
    case foreign(String)
  }

  static let lengthBytes = 100
  private static let magic = Array("SQLite format 3\0".utf8)

  private let bytes: [UInt8]
  private let isAllZero: Bool
  private let hasLog: Bool

  /// Reads it.
  init(of file: String) throws(SQLiteFailure) {
    let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SQLiteFailure(code: SQLITE_CANTOPEN, message: "it cannot be opened", systemCode: errno)
    }
    defer { close(descriptor) }
    bytes = try Self.read(descriptor, Self.lengthBytes, at: 0)
    isAllZero = bytes.allSatisfy { $0 == 0 } ? try Self.isZero(descriptor) : false
    hasLog = Self.isLog(file + "-wal")
  }

  var verdict: Verdict {
    if bytes.count == Self.lengthBytes, bytes.starts(with: Self.magic) {
      return isConsistent ? .sound : .damaged("its header is damaged")
    }
    if isAllZero { return .damaged("it is nothing but zeros") }
    if Self.magic.starts(with: bytes.prefix(16)) { return .damaged("it is cut off within its header") }
    if bytes.count == Self.lengthBytes, Array(bytes[68..<72]) == Schema.applicationBytes {
      return .damaged("its header is damaged")
    }
    if hasLog { return .damaged("its header is damaged") }
    return .foreign("it is no SQLite database")
  }

  /// Without what makes SQLite take a damaged file for a read-only one, or for one in another encoding. The last two
  /// are 0 while all of the database is in its log.
  private var isConsistent: Bool {
    bytes[18] == bytes[19] && (1...2).contains(bytes[18]) && Array(bytes[21..<24]) == [64, 32, 32]
      && [[0, 0, 0, 4], [0, 0, 0, 0]].contains(Array(bytes[44..<48]))
      && [[0, 0, 0, 1], [0, 0, 0, 0]].contains(Array(bytes[56..<60]))
  }

  private static func read(_ descriptor: Int32, _ count: Int, at place: Int) throws(SQLiteFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let taken = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(place)) }
    guard taken >= 0 else { throw SQLiteFailure(code: SQLITE_IOERR, message: "it cannot be read", systemCode: errno) }
    return Array(bytes.prefix(taken))
  }

  /// Looks at the first 16 MiB: a hole of a file is read quickly.
  private static func isZero(_ descriptor: Int32) throws(SQLiteFailure) -> Bool {
    let piece = 1 << 16
    for index in 0..<256 {
      let bytes = try read(descriptor, piece, at: index * piece)
      guard bytes.allSatisfy({ $0 == 0 }) else { return false }
      if bytes.count < piece { return true }
    }
    return true
  }

  /// <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>: its first three bytes; the fourth is the order of
  /// bytes.
  private static func isLog(_ file: String) -> Bool {
    let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return (try? read(descriptor, 4, at: 0))?.starts(with: [0x37, 0x7F, 0x06]) == true
  }
}
