import DiskFaults
import Glibc
import Testing

@testable import Spool

/// Every call to the disk fails in turn, in every way, once and for a while.
@Suite("Failing disks")
struct FaultTests {
  @Test(
    "Nothing stored is lost when a call fails, whichever and how; the spool comes back by itself",
    arguments: [
      ENOSPC, EROFS, EIO,
    ])
  func everyCall(code: Int32) {
    let calls = length()
    // All of them with more seeds; a part of them, each time another kind of call, else.
    let step = seeds > 2 ? 1 : 7
    for call in stride(from: 1, through: calls, by: step) {
      for length in [1, 25] {
        let disk = SimulatedDisk()
        disk.fault = { $0.kind.isWrite && (call..<call + length).contains($0.number) ? code : nil }
        var workload = Workload(seed: 3, disk: disk)
        workload.run(steps: 250)
        let place = "call \(call)...\(call + length - 1) fails with \(code)"
        disk.fault = { _ in nil }
        workload.bench.pass(40)
        #expect(workload.bench.state.trouble == nil, "\(place)")
        #expect(workload.bench.notStored.isEmpty || isTold(workload.bench), "\(place)")
        #expect(workload.largestBytes <= Workload.capBytes + 16_384, "\(place): \(workload.largestBytes)")
        workload.run(steps: 30)
        workload.powerCut()
        workload.startAgain()
        guard report(workload, place) else { return }
      }
    }
  }

  private func isTold(_ bench: Bench) -> Bool { bench.states.contains { $0.trouble != nil } }

  private func length() -> Int {
    var workload = Workload(seed: 3)
    workload.run(steps: 250)
    return workload.bench.disk.calls
  }

  @Test("After a sync that failed the events are written anew, never synced again in the same file")
  func syncFails() {
    var bench = Bench()
    var synced: [String] = []
    bench.append(1)
    let first = bench.disk.fileNames.filter { $0.hasSuffix(".seg") }
    bench.disk.fault = { call in
      if call.kind == .sync { synced.append(call.name) }
      return call.kind == .sync && synced.count == 1 ? EIO : nil
    }
    bench.pass(1)
    #expect(bench.stored == [1])
    #expect(bench.state.trouble == nil)
    #expect(Set(bench.disk.fileNames).isDisjoint(with: first))
    bench.disk.fault = { _ in nil }
    var random = SystemRandomNumberGenerator()
    bench.disk.powerCut(using: &random)
    var next = bench.next()
    #expect(next.allSequences() == [1])
  }

  @Test("What a failing disk can't cut off or remove counts as room that is taken, until it is removed")
  func whatStaysBehindIsCounted() {
    for isFirstSynced in [true, false] {
      var bench = Bench()
      bench.append(1)
      if isFirstSynced { bench.pass(1) }
      var syncs = 0
      bench.disk.fault = { call in
        if call.kind == .sync { syncs += 1 }
        return call.kind == .truncate || call.kind == .unlink || (call.kind == .sync && syncs == 1) ? EIO : nil
      }
      bench.append(2)
      bench.pass(1)
      #expect(bench.stored == [1, 2])
      let segments = bench.disk.fileNames.filter { $0.hasSuffix(".seg") }
      #expect(segments.count == 2)
      let bytes = segments.reduce(0) { $0 + (bench.disk.bytes(of: $1)?.count ?? 0) }
      #expect(bench.core.segments.reduce(0) { $0 + $1.sizeBytes } == bytes)
      bench.disk.fault = { _ in nil }
      bench.ask(.release(boot: bench.boot, 1...2))
      bench.append(3)
      bench.pass(3600)
      #expect(bench.core.segments.reduce(0) { $0 + $1.sizeBytes } <= bytes)
      #expect(bench.disk.fileNames.filter { $0.hasSuffix(".seg") }.count == 1)
    }
  }

  @Test("A disk that never syncs gives everything back, says so, and is used again when it works")
  func syncNeverWorks() {
    var bench = Bench()
    bench.disk.fault = { $0.kind == .sync ? EIO : nil }
    bench.append(1)
    bench.append(2, .routine)
    bench.pass(0.21)
    #expect(bench.notStored.sorted() == [1, 2])
    #expect(bench.stored == [])
    #expect(bench.state.trouble?.text == "Input/output error (sync)")
    bench.append(3)
    #expect(bench.notStored.sorted() == [1, 2, 3])
    bench.disk.fault = { _ in nil }
    bench.pass(30)
    #expect(bench.state.trouble == nil)
    for sequence in 1...3 { bench.append(UInt64(sequence)) }
    bench.pass(1)
    #expect(bench.stored == [1, 2, 3])
    #expect(bench.allSequences() == [1, 2, 3])
  }

