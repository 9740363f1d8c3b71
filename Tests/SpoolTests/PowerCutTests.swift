import DiskFaults
import Foundation
import Rig
import Testing

@testable import Spool

/// How often the tests with chance in them run: `JUDDER_SPOOL_SEEDS`.
let seeds = ProcessInfo.processInfo.environment["JUDDER_SPOOL_SEEDS"].flatMap(UInt64.init) ?? 2

/// The power goes at every call to the disk in turn, and again while the next run takes over.
@Suite("Power cuts")
struct PowerCutTests {
  @Test("Whatever was stored is there after a power cut at any call, in any state of what was not synced")
  func everyCall() {
    for seed in 1...seeds {
      let calls = length(of: seed)
      #expect(calls > 300)
      for call in 1...calls {
        var workload = start(seed: seed, dyingAfter: call)
        workload.run(steps: Self.steps)
        #expect(workload.bench.disk.isDead)
        workload.powerCut()
        // I10: the run that takes over dies as well, a few calls later.
        workload.bench.disk.diesAfterCall = workload.bench.disk.calls + call % 17
        workload.startAgain()
        workload.run(steps: 20)
        workload.powerCut()
        workload.startAgain()
        workload.run(steps: 20)
        workload.powerCut()
        workload.startAgain()
        guard report(workload, "seed \(seed), power cut after call \(call)") else { return }
      }
    }
  }

  @Test("What told of losses and was given up is told by something else, wherever the power went")
  func tellingsGivenUp() {
    var whole = Workload(seed: 5, isAllShocks: true)
    whole.run(steps: 2 * Self.steps)
    #expect(whole.toldAgain >= 5)
    // All of them with more seeds.
    for call in stride(from: 200, through: whole.bench.disk.calls, by: seeds > 2 ? 1 : 11) {
      let disk = SimulatedDisk()
      disk.diesAfterCall = call
      var workload = Workload(seed: 5, disk: disk, isAllShocks: true)
      workload.run(steps: 2 * Self.steps)
      workload.powerCut()
      workload.bench.disk.diesAfterCall = workload.bench.disk.calls + call % 17
      for _ in 0..<2 {
        workload.startAgain()
        workload.run(steps: 20)
        workload.powerCut()
      }
      workload.startAgain()
      guard report(workload, "power cut after call \(call)") else { return }
    }
  }

  @Test("The end of the program at any call loses nothing that was written")
  func programEnds() {
    let calls = length(of: 1)
    for call in 1...calls {
      var workload = start(seed: 1, dyingAfter: call)
      workload.run(steps: Self.steps)
      workload.bench.disk.restart()
      workload.startAgain()
      guard report(workload, "program ends after call \(call)") else { return }
    }
  }

  static let steps = 250

  private func start(seed: UInt64, dyingAfter call: Int) -> Workload {
    let disk = SimulatedDisk()
    disk.diesAfterCall = call
    return Workload(seed: seed, disk: disk)
  }

  private func length(of seed: UInt64) -> Int {
    var workload = Workload(seed: seed)
    workload.run(steps: Self.steps)
    #expect(workload.largestBytes <= Workload.capBytes + 16_384)
    #expect(!workload.bench.evicted.isEmpty)
    return workload.bench.disk.calls
  }
}

/// Says what the witness saw; false when it saw anything.
func report(_ workload: Workload, _ place: String) -> Bool {
  let complaints = workload.witness.complaints
  #expect(
    complaints.isEmpty, "\(place): \(complaints.prefix(5).joined(separator: "; ")), \(workload.bench.disk.fileNames)")
  return complaints.isEmpty
}
