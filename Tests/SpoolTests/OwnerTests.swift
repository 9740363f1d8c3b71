import DiskFaults
import Rig
import Testing

@testable import Spool

/// A node that was given another name, and what it kept under the one before.
@Suite("Owners")
struct OwnerTests {
  private func keep(_ count: UInt64, of owner: String, isAcknowledged: Bool = false) -> Bench {
    var bench = Bench(boot: 1, owner: owner)
    if isAcknowledged { bench.ask(.fleetAcknowledges) }
    for sequence in 1...count { bench.append(sequence) }
    bench.ask(.stop)
    return bench
  }

  private func folders(_ disk: SimulatedDisk) -> Set<String> {
    Set(disk.fileNames.compactMap { $0.split(separator: "/").count == 2 ? String($0.split(separator: "/")[0]) : nil })
  }

  @Test("What was kept under another name is set aside whole, told, and never fetched")
  func setAside() throws {
    let disk = keep(30, of: "pump-7").disk
    var next = Bench(disk, boot: 2, owner: "pump-8")
    #expect(next.state.trouble == nil && next.contents?.lanes.allSatisfy { $0.events == 0 } == true)
    #expect(next.contents?.formerOwner == "pump-7")
    let aside = try #require(next.contents?.aside)
    #expect(aside.owner == "pump-7" && aside.events == 30 && folders(disk) == [aside.folder])
    next.append(1)
    next.pass(1)
    #expect(next.allSequences() == [1])
    next.ask(.stop)
    var later = Bench(disk, boot: 3, owner: "pump-8")
    #expect(later.contents?.aside == aside, "it is told at each start")
    #expect(later.allSequences() == [1])
    later.ask(.stop)
  }

  @Test("What was set aside is a spool that sends everything under its own name")
  func sentLater() throws {
    let disk = keep(30, of: "pump-7").disk
    let aside = try #require(Bench(disk, boot: 2, owner: "pump-8").contents?.aside)
    let moved = SimulatedDisk()
    for name in disk.fileNames where name.hasPrefix(aside.folder) {
      moved.overwrite(String(name.dropFirst(aside.folder.count + 1)), try #require(disk.bytes(of: name)))
    }
    var next = Bench(moved, boot: 3, owner: "pump-7")
    #expect(next.allSequences() == Array(1...30) && next.contents?.aside == nil)
  }

  @Test("A start that ends half way through is gone on with by the next: no event is lost, none is fetched")
  func ends() {
    for call in 1... {
      let disk = keep(200, of: "pump-7", isAcknowledged: true).disk
      disk.diesAfterCall = disk.calls + call
      let isWhole = Bench(disk, boot: 2, owner: "pump-8").state.trouble == nil
      var random = SeededRandom(seed: UInt64(call))
      disk.powerCut(using: &random)
      var next = Bench(disk, boot: 3, owner: "pump-8")
      #expect(next.allSequences().isEmpty && next.state.trouble == nil, "call \(call)")
      #expect(next.contents?.aside?.events == 200 && next.contents?.fleetAcknowledges == true, "call \(call)")
      var kept = 0
      for folder in folders(disk) {
        let moved = SimulatedDisk()
        for name in disk.fileNames where name.hasPrefix(folder + "/") {
          moved.overwrite(String(name.dropFirst(folder.count + 1)), disk.bytes(of: name) ?? [])
        }
        var bench = Bench(moved, boot: 4, owner: "pump-7")
        kept += bench.allSequences().count
      }
      #expect(kept == 200, "call \(call)")
      if isWhole { return }
    }
  }

  @Test("While one is set aside another is not: a name that changes with each start does not fill the disk")
  func twice() {
    let disk = keep(30, of: "pump-7").disk
    var second = Bench(disk, boot: 2, owner: "pump-8")
    second.append(1)
    second.pass(1)
    second.ask(.stop)
    var third = Bench(disk, boot: 3, owner: "pump-9")
    #expect(third.state.trouble?.call == "owner" && third.contents == nil)
    third.append(1)
    #expect(third.notStored == [1])
    var back = Bench(disk, boot: 4, owner: "pump-8", opens: false)
    third.ask(.stop)
    disk.restart()
    back.take(back.core.open(atS: back.nowS))
    #expect(back.allSequences() == [1])
  }

  @Test("Where nothing waits any more, nothing is set aside")
  func nothingWaits() {
    var bench = Bench(SimulatedDisk(), boot: 1, owner: "pump-7")
    bench.append(1)
    bench.ask(.release(boot: 1, 1...1))
    bench.ask(.stop)
    let next = Bench(bench.disk, boot: 2, owner: "pump-8")
    #expect(next.contents?.aside == nil && folders(bench.disk).isEmpty && next.state.trouble == nil)
  }
}
