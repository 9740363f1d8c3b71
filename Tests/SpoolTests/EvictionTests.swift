import DiskFaults
import Testing

@testable import Spool

/// What has to go, in which order, and that it is told exactly.
@Suite("Giving up")
struct EvictionTests {
  /// Fills the spool over its cap, telling each note as a caller does.
  private func filled(_ bench: inout Bench, count: Int, lane: (Int) -> SpoolLane) {
    var handled = 0
    var sequence: UInt64 = 0
    for number in 0...count + 1 {
      sequence += 1
      if number < count { bench.append(sequence, lane(number), bytes: 300) } else { sequence -= 1 }
      // In the end, until what found no room was told, too.
      bench.pass(number < count ? 0.1 : 31)
      while handled < bench.evicted.count {
        sequence += 1
        var record = bench.record(sequence, .shock, note: bench.evicted[handled].id)
        record.payload = Witness.telling(of: bench.evicted[handled])
        bench.ask(.append(record, bornAtS: nil))
        handled += 1
      }
    }
  }

  /// Row 37 of what users of similar systems report: how big is the buffer, and what goes when it is full?
  @Test("Waveforms go first, then positions, then shocks; within a lane the oldest; the counts are exact")
  func order() throws {
    var bench = Bench(capBytes: 262_144)
    filled(&bench, count: 3000) { [.shock, .routine, .waveform][$0 % 3] }
    let kept = bench.everything() + bench.everything(isWaveform: true)
    let given = bench.evicted.reduce(into: [UInt8: Int]()) { $0.merge($1.counts, uniquingKeysWith: +) }
    // 3000 events; the spool holds some 800. A waveform or two may have come when room had just been made.
    let waveforms = kept.filter { $0.lane == .waveform }.count
    #expect(given[3] == 1000 - waveforms)
    #expect(waveforms <= 16_384 / 300)
    #expect(try #require(given[2]) > 900)
    let events = kept.filter { $0.note == nil }.count
    let tellings = bench.evicted.reduce(0) { $0 + $1.tellings.count }
    #expect(given.values.reduce(0, +) - tellings + events == 3000)
    #expect(bench.disk.sizeBytes <= 262_144 + 16_384)
    // All notes are told by records that are there.
    let told = kept.filter { $0.note != nil }.map { Witness.losses(in: $0.payload) }
    #expect(told.reduce(into: []) { $0.formUnion($1) } == Set(bench.evicted.map(\.id)))
    // What is left of the shocks are the newest.
    let shocks = kept.filter { $0.lane == .shock && $0.note == nil }.map(\.sequence)
    let lost = bench.evicted.flatMap(\.runs).joined()
    #expect(shocks.allSatisfy { !lost.contains($0) })
  }

  @Test("A position that finds only shocks is given up itself, and told")
  func refused() {
    var bench = Bench(capBytes: 65_536)
    for sequence in 1...250 { bench.append(UInt64(sequence), .shock, bytes: 300) }
    bench.pass(1)
    let before = bench.evicted.count
    for sequence in 1001...1020 { bench.append(UInt64(sequence), .routine, bytes: 5000) }
    bench.pass(31)
    let notes = bench.evicted.dropFirst(before)
    #expect(notes.allSatisfy { $0.reason == .cap && $0.counts.keys.allSatisfy { $0 == 2 } })
    #expect(notes.compactMap(\.events).reduce(0, +) + bench.everything().filter { $0.lane == .routine }.count == 20)
    #expect(bench.notStored.isEmpty)
  }

  @Test("One event that is too large for the spool does not cost the others")
  func tooLarge() {
    var bench = Bench(capBytes: 65_536)
    for sequence in 1...100 { bench.append(UInt64(sequence), .shock) }
    bench.append(101, .shock, bytes: 60_000)
    bench.pass(31)
    #expect(bench.evicted.map(\.runs) == [[101...101]])
    #expect(bench.allSequences() == Array(1...100))
  }