  @Test("A full disk is left alone, and used again within 5 s of having room")
  func full() {
    var bench = Bench(SimulatedDisk(capacityBytes: 20_000))
    var sequence: UInt64 = 0
    while bench.notStored.isEmpty, sequence < 1000 {
      sequence += 1
      bench.append(sequence)
    }
    #expect(bench.state.trouble?.text.hasPrefix("No space left on device") == true)
    #expect(bench.stored.count + bench.notStored.count == Int(sequence))
    bench.pass(10)
    let written = bench.disk.writtenBytes
    bench.pass(3600)
    #expect(bench.disk.writtenBytes == written)
    bench.disk.capacityBytes = nil
    bench.pass(5)
    #expect(bench.state.trouble == nil)
    bench.append(sequence)
    bench.pass(1)
    #expect(bench.stored.contains(sequence))
  }

  @Test("On a full disk what was delivered makes room by itself")
  func fullAndReleased() {
    var bench = Bench(SimulatedDisk(capacityBytes: 20_000))
    var sequence: UInt64 = 0
    while bench.notStored.isEmpty, sequence < 1000 {
      sequence += 1
      bench.append(sequence)
    }
    #expect(bench.state.trouble != nil)
    bench.ask(.release(boot: bench.boot, 1...sequence - 1))
    bench.pass(5)
    #expect(bench.state.trouble == nil)
    bench.append(sequence)
    bench.pass(1)
    #expect(bench.stored.contains(sequence))
    #expect(bench.allSequences() == [sequence])
  }

  @Test("A read-only file system is read, and written to within 5 s of allowing it")
  func readOnly() {
    var first = Bench()
    for sequence in 1...30 { first.append(UInt64(sequence)) }
    first.ask(.stop)
    first.disk.isReadOnly = true
    var bench = first.next()
    #expect(bench.contents?.lanes.first?.events == 30)
    #expect(bench.state.trouble?.text.hasPrefix("Read-only file system") == true)
    #expect(bench.everything().map(\.sequence) == Array(1...30))
    bench.append(1)
    #expect(bench.notStored == [1])
    bench.ask(.release(boot: first.boot, 1...30))
    bench.pass(3600)
    bench.disk.isReadOnly = false
    bench.pass(5)
    #expect(bench.state.trouble == nil)
    bench.append(1)
    bench.pass(2)
    #expect(bench.stored == [1])
    #expect(bench.allSequences() == [1])
  }

  @Test("A disk that is gone while events are read has not lost them")
  func readsFail() {
    var bench = Bench()
    for sequence in 1...30 { bench.append(UInt64(sequence)) }
    bench.pass(1)
    bench.disk.fault = { _ in EIO }
    #expect(bench.everything().isEmpty)
    #expect(bench.state.trouble != nil)
    #expect(bench.evicted.isEmpty)
    bench.disk.fault = { _ in nil }
    bench.pass(31)
    #expect(bench.everything().count == 30)
  }

  @Test("A folder that can't be opened or read is tried again", arguments: [DiskCall.Kind.open, .list, .read])
  func opening(kind: DiskCall.Kind) {
    var first = Bench()
    first.append(1)
    first.ask(.stop)
    first.disk.fault = { $0.kind == kind ? EACCES : nil }
    var bench = first.next()
    #expect(bench.contents == nil)
    #expect(bench.state.trouble?.text.hasPrefix("Permission denied") == true)
    bench.append(1)
    #expect(bench.notStored == [1])
    bench.disk.fault = { _ in nil }
    bench.pass(5)
    #expect(bench.contents?.lanes.first?.events == 1)
    #expect(bench.allSequences() == [1])
  }

  /// Found by a simulated run: the note was told once more after the next start.
  @Test(
    "A note whose teller has arrived ends though the disk failed before the teller was on it",
    arguments: [true, false])
  func arrivedTeller(isBefore: Bool) throws {
    var bench = Bench(capBytes: 65_536)
    var sequence: UInt64 = 0
    while bench.evicted.isEmpty, sequence < 1000 {
      sequence += 1
      bench.append(sequence, .routine, bytes: 300)
      bench.pass(6)
    }
    let note = try #require(bench.evicted.first)
    // Settles what waits.
    bench.pass(6)
    sequence += 1
    bench.append(sequence, .shock, note: note.id)
    if isBefore { bench.ask(.release(boot: bench.boot, sequence...sequence)) }
    bench.disk.fault = { $0.kind == .sync || $0.kind == .syncDirectory ? EIO : nil }
    bench.pass(1)
    #expect(bench.notStored.contains(sequence) != isBefore, "what has arrived is not offered again")
    if !isBefore { bench.ask(.release(boot: bench.boot, sequence...sequence)) }
    bench.disk.fault = { _ in nil }
    bench.pass(60)
    bench.ask(.stop)
    bench.disk.restart()
    let next = Bench(bench.disk, boot: 0xB002)
    #expect(next.contents?.notes.contains { $0.id == note.id } == false)
  }
}
