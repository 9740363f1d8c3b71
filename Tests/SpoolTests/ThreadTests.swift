import Foundation
import Rig
import Testing

@testable import Spool

/// The spool on its own thread and a real disk.
@Suite("Spool thread")
struct ThreadTests {
  private func record(_ sequence: UInt64, bytes: Int = 200) -> SpoolRecord {
    SpoolRecord(
      boot: 5, sequence: sequence, lane: .shock, kind: 1, payload: payload(of: sequence, boot: 5, bytes: bytes))
  }

  @Test("Events come back in the next run, and what was released does not")
  func runs() throws {
    let workplace = try Workplace("spool-thread")
    let folder = workplace.path("spool")
    let spool = try SpoolThread(folder: folder, boot: 5, limits: SpoolLimits(capBytes: 1 << 20, capAgeS: nil))
    for sequence in 1...25 { #expect(spool.offer(.append(record(UInt64(sequence)), bornAtS: 1e9))) }
    #expect(spool.offer(.release(boot: 5, 1...5)))
    #expect(spool.offer(.fleetAcknowledges))
    var stored: Set<UInt64> = []
    #expect(
      waitUntil(seconds: 5) {
        for case .stored(_, let sequences) in spool.drain() { stored.formUnion(sequences) }
        return stored.count == 25
      })
    #expect(spool.stop(withinS: 5))
    #expect(spool.drain().contains(.stopped))
    let (records, contents) = contentsOfSpool(folder, boot: 6, capBytes: 1 << 20)
    #expect(records.map(\.sequence) == Array(6...25))
    #expect(contents?.fleetAcknowledges == true)
    #expect(contents?.oldestBornAtS == 1e9)
    #expect(spool.stop(withinS: 0), "a second stop is none")
  }

  @Test("Requests are bounded in number and in bytes")
  func bounds() throws {
    let workplace = try Workplace("spool-thread")
    // A folder that can't be made: the thread has little to do, but the queue is the same.
    let spool = try SpoolThread(
      folder: workplace.path("a/b/c"), boot: 5, limits: SpoolLimits(capBytes: 1 << 20, capAgeS: nil), capacity: 4,
      capacityBytes: 1000)
    var refused = 0
    for sequence in 1...100_000 where !spool.offer(.append(record(UInt64(sequence)), bornAtS: nil)) {
      refused += 1
      if refused > 10 { break }
    }
    #expect(refused > 10)
    #expect(
      waitUntil(seconds: 5) {
        spool.drain().contains { if case .state(let state) = $0 { !state.isWorking } else { false } }
      })
    #expect(spool.stop(withinS: 5))
  }

  @Test("A second spool in the same folder says that it is in use, and takes over afterwards")
  func lock() throws {
    let workplace = try Workplace("spool-thread")
    let limits = SpoolLimits(capBytes: 1 << 20, capAgeS: nil)
    let first = try SpoolThread(folder: workplace.path("spool"), boot: 5, limits: limits)
    #expect(waitUntil(seconds: 5) { first.drain().contains { if case .opened = $0 { true } else { false } } })
    let second = try SpoolThread(folder: workplace.path("spool"), boot: 6, limits: limits)
    var said: [SpoolReport] = []
    #expect(
      waitUntil(seconds: 5) {
        said += second.drain()
        return said.contains {
          if case .state(let state) = $0 { state.trouble?.text == "in use by another process" } else { false }
        }
      })
    first.stop(withinS: 5)
    #expect(waitUntil(seconds: 6) { second.drain().contains { if case .opened = $0 { true } else { false } } })
    second.stop(withinS: 5)
  }

  @Test(
    "A sync of 300 ms holds up nobody but the spool, and a stop still ends within 5 s (strace)",
    .enabled(if: ChildProcess.find("strace") != nil, "needs strace"))
  func slowDisk() throws {
    let workplace = try Workplace("spool-slow")
    let drill = try DrillRun(
      workplace.path("spool"), boot: 1, events: 300, capBytes: 4_194_304, paceUS: 2000,
      strace: ["-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=300000"], in: workplace)
    #expect(drill.child.wait(seconds: 60) == 0)
    let lines = drill.lines
    #expect(lines.last == "stopped")
    let slowest = try #require(lines.compactMap { $0.hasPrefix("slowest ") ? Int($0.dropFirst(8)) : nil }.last)
    // Microseconds that an offer took at the most; a loaded machine may well take the processor away for a while.
    #expect(slowest < 250_000)
    let stop = try #require(lines.compactMap { $0.hasPrefix("stop ") ? Int($0.dropFirst(5)) : nil }.last)
    #expect(stop < 5_000_000)
    print("300 ms syncs: slowest offer \(slowest) us, stop \(stop / 1000) ms")
  }
}
