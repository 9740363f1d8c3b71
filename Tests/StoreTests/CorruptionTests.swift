import Foundation
import Rig
import Telemetry
import Testing

@testable import Store

/// A damaged database never keeps the fleet tool from working (peers lost theirs to a file of zeros after a power cut).
@Suite("Damaged databases")
struct CorruptionTests {
  /// A database of 400 events of 4 nodes, its log included: 300 in the database, 100 in the log.
  private struct Sample {
    let shelf: Shelf
    let database: [UInt8]
    let log: [UInt8]

    init() throws {
      shelf = try Shelf()
      var store: HistoryStore? = try shelf.open()
      for part in 0..<3 { try Sample.fill(try #require(store), part) }
      store?.close()
      store = nil
      store = try shelf.open()
      try Sample.fill(try #require(store), 3)
      database = try shelf.bytes()
      log = try shelf.bytes("-wal")
      store = nil
      shelf.clear()
    }

    private static func fill(_ store: HistoryStore, _ part: Int) throws {
      let events = (0..<100).map { number in
        event(UInt64(part * 25 + number / 4 + 1), of: "node-\(number % 4)", padding: 60)
      }
      var batch = batch(events)
      batch.latest = (0..<4).map {
        LatestRow(node: node("node-\($0)"), stream: .status, received: now, payload: Array("status".utf8))
      }
      let alert = AlertIdentity(rule: "shaken", subject: "node-1")
      batch.alerts = [KeptAlert(alert, phase: .firing, since: now, changed: now)]
      _ = try store.commit(batch)
    }

    /// Opens what is left, which must work, in time, and take a batch.
    func open(_ database: [UInt8]?, _ log: [UInt8]?) throws -> (report: OpeningReport, events: Int) {
      shelf.clear()
      if let database { try shelf.write(database) }
      if let log { try shelf.write(log, "-wal") }
      let store = try shelf.open()
      #expect(store.opening.tookS < 10)
      let events = try store.count()
      // Damage that is not noticed at the start would make this fail.
      let report = try store.commit(batch([event(1, of: "newcomer"), event(2, of: "newcomer")]))
      #expect(report.acknowledgements.first?.sequence == 2)
      return (store.opening, events)
    }
  }

  @Test("An undamaged one, its log included, is whole")
  func sound() throws {
    let sample = try Sample()
    let (report, events) = try sample.open(sample.database, sample.log)
    #expect(report.rescue == nil && events == 400)
  }

  @Test("A file of zeros, an empty one with a log, one with its log or its mark left: set aside, and a new one made")
  func noDatabase() throws {
    let sample = try Sample()
    var marked = [UInt8](repeating: 0x5A, count: 8192)
    marked.replaceSubrange(68..<72, with: Array("JUDR".utf8))
    let zeros = [UInt8](repeating: 0, count: sample.database.count)
    let garbage = [UInt8](repeating: 0x5A, count: 8192)
    func begun(with byte: UInt8, _ count: Int) -> [UInt8] {
      [UInt8](repeating: byte, count: count) + sample.database.dropFirst(count)
    }
    let cases = [
      (zeros, nil), ([0], nil), ([], sample.log), (marked, nil), (garbage, sample.log), (begun(with: 0, 512), nil),
      (begun(with: 0xFF, 512), nil), (begun(with: 0x5A, Opener.pageBytes), nil),
      ([UInt8](repeating: 0xFF, count: 512) + garbage, nil),
    ]
    for (content, log) in cases {
      let (report, events) = try sample.open(content, log)
      let rescue = try #require(report.rescue)
      #expect(events == 0)
      #expect(rescue.file.hasPrefix(sample.shelf.file + ".corrupt-2"))
      #expect(FileManager.default.fileExists(atPath: rescue.file) || content.isEmpty)
      #expect(rescue.text.contains("0 events were taken over"))
    }
  }

  @Test("Truncated anywhere, it opens, and what can be read is taken over")
  func truncated() throws {
    let sample = try Sample()
    let step = max(1, sample.database.count / repetitions("JUDDER_STORE_CUTS", 24))
    for length in stride(from: 1, to: sample.database.count, by: step) {
      let (report, events) = try sample.open(Array(sample.database.prefix(length)), nil)
      // The end of the last page may be of no use.
      #expect(report.rescue != nil || events == 300, "cut at \(length)")
      if length > sample.database.count * 9 / 10 { #expect(events >= 100, "cut at \(length)") }
    }
  }

  @Test("A log torn anywhere gives what was whole before, and is no damage")
  func tornLog() throws {
    let sample = try Sample()
    let step = max(1, sample.log.count / repetitions("JUDDER_STORE_CUTS", 24))
    for length in stride(from: 0, to: sample.log.count, by: step) {
      let (report, events) = try sample.open(sample.database, Array(sample.log.prefix(length)))
      #expect(report.rescue == nil && (events == 300 || events == 400), "cut at \(length)")
    }
  }

  @Test("Bits flipped in the log cost what was in it at the most")
  func flippedLog() throws {
    let sample = try Sample()
    var random = SeededRandom(seed: 1)
    for _ in 0..<repetitions("JUDDER_STORE_FLIPS", 24) {
      var log = sample.log
      let place = Int.random(in: 0..<log.count, using: &random)
      log[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let (report, events) = try sample.open(sample.database, log)
      #expect(report.rescue == nil && events >= 300, "bit flipped at \(place)")
    }
  }

  @Test("A flipped bit in any byte of the header never keeps it from opening")
  func flippedHeader() throws {
    let sample = try Sample()
    for place in 0..<100 {
      var database = sample.database
      database[place] ^= 1 << UInt8(place % 8)
      let (report, events) = try sample.open(database, nil)
      #expect(report.rescue != nil || events == 300, "bit flipped at \(place)")
    }
  }

  @Test("Bits flipped in pages, and pages overwritten: it opens, and acknowledges nothing that never came")
  func flippedPages() throws {
    let sample = try Sample()
    var random = SeededRandom(seed: 2)
    var rescued = 0
    for round in 0..<repetitions("JUDDER_STORE_FLIPS", 40) {
      var database = sample.database
      let place = Int.random(in: 100..<database.count, using: &random)
      if round % 3 == 0 {
        let page = place / Opener.pageBytes * Opener.pageBytes
        for index in max(100, page)..<min(page + Opener.pageBytes, database.count) { database[index] = 0xA5 }
      } else {
        database[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      let (report, _) = try sample.open(database, nil)
      if report.rescue != nil { rescued += 1 }
      let store = try sample.shelf.open()
      #expect(try store.defects().isEmpty, "round \(round), \(place)")
      for kept in try loaded(store).nodes where kept.name.description.hasPrefix("node-") {
        for boot in kept.boots where boot.boot == BootID(1) {
          #expect(boot.sequence <= 75 && boot.also.allSatisfy { $0.upperBound <= 75 }, "round \(round), \(place)")
        }
      }
    }
    #expect(rescued > 0)
  }

  @Test("A page lost in the middle of the events costs its own rows only, and nothing else of what was kept")
  func lostPage() throws {
    let sample = try Sample()
    var lost: [Int] = []
    for page in 1..<(sample.database.count / Opener.pageBytes) {
      var database = sample.database
      for index in (page * Opener.pageBytes)..<((page + 1) * Opener.pageBytes) { database[index] = 0 }
      let (report, events) = try sample.open(database, nil)
      guard report.rescue != nil else { continue }
      lost.append(300 - events)
    }
    // Roots of tables apart, a page has some 7 events.
    #expect(lost.count > 20)
    #expect(lost.filter { $0 <= 40 }.count >= lost.count * 3 / 4, "\(lost)")
  }

  @Test("What is salvaged is still acknowledged, and its alerts are there")
  func salvaged() throws {
    let sample = try Sample()
    var database = sample.database
    // The root of an index: the rows themselves are all there.
    let shelf = try Shelf()
    try shelf.write(database)
    let connection = try Connection(shelf.file, .readOnly, busyS: 1)
    let root = Int(
      try #require(try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'events_by_node_and_time'")))
    for index in ((root - 1) * Opener.pageBytes)..<(root * Opener.pageBytes) { database[index] = 0 }
    let (report, events) = try sample.open(database, nil)
    let rescue = try #require(report.rescue)
    #expect(events == 300 && rescue.holes == 0 && rescue.isWhole)
    #expect(rescue.rows["nodes"] == 4 && rescue.rows["latest"] == 4 && rescue.rows["alerts"] == 1)
    let store = try sample.shelf.open()
    #expect(try store.acknowledgement(node: node("node-1"), boot: BootID(1))?.sequence == 75)
    #expect(try loaded(store).alerts.count == 1)
    #expect(try store.commit(batch([event(7, of: "node-1", padding: 60)])).outcomes == [.duplicate])
  }

  @Test("A flipped bit in what is acknowledged is noticed, and the events are counted")
  func flippedNumber() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    _ = try store?.commit(batch([event(1), event(2), event(9)]))
    store = nil
    let connection = try Connection(shelf.file, .write, busyS: 1)
    try connection.execute("UPDATE boots SET upto = 6; UPDATE coverage SET last = 9 + 32")
    store = try shelf.open()
    let known = try #require(try store?.acknowledgement(node: node("pump-7"), boot: BootID(1)))
    #expect(known.sequence == 2 && known.also == [9...9])
    #expect(try store?.gaps(node: node("pump-7"), boot: BootID(1)) == [3...8])
  }

  @Test("A flipped bit in the name of a column is noticed, and costs nothing")
  func flippedName() throws {
    let sample = try Sample()
    var database = sample.database
    // Also where it stood before the page was full.
    let text = Data("is_late INTEGER NOT NULL".utf8)
    var places: [Int] = []
    while let place = Data(database).range(of: text)?.lowerBound {
      database[place] ^= 1
      places.append(place)
    }
    #expect(!places.isEmpty)
    let (report, events) = try sample.open(database, nil)
    #expect(report.rescue?.reason == "the text of its schema is damaged" && report.rescue?.holes == 0)
    #expect(events == 300)
  }

  @Test("Rows with impossible numbers are stepped over")
  func lowestNumber() throws {
    let shelf = try Shelf()
    try shelf.open().close()
    do {
      let connection = try Connection(shelf.file, .write, busyS: 1)
      try connection.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
        INSERT INTO conflicts SELECT iif(i = 1, -9223372036854775807 - 1, i), 1, 1, i, '', 0, 1, x'' FROM n;
        PRAGMA wal_checkpoint(TRUNCATE)
        """)
    }
    var bytes = try shelf.bytes()
    bytes[18] = 9
    try shelf.write(bytes)
    #expect(try shelf.open().opening.rescue?.isWhole == true)
  }

  @Test("The last three damaged ones are kept")
  func threeKept() throws {
    let sample = try Sample()
    sample.shelf.clear()
    for _ in 0..<5 {
      try sample.shelf.write([0, 0, 0])
      _ = try sample.shelf.open()
    }
    #expect(sample.shelf.corruptFiles.count == 3)
  }
}

@Suite("Crashes while a damaged database is replaced")
struct RescueTests {
  /// A damaged database, and what its rescue made of it: 50 events.
  private func rescued(_ shelf: Shelf) throws -> (damaged: [UInt8], new: [UInt8]) {
    var store: HistoryStore? = try shelf.open()
    _ = try store?.commit(batch((1...50).map { event($0) }))
    store?.close()
    store = nil
    var damaged = try shelf.bytes()
    damaged[18] = 9
    try shelf.write(damaged)
    // As it is when it is put in its place: nobody has looked yet at what was lost.
    do {
      let (connection, report) = try Opener(StoreSettings(file: shelf.file), Schema.steps, isCheckWanted: true).open()
      #expect(report.rescue?.rows["events"] == 50)
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    return (damaged, try shelf.bytes())
  }

  @Test("Before the new one is finished, the rescue begins anew")
  func before() throws {
    let shelf = try Shelf()
    let (damaged, _) = try rescued(shelf)
    shelf.clear()
    try shelf.write(damaged)
    try shelf.write(Array("half a database".utf8), ".new")
    #expect(try shelf.open().count() == 50)
    #expect(shelf.corruptFiles.count == 1)
  }

  @Test("Between the two renames, the new one is put in place, and the old one's log is not taken for its")
  func between() throws {
    let shelf = try Shelf()
    let (damaged, new) = try rescued(shelf)
    shelf.clear()
    try shelf.write(damaged, ".corrupt-20261130T000000Z")
    try shelf.write(Array("somebody else's log".utf8), "-wal")
    try shelf.write(new, ".new")
    let store = try shelf.open()
    #expect(try store.count() == 50)
    #expect(store.opening.rescue?.file == shelf.file + ".corrupt-20261130T000000Z")
    #expect(try shelf.bytes(".corrupt-20261130T000000Z-wal") == Array("somebody else's log".utf8))
  }

  @Test("A new one that was never finished is not taken")
  func unfinished() throws {
    let shelf = try Shelf()
    try shelf.write(Array("half a database".utf8), ".new")
    #expect(try shelf.open().count() == 0)
  }
}
