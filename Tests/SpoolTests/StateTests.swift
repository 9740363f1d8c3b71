import DiskFaults
import Testing

@testable import Spool

/// What is said of how things stand, and what an end costs.
@Suite("State")
struct StateTests {
  @Test("Only what is on the disk counts, without what was released, and only former runs' as theirs")
  func counts() {
    var bench = Bench()
    for sequence in 1...10 as ClosedRange<UInt64> { bench.append(sequence) }
    let size = RecordFrame(bench.record(1, .shock), bornAtS: nil).size
    bench.pass(1)
    bench.append(11)
    #expect(bench.state.storedBytes == 10 * size && bench.state.formerEvents == 0)
    bench.ask(.release(boot: bench.boot, 1...9))
    #expect(bench.state.storedBytes == size && bench.state.sizeBytes > 10 * size)
    bench.ask(.stop)
    var next = bench.next()
    next.append(1)
    #expect(next.state.formerEvents == 2 && next.state.storedBytes == 2 * size)
  }

  @Test("The oldest is of a former run, and known only where nobody older is unknown")
  func oldest() {
    var first = Bench()
    first.append(1, .shock, bornAtS: 1_900_000_000)
    first.append(2, .routine, bornAtS: 1_900_000_500)
    #expect(first.state.oldestBornAtS == nil)
    first.ask(.stop)
    var second = first.next()
    second.append(1, .shock, bornAtS: 1_900_000_900)
    #expect(second.state.oldestBornAtS == 1_900_000_000)
    second.ask(.release(boot: first.boot, 1...1))
    #expect(second.state.oldestBornAtS == 1_900_000_500)
    second.append(2, .waveform)
    second.ask(.stop)
    let third = second.next()
    #expect(third.state.oldestBornAtS == nil, "one of unknown age may be older")
  }

  @Test("An end costs seven syncs at the most: 2.1 s where each takes 0.3 s", arguments: [65_536, 1_048_576])
  func end(capBytes: Int) {
    var bench = Bench(capBytes: capBytes)
    for sequence in 1...400 as ClosedRange<UInt64> {
      bench.append(sequence, SpoolLane.allCases[Int(sequence % 3)])
      if sequence % 40 == 0 { bench.pass(0.1) }
    }
    bench.ask(.release(boot: bench.boot, 1...250))
    let before = bench.state.syncs
    bench.ask(.stop)
    #expect(bench.state.syncs - before <= 7, "\(bench.state.syncs - before) syncs")
    let next = bench.next()
    #expect(next.events <= 150 && next.state.trouble == nil)
  }
}
