import DiskFaults
import Testing

@testable import Spool

/// What is taken, when it counts as stored, and what comes back.
@Suite("Keeping events")
struct KeepingTests {
  @Test("A shock is stored 200 ms after it came, a position after 5 s")
  func deadlines() {
    var bench = Bench()
    bench.append(1, .shock)
    bench.append(2, .routine)
    bench.pass(0.19)
    #expect(bench.stored == [])
    bench.pass(0.02)
    #expect(bench.stored == [1])
    bench.pass(4.7)
    #expect(bench.stored == [1])
    bench.pass(0.1)
    #expect(bench.stored == [1, 2])
  }

  @Test("Ten shocks are stored at once")
  func batch() {
    var bench = Bench()
    for sequence in 1...9 { bench.append(UInt64(sequence)) }
    bench.pass(0)
    #expect(bench.stored == [])
    bench.append(10)
    #expect(bench.core.nextDeadlineS == bench.nowS)
    bench.pass(0)
    #expect(bench.stored == Set(1...10))
  }

  @Test("What is written outlasts the end of the program, stored or not")
  func programEnds() {
    var bench = Bench()
    bench.append(1, .shock)
    bench.append(2, .routine)
    bench.append(3, .waveform, bytes: 5000)
    bench.disk.restart()
    var next = bench.next()
    #expect(next.contents?.lanes.map(\.events) == [1, 1, 1])
    #expect(next.contents?.boots == [0xB001])
    #expect(next.everything() == [bench.record(1, .shock), bench.record(2, .routine)])
    #expect(next.everything(isWaveform: true) == [bench.record(3, .waveform, bytes: 5000)])
  }

  /// Row 36 of what users of similar systems report: every point hits the disk.
  @Test("An event that is delivered within its deadline costs no sync, and nothing is written at rest")
  func quiet() {
    var bench = Bench(capBytes: 8_388_608)
    let syncs = bench.disk.counts[.sync] ?? 0
    for sequence in 1...500 {
      bench.append(UInt64(sequence), sequence % 3 == 0 ? .routine : .shock)
      bench.pass(0.1)
      bench.ask(.release(boot: bench.boot, UInt64(sequence)...UInt64(sequence)))
    }
    #expect(bench.stored == Set(1...500))
    #expect(bench.disk.counts[.sync] == syncs)
    #expect(bench.disk.counts[.syncDirectory, default: 0] <= 1)
    // What was released is told to the disk once, within ten minutes.
    bench.pass(600)
    let calls = bench.disk.calls
    bench.pass(86_400)
    #expect(bench.disk.calls == calls)
    #expect(bench.core.nextDeadlineS == nil)
  }

  @Test("A clean stop with nothing left leaves no segment")
  func cleanStop() {
    var bench = Bench()
    for sequence in 1...20 { bench.append(UInt64(sequence)) }
    bench.ask(.release(boot: bench.boot, 1...20))
    bench.ask(.fleetAcknowledges)
    bench.ask(.stop)
    #expect(bench.isStopped)
    #expect(bench.disk.fileNames == ["state"])
    #expect(bench.next().contents?.fleetAcknowledges == true)
  }

  @Test("A stop brings everything to the disk")
  func stop() {
    var bench = Bench()
    bench.append(1, .routine)
    bench.append(2, .waveform)
    bench.ask(.stop)
    #expect(bench.stored == [1, 2])
    bench.append(3)
    #expect(bench.notStored == [3])
    #expect(bench.core.nextDeadlineS == nil)
  }

  @Test("Released numbers stay released over a restart once the state was saved, ten minutes later at most")
  func released() {
    var bench = Bench()
    for sequence in 1...100 { bench.append(UInt64(sequence)) }
    bench.ask(.release(boot: bench.boot, 1...40))
    bench.ask(.release(boot: bench.boot, 50...50))
    bench.pass(601)
    bench.disk.restart()
    var next = bench.next()
    #expect(next.allSequences() == Array(41...49) + Array(51...100))
    // Numbers of another run are not meant.
    next.ask(.release(boot: next.boot, 1...100))
    #expect(next.events == 59)
  }

  @Test("A number between released ones that is appended later is kept")
  func lateNumber() {
    var bench = Bench()
    bench.append(1)
    bench.append(3)
    bench.ask(.release(boot: bench.boot, 1...3))
    bench.pass(601)
    bench.append(2)
    bench.pass(1)
    bench.disk.restart()
    var next = bench.next()
    #expect(next.allSequences() == [2])
  }

  @Test("Only events of this run and of a possible length are taken")
  func refusals() {
    var bench = Bench()
    var foreign = bench.record(1, .shock)
    foreign.boot = 7
    bench.ask(.append(foreign, bornAtS: nil))
    bench.append(2, bytes: SpoolRecord.payloadBytes + 1)
    bench.append(3, bytes: SpoolRecord.payloadBytes)
    bench.pass(1)
    #expect(bench.notStored == [1, 2])
    #expect(bench.stored == [3])
    #expect(bench.allSequences() == [3])
  }

  @Test("A second process is told that the folder is in use, and takes over once the first is gone")
  func lock() {
    let first = Bench()
    var second = Bench(first.disk, boot: 2)
    #expect(second.contents == nil)
    #expect(second.state.trouble?.text == "in use by another process")
    second.append(1)
    #expect(second.notStored == [1])
    first.disk.close()
    second.pass(5)
    #expect(second.contents != nil)
    #expect(second.state.trouble == nil)
  }
}