  @Test("A spool full of shocks is not written to for each waveform that finds no room")
  func noChurn() {
    var bench = Bench(capBytes: 262_144)
    for sequence in 1...1100 { bench.append(UInt64(sequence), .shock) }
    bench.pass(1)
    let syncs = bench.core.syncs
    let before = bench.evicted.count
    for sequence in 2001...3000 {
      bench.append(UInt64(sequence), .waveform, bytes: 2000)
      bench.pass(0.1)
    }
    bench.pass(31)
    #expect(bench.evicted.dropFirst(before).compactMap(\.events).reduce(0, +) >= 980)
    #expect(bench.evicted.count - before <= 1000 / 64 + 2)
    #expect(bench.core.syncs - syncs <= 100)
  }

  @Test("What a given-up telling said goes on to the note about it, and to the next run where nobody told it")
  func toldAgain() throws {
    var bench = Bench(capBytes: 65_536)
    var told: Set<UInt64> = []
    var sequence: UInt64 = 0
    for _ in 0..<2000 {
      sequence += 1
      bench.append(sequence, bytes: 300)
      bench.pass(0.1)
      for note in bench.evicted {
        told.insert(note.id)
        sequence += 1
        var record = bench.record(sequence, .shock, note: note.id)
        record.payload = Witness.telling(of: note)
        bench.ask(.append(record, bornAtS: nil))
      }
      bench.evicted = []
    }
    #expect(told.count > 30)
    let there = bench.everything().filter { $0.note != nil }
    #expect(there.count < 10, "the others went with their segments")
    #expect(there.reduce(into: Set()) { $0.formUnion(Witness.losses(in: $1.payload)) } == told)
    // And once more by age, with nobody there to tell it.
    bench.ask(.configure(SpoolLimits(capBytes: 65_536, capAgeS: 60)))
    bench.ask(.clock(offsetS: 1_900_000_000))
    bench.pass(4000)
    #expect(bench.events == 0)
    bench.disk.restart()
    let notes = try #require(bench.next().contents?.notes)
    let payloads = notes.flatMap(\.tellings)
    #expect(payloads.reduce(into: Set()) { $0.formUnion(Witness.losses(in: $1)) } == told)
    #expect(notes.map(\.tellings) == bench.evicted.map(\.tellings))
  }

  @Test("What tells of losses and finds no room is told by the note about it")
  func refusedTelling() throws {
    var bench = Bench(capBytes: 65_536)
    for sequence in 1...100 { bench.append(UInt64(sequence), .shock) }
    var record = bench.record(101, .shock, bytes: 60_000, note: 0)
    bench.ask(.append(record, bornAtS: nil))
    bench.pass(31)
    #expect(bench.evicted.map(\.runs) == [[101...101]])
    #expect(bench.evicted.map(\.tellings) == [[record.payload]])
    // The note that it was to end is told with it.
    record.sequence = 102
    record.note = bench.evicted.first?.id
    bench.ask(.append(record, bornAtS: nil))
    bench.pass(61)
    #expect(bench.evicted.map(\.runs) == [[101...101], [102...102]])
    bench.disk.restart()
    #expect(bench.next().contents?.notes.map(\.runs) == [[102...102]])
  }

  @Test("Where each telling finds no room and has to be told of, the disk is soon left in peace")
  func tellingsAtRest() {
    var bench = Bench(capBytes: 65_536)
    for sequence in 1...100 { bench.append(UInt64(sequence), .shock) }
    var sequence: UInt64 = 100
    var note: UInt64 = 0
    let endS = bench.nowS + 86_400
    while bench.nowS < endS {
      sequence += 1
      bench.ask(.append(bench.record(sequence, .shock, bytes: 60_000, note: note), bornAtS: nil))
      let told = bench.evicted.count
      while bench.evicted.count == told, bench.nowS < endS { bench.pass(10) }
      note = bench.evicted.last?.id ?? note
    }
    #expect((24...36).contains(bench.evicted.count), "\(bench.evicted.count) in a day: each hour in the end")
    #expect(bench.evicted.last?.events == 1)
  }

