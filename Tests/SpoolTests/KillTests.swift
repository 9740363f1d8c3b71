import Foundation
import Rig
import Testing

@testable import Spool

/// Numbers of runs, from the environment; small ones else.
func count(_ variable: String, _ few: Int) -> Int {
  ProcessInfo.processInfo.environment[variable].flatMap(Int.init) ?? few
}

/// A real process on a real disk that is killed: `JUDDER_SPOOL_KILLS` times (20).
@Suite("Killing the program", .serialized)
struct KillTests {
  @Test("Nothing stored is lost by kill -9 at any moment, over many lives")
  func anyMoment() throws {
    let workplace = try Workplace("spool-kill")
    let folder = workplace.path("spool")
    var random = SeededRandom(seed: 99)
    var ledger = DrillLedger()
    let kills = count("JUDDER_SPOOL_KILLS", 20)
    var stored = 0
    for life in 1...kills {
      let boot = UInt32(life)
      let drill = try DrillRun(folder, boot: boot, events: 1_000_000, paceUS: 200, in: workplace)
      usleep(UInt32.random(in: 20_000...250_000, using: &random))
      drill.child.send(signal: SIGKILL)
      #expect(drill.child.wait(seconds: 10) == -SIGKILL)
      ledger.read(drill.lines, boot: boot)
      try? FileManager.default.removeItem(at: drill.child.output)
      try? FileManager.default.removeItem(at: drill.child.errors)
      // The next life looks at what this one left; every so often, so does the test.
      if life % 5 == 0 || life == kills {
        _ = ledger.check(folder, boot: 1_000_000 + boot)
        guard ledger.complaints.isEmpty else { break }
      }
    }
    stored = ledger.stored.values.reduce(0) { $0 + $1.count }
    #expect(ledger.complaints.isEmpty, "\(ledger.complaints.prefix(5))")
    #expect(stored > kills * 5)
    print(
      "kill -9: \(kills) times, \(stored) events stored, \(ledger.evicted.count) notes, \(ledger.complaints.count) lost"
    )
  }

  @Test(
    "Nothing stored is lost by SIGKILL in each system call that writes, syncs, renames or removes (strace)",
    .enabled(if: ChildProcess.find("strace") != nil, "needs strace"),
    arguments: ["write", "fdatasync", "renameat,renameat2", "unlinkat", "fsync", "openat"])
  func eachCall(call: String) throws {
    let workplace = try Workplace("spool-strace")
    var injected = 0
    var when = 1
    let limit = count("JUDDER_SPOOL_CALLS", 4)
    var ledger = DrillLedger()
    // From where the spool's own calls begin; openat has many at start.
    while injected < limit {
      let folder = workplace.path("spool-\(when)")
      // A life before, so that there is something to lose.
      ledger = DrillLedger()
      for life in 1...2 {
        let strace = life == 1 ? nil : ["-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(when)"]
        let events = life == 1 ? 150 : 260
        let drill = try DrillRun(folder, boot: UInt32(life), events: events, strace: strace, in: workplace)
        let status = drill.child.wait(seconds: 60)
        ledger.read(drill.lines, boot: UInt32(life))
        if life == 2, status == 0 { return finish(call, injected) }
      }
      injected += 1
      _ = ledger.check(folder, boot: 9)
      // I10: and once more after that.
      _ = ledger.check(folder, boot: 10)
      #expect(ledger.complaints.isEmpty, "\(call) \(when): \(ledger.complaints.prefix(5))")
      guard ledger.complaints.isEmpty else { return }
      try? FileManager.default.removeItem(atPath: folder)
      when += limit > 50 ? 1 : 1 + when
    }
    finish(call, injected)
  }

  private func finish(_ call: String, _ injected: Int) {
    #expect(injected > 0, "\(call) was never called")
    print("SIGKILL in \(call): \(injected) places")
  }
}
