internal import CSQLite
internal import Glibc

/// The first bytes of a file (<https://www.sqlite.org/fileformat2.html#the_database_header>): whether it is a database,
/// a damaged one of this program, or something else, which is left alone.
///
/// Setting a file aside is no harm to a damaged database, whose nodes must not wait for anybody, and a bad surprise for
/// whoever mistyped `store.file`. So a file without a sound header is taken for a damaged database only where something
/// says so: the rest of its header (SQLite's first words, or this program's application id), the log of SQLite beside
/// it, a first sector of nothing but zeros, which is what file systems leave of a file that was written before a power
/// cut, or of ones, as flash is once it was erased, or later pages as SQLite writes them.
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
  private let isErased: Bool
  private let hasLog: Bool
  private let hasPages: Bool

  /// Reads it.
  init(of file: String) throws(SQLiteFailure) {
    let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SQLiteFailure(code: SQLITE_CANTOPEN, message: "it cannot be opened", systemCode: errno)
    }
    defer { close(descriptor) }
    let sector = try Self.read(descriptor, 512, at: 0)
    bytes = Array(sector.prefix(Self.lengthBytes))
    isErased = sector.allSatisfy { $0 == 0 } || sector.allSatisfy { $0 == 0xFF }
    hasLog = Self.isLog(file + "-wal")
    hasPages = bytes.starts(with: Self.magic) ? true : try Self.hasPages(descriptor)
  }

  var verdict: Verdict {
    if bytes.count == Self.lengthBytes, bytes.starts(with: Self.magic) {
      return isConsistent ? .sound : .damaged("its header is damaged")
    }
    if isErased { return .damaged("its first sector is erased") }
    if Self.magic.starts(with: bytes.prefix(16)) { return .damaged("it is cut off within its header") }
    if bytes.count == Self.lengthBytes, Array(bytes[68..<72]) == Schema.applicationBytes {
      return .damaged("its header is damaged")
    }
    if hasLog || hasPages { return .damaged("its header is damaged") }
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

  /// Whether some of the first pages behind the first one are tables or indexes, in a database with pages of a size
  /// that this program makes, or made.
  private static func hasPages(_ descriptor: Int32) throws(SQLiteFailure) -> Bool {
    for size in [Opener.pageBytes, 4096] {
      var found = 0
      for index in 1..<64 where isTreePage(try read(descriptor, 8, at: index * size), size) { found += 1 }
      if found >= 3 { return true }
    }
    return false
  }

  /// <https://www.sqlite.org/fileformat2.html#b_tree_pages>: its kind, the first free block, how many cells, where they
  /// begin, and lost bytes.
  private static func isTreePage(_ head: [UInt8], _ size: Int) -> Bool {
    guard head.count == 8, [2, 5, 10, 13].contains(head[0]) else { return false }
    func number(_ place: Int) -> Int { Int(head[place]) << 8 | Int(head[place + 1]) }
    let pointersEnd = (head[0] < 10 ? 12 : 8) + 2 * number(3)
    return number(1) < size && pointersEnd <= number(5) && number(5) <= size && head[7] <= 60
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