  @Test("A note with more runs than fit becomes several")
  func manyRuns() {
    var bench = Bench(capBytes: 8_388_608)
    for sequence in 1...1000 { bench.append(UInt64(sequence) * 2, .routine, bytes: 60) }
    bench.pass(6)
    bench.ask(.configure(SpoolLimits(capBytes: 65_536, capAgeS: nil)))
    #expect(bench.evicted.map(\.runs.count) == [256, 256, 256, 232])
    #expect(bench.evicted.compactMap(\.events).reduce(0, +) == 1000)
    #expect(bench.events == 0)
  }

  @Test("Events go when they are too old, by the calendar; nothing goes while it is not known")
  func age() {
    var bench = Bench(capAgeS: 3600)
    let epochS = 1_900_000_000.0
    for sequence in 1...20 {
      bench.append(UInt64(sequence), .routine, bornAtS: epochS + bench.nowS)
      bench.pass(300)
    }
    bench.pass(86_400)
    #expect(bench.evicted.isEmpty)
    bench.ask(.clock(offsetS: epochS))
    bench.pass(61)
    #expect(bench.evicted.allSatisfy { $0.reason == .age })
    #expect(bench.evicted.compactMap(\.events).reduce(0, +) == 20)
    #expect(bench.events == 0)
  }

  @Test("The oldest go by age while the newest stay")
  func ageInPart() {
    let epochS = 1_900_000_000.0
    var bench = Bench(capAgeS: 7200)
    bench.ask(.clock(offsetS: epochS))
    for sequence in 1...48 {
      // Of the first ones nobody knows the time; those that follow do.
      bench.append(UInt64(sequence), .routine, bornAtS: sequence < 5 ? nil : epochS + bench.nowS)
      bench.pass(300)
    }
    let left = bench.everything().map(\.sequence)
    #expect(left.count >= 24)
    #expect(left.count <= 28)
    #expect(left.last == 48)
    #expect(bench.evicted.compactMap(\.events).reduce(0, +) + left.count == 48)
  }

  @Test("A clock that jumps ahead gives nothing up that is young, and what is of former runs only when it holds")
  func clockJump() {
    let epochS = 1_900_000_000.0
    let jumpS = 400 * 86_400.0
    var first = Bench(capAgeS: 30 * 86_400)
    for sequence in 1...50 { first.append(UInt64(sequence), .shock, bornAtS: epochS + first.nowS) }
    first.pass(1)
    first.ask(.stop)
    var bench = first.next()
    bench.ask(.clock(offsetS: epochS))
    for sequence in 1...50 { bench.append(UInt64(sequence), .shock, bornAtS: epochS + bench.nowS) }
    bench.ask(.clock(offsetS: epochS + jumpS))
    bench.pass(3500)
    #expect(bench.evicted.isEmpty)
    bench.ask(.clock(offsetS: epochS))
    bench.pass(7200)
    #expect(bench.evicted.isEmpty, "it was wrong")
    bench.ask(.clock(offsetS: epochS + jumpS))
    bench.pass(3700)
    #expect(bench.evicted.map(\.boot) == [first.boot])
    #expect(bench.evicted.compactMap(\.events) == [50])
    #expect(bench.events == 50, "these are of this run")
  }

  @Test("A note that was not told before the power went is told by the next run, once")
  func pendingNote() throws {
    var bench = Bench(capBytes: 65_536)
    for sequence in 1...400 { bench.append(UInt64(sequence), .routine, bytes: 300) }
    bench.pass(6)
    #expect(!bench.evicted.isEmpty)
    var random = SystemRandomNumberGenerator()
    bench.disk.powerCut(using: &random)
    var next = bench.next()
    #expect(next.contents?.notes == bench.evicted)
    for (index, note) in bench.evicted.enumerated() { next.append(UInt64(index + 1), .shock, note: note.id) }
    next.pass(1)
    next.disk.restart()
    // Telling took room, too.
    let last = next.next()
    #expect(last.contents?.notes == next.evicted)
    let ids = bench.evicted.map(\.id)
    #expect(next.evicted.allSatisfy { !ids.contains($0.id) })
  }
}
