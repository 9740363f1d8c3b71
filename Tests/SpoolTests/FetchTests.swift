import DiskFaults
import Rig
import Testing

@testable import Spool

@Suite("Fetching")
struct FetchTests {
  @Test("Events come in the order of run and number, whatever their lane and whenever they were appended")
  func order() {
    var random = SeededRandom(seed: 4)
    var bench = Bench()
    for sequence in (1...300 as ClosedRange<UInt64>).shuffled(using: &random) {
      bench.append(sequence, sequence % 3 == 0 ? .routine : sequence % 7 == 0 ? .waveform : .shock)
    }
    bench.ask(.stop)
    // Its id is smaller, and it is later nevertheless.
    var next = bench.next(boot: 1)
    for sequence in 1...50 { next.append(UInt64(sequence), .routine) }
    let records = next.everything(limit: 7)
    #expect(next.contents?.ordinal == next.fetched.last?.last?.bootOrdinal, "its own place is known from the start")
    #expect(records.map(\.boot) == records.map(\.boot).sorted(by: >))
    let waveforms = (1...300).filter { $0 % 3 != 0 && $0 % 7 == 0 }.map(UInt64.init)
    let others = (1...300).map(UInt64.init).filter { !waveforms.contains($0) }
    let ofFirst = records.filter { $0.boot != 1 }.map(\.sequence)
    #expect(ofFirst == others)
    #expect(records.suffix(50).map(\.sequence) == Array(1...50))
    let fetched = next.everything(isWaveform: true).map(\.sequence)
    #expect(fetched == waveforms)
  }

  @Test("A fetch ends at its bytes, but brings one event at least")
  func bytes() {
    var bench = Bench()
    for sequence in 1...10 { bench.append(UInt64(sequence), bytes: 1000) }
    bench.ask(.fetch(SpoolFetch(id: 9, isWaveform: false, after: nil, limit: 100, limitBytes: 3500)))
    #expect(bench.fetched.last?.records.count == 3)
    #expect(bench.fetched.last?.isEnd == false)
    #expect(bench.fetched.last?.id == 9)
    bench.ask(
      .fetch(SpoolFetch(id: 10, isWaveform: false, after: bench.fetched.last?.last, limit: 100, limitBytes: 1)))
    #expect(bench.fetched.last?.records.map(\.sequence) == [4])
  }

  @Test("An empty spool answers that it is at its end")
  func empty() {
    var bench = Bench()
    bench.ask(.fetch(SpoolFetch(id: 1, isWaveform: false, after: nil, limit: 10, limitBytes: 1000)))
    #expect(bench.fetched == [SpoolFetched(id: 1, records: [], last: nil, isEnd: true)])
  }

  @Test("A drain by chunks sees every event once, while new ones come and segments go")
  func drain() {
    var bench = Bench(capBytes: 4_194_304)
    for sequence in 1...6000 { bench.append(UInt64(sequence), sequence % 2 == 0 ? .shock : .routine) }
    var seen: [UInt64] = []
    var next: UInt64 = 6001
    while seen.count < 6000 {
      bench.fetched = []
      bench.ask(.fetch(SpoolFetch(id: 1, isWaveform: false, after: nil, limit: 100, limitBytes: 262_144)))
      let numbers = bench.fetched.first?.records.map(\.sequence) ?? []
      seen += numbers
      for number in numbers { bench.ask(.release(boot: bench.boot, number...number)) }
      bench.append(next, .shock)
      bench.ask(.release(boot: bench.boot, next...next))
      next += 1
      bench.pass(0.05)
    }
    #expect(seen == Array(1...6000))
    bench.pass(2)
    #expect(bench.disk.fileNames.filter { $0.hasSuffix(".seg") }.count <= 2)
  }

  @Test("A record that can't be read any more is given up, told, and does not hold up the others")
  func rot() throws {
    var bench = Bench()
    for sequence in 1...10 { bench.append(UInt64(sequence)) }
    let name = try #require(bench.disk.fileNames.first)
    var bytes = try #require(bench.disk.bytes(of: name))
    bytes[SegmentHeader.size + 3 * 224 + 100] ^= 1
    bench.disk.overwrite(name, bytes)
    #expect(bench.allSequences() == [1, 2, 3, 5, 6, 7, 8, 9, 10])
    #expect(bench.damaged.map(\.records) == [1])
    #expect(bench.evicted.map(\.runs) == [[4...4]])
    #expect(bench.evicted.first?.reason == .damaged)
    #expect(bench.state.damagedRecords == 1)
    // Told once, also by the next run.
    let id = try #require(bench.evicted.first?.id)
    bench.append(11, note: id)
    bench.pass(1)
    bench.disk.restart()
    let next = bench.next()
    #expect(next.contents?.damage == [])
    #expect(next.contents?.notes == [])
  }
}
