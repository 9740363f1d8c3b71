import Foundation
import Rig
import Testing

@testable import Spool

/// What keeping events costs, counted rather than timed.
@Suite("Costs of the spool", .serialized)
struct CostTests {
  private func run(_ arguments: [String], in workplace: Workplace) throws -> [Int] {
    let child = try ChildProcess(DrillRun.program, arguments, name: "measure-\(arguments[3])", in: workplace.folder)
    #expect(child.wait(seconds: 120) == 0)
    return child.outputText().split { !$0.isNumber }.compactMap { Int($0) }
  }

  /// Row 38 of what users of similar systems report: an SD card died of logging.
  @Test("Batches of 10 cost at most 700 bytes and 0.11 syncs an event, by the kernel's count")
  func table() throws {
    let workplace = try Workplace("spool-costs")
    // SQLite, for comparison: bytes an event with synchronous=FULL and NORMAL, measured elsewhere.
    let others = [1: (9650, 5522), 10: (2222, 1773), 100: (1166, 1084)]
    print("batch | SQLite FULL | NORMAL | spool: bytes an event (kernel) | bytes (spool) | syncs a 1000 events | us")
    for batch in [1, 10, 100] {
      let folder = workplace.path("spool-\(batch)")
      let events = batch * 200
      let figures = try run(["costs", folder, "\(events)", "\(batch)"], in: workplace)
      try #require(figures.count == 5)
      let (full, normal) = others[batch] ?? (0, 0)
      print("\(batch) | \(full) B | \(normal) B | \(figures[1]) B | \(figures[2]) B | \(figures[3]) | \(figures[4]) us")
      #expect(figures[3] <= 1000 / batch + 20, "syncs a 1000 events at batch \(batch)")
      #expect(figures[2] <= 260, "what the spool itself writes")
      // Where the kernel counts nothing (tmpfs), there is nothing to hold it against.
      if figures[1] > 0 { #expect(figures[1] <= [1: 4600, 10: 700, 100: 300][batch] ?? 0) }
    }
  }

  @Test("A full spool is opened and drained; JUDDER_SPOOL_DRAIN events of it")
  func drain() throws {
    let workplace = try Workplace("spool-drain")
    let events = count("JUDDER_SPOOL_DRAIN", 3000)
    let figures = try run(["drain", workplace.path("spool"), "\(events)", "\(64 << 20)"], in: workplace)
    try #require(figures.count == 6)
    #expect(figures[0] == events)
    #expect(figures[3] == events)
    print(
      "\(events) events: opened in \(figures[1] / 1000) ms with \(figures[2]) kB more, drained in "
        + "\(figures[4] / 1000) ms (\(events * 1_000_000 / max(1, figures[4]))/s), \(figures[5]) kB resident in the end"
    )
  }
}
