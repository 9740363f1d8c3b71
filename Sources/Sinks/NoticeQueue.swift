internal import Glibc
internal import Telemetry

/// The notices that wait for one receiver, the oldest first: a file for each, or in memory as long as there is no
/// folder or it takes none. Bounded: when it is full the oldest goes, those that fire before ends. Used by one thread.
///
/// In its folder: `new` what waits, `firing` what an Alertmanager is told again, `failed` what was given up (the last
/// 1000), `aside` files that are none of ours or were torn, `lock`.
struct NoticeQueue {
  struct Bounds: Equatable, Sendable {
    var notices = 10_000
    var bytes = 16 << 20
  }

  struct Entry {
    var number: UInt64
    let id: String
    let identity: String
    let isResolved: Bool
    let sizeBytes: Int
    let made: WallTime
    let arrived: Instant
    /// Nil: it is in its file.
    var json: [UInt8]?
    /// Who wants to know once it is on the disk, or done with.
    var tokens: [UInt64] = []
    /// It fires, and its end went for room: it is told once, not again and again.
    var isEndless = false

    init(_ notice: Notice, number: UInt64, arrived: Instant, json: [UInt8]?, tokens: [UInt64] = []) {
      (self.number, self.arrived, self.json, self.tokens) = (number, arrived, json, tokens)
      (id, identity, isResolved) = (notice.id, notice.identity, notice.isResolved)
      (sizeBytes, made) = (notice.json.count, notice.time)
    }
  }

  struct Folders {
    let new, firing, failed, aside: QueueFolder
    let lock: Int32
  }

  static let mostFailed = 1000
  /// The longest file that can be a notice [bytes].
  static let longestFile = 65_536

  let path: String?
  let bounds: Bounds
  var folders: Folders?
  var entries: [Entry] = []
  var bytes = 0
  var nextNumber: UInt64 = 1
  /// What fires as the receiver knows it, by `Notice.identity`.
  var firing: [String: (number: UInt64, notice: Notice)] = [:]
  var failedNumbers: [UInt64] = []
  /// Of the first this many none goes for room: they are on their way.
  var underWay = 0
  private(set) var evicted = 0
  var setAside = 0
  private var settled: [UInt64] = []

  /// - Parameter path: the folder; nil: there is none.
  init(path: String?, bounds: Bounds) {
    self.path = path
    self.bounds = bounds
  }

  /// A notice arrived. One that may have been told before and still waits is not queued again.
  mutating func append(_ notice: Notice, mayBeThere: Bool, token: UInt64, at now: Instant) {
    if mayBeThere, let place = entries.firstIndex(where: { $0.id == notice.id }) {
      if entries[place].json == nil { settled.append(token) } else { entries[place].tokens.append(token) }
      return
    }
    entries.append(Entry(notice, number: nextNumber, arrived: now, json: notice.json, tokens: [token]))
    nextNumber += 1
    bytes += notice.json.count
    while entries.count > bounds.notices || bytes > bounds.bytes, entries.count > underWay + 1 { evict() }
  }

  /// The newest stays. An end goes only where nothing else can: what it ends would go on firing at its receiver.
  private mutating func evict() {
    let place = entries[underWay..<(entries.count - 1)].firstIndex { !$0.isResolved } ?? underWay
    let entry = entries[place]
    if entry.isResolved {
      for earlier in 0..<underWay where entries[earlier].identity == entry.identity {
        entries[earlier].isEndless = true
      }
    }
    evicted += 1
    drop(at: place)
  }

  /// Puts what is only in memory on the disk.
  mutating func harden() throws(SinkProblem) {
    guard let folders, let first = entries.firstIndex(where: { $0.json != nil }) else { return }
    var written: [Int] = []
    for place in first..<entries.count {
      guard let json = entries[place].json else { continue }
      try folders.new.write(entries[place].number, json + [UInt8(ascii: "\n")])
      written.append(place)
    }
    try folders.new.sync()
    for place in written {
      entries[place].json = nil
      settled += entries[place].tokens
      entries[place].tokens = []
    }
  }

  /// The first notices. Files that cannot be read any more are set aside.
  mutating func first(_ limit: Int) -> [Notice] {
    var notices: [Notice] = []
    while notices.count < min(limit, entries.count) {
      if let notice = notice(entries[notices.count]) {
        notices.append(notice)
      } else {
        folders.map { _ = $0.new.move(QueueFolder.name(entries[notices.count].number), to: $0.aside) }
        setAside += 1
        drop(at: notices.count)
      }
    }
    return notices
  }

  private func notice(_ entry: Entry) -> Notice? {
    if let json = entry.json { return Notice(json: json) }
    return folders.flatMap { NoticeQueue.read($0.new.file(entry.number)) }
  }

  /// The first ones are done with. What fires is kept to be told again, where `keepsFiring`.
  mutating func done(_ notices: [Notice], keepsFiring: Bool) {
    for notice in notices {
      if keepsFiring { note(notice, entries[0]) }
      drop(at: 0)
    }
  }

  private mutating func note(_ notice: Notice, _ entry: Entry) {
    forget(notice.identity)
    guard !notice.isResolved, !entry.isEndless else { return }
    firing[notice.identity] = (entry.number, notice)
    if entry.json == nil, let folders { folders.new.move(QueueFolder.name(entry.number), to: folders.firing) }
  }

  private mutating func forget(_ identity: String) {
    if let known = firing.removeValue(forKey: identity) { folders?.firing.remove(known.number) }
  }

  /// The first ones are given up, and kept in `failed`.
  mutating func fail(_ notices: [Notice]) {
    for notice in notices {
      let number = entries[0].number
      if notice.isResolved { forget(notice.identity) }
      if let folders {
        if entries[0].json == nil {
          folders.new.move(QueueFolder.name(number), to: folders.failed)
        } else {
          try? folders.failed.write(number, notice.json + [UInt8(ascii: "\n")])
        }
        failedNumbers.append(number)
        if failedNumbers.count > Self.mostFailed { folders.failed.remove(failedNumbers.removeFirst()) }
      }
      drop(at: 0)
    }
  }

  /// An end takes what it ends with it, delivered or not: nobody is told for ever that it fires.
  private mutating func drop(at place: Int) {
    let entry = entries.remove(at: place)
    if entry.isResolved { forget(entry.identity) }
    bytes -= entry.sizeBytes
    settled += entry.tokens
    if entry.json == nil { folders?.new.remove(entry.number) }
  }

  /// Tokens of notices that are on the disk or done with, each answered once.
  mutating func takeSettled() -> [UInt64] {
    defer { settled = [] }
    return settled
  }

  /// Nil: it is not there, torn, or none of ours.
  static func read(_ file: String) -> Notice? {
    let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: longestFile)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count > 1, count < longestFile, bytes[count - 1] == UInt8(ascii: "\n") else { return nil }
    return Notice(json: Array(bytes[..<(count - 1)]))
  }
}
