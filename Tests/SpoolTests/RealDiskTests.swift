import Foundation
import Glibc
import Rig
import Testing

@testable import Spool

/// Real file systems that are cut off, full, read-only or broken under a spool that runs.
@Suite("Real disks", .serialized)
struct RealDiskTests {
  @Test(
    "Nothing stored is missing from a copy of the medium, taken at any moment (loop device)",
    .enabled(if: Mount.mayLoop, "needs root, loop devices and mkfs.ext4"))
  func powerCuts() throws {
    let workplace = try Workplace("spool-loop")
    let image = workplace.path("image")
    try Mount.makeImage(image, megabytes: 8, in: workplace)
    let mount = try Mount(image: image, in: workplace)
    let cuts = count("JUDDER_SPOOL_CUTS", 5)
    var random = SeededRandom(seed: 7)
    var ledger = DrillLedger()
    var told = DrillLedger()
    let drill = try DrillRun(
      "\(mount.point)/spool", boot: 1, events: 100_000_000, capBytes: 262_144, paceUS: 500, in: workplace)
    var heard = 0
    for cut in 1...cuts {
      usleep(UInt32.random(in: 20_000...400_000, using: &random))
      // What was told before the copy began must be in it. Stopped, so that no two states of the medium are mixed.
      drill.child.send(signal: SIGSTOP)
      let output = try Data(contentsOf: drill.child.output)
      let end = (output.lastIndex(of: 10) ?? -1) + 1
      told.read(output[heard..<end].split(separator: 10).map { String(decoding: $0, as: UTF8.self) }, boot: 1)
      heard = end
      try Mount.run("cp", ["--reflink=auto", "--sparse=always", image, "\(image)-\(cut)"], in: workplace.folder)
      drill.child.send(signal: SIGCONT)
      ledger = told
      let copy = try Mount(image: "\(image)-\(cut)", in: workplace)
      _ = ledger.check("\(copy.point)/spool", boot: 2, capBytes: 262_144)
      #expect(ledger.complaints.isEmpty, "cut \(cut): \(ledger.complaints.prefix(5))")
      try FileManager.default.removeItem(atPath: "\(image)-\(cut)")
      guard ledger.complaints.isEmpty, drill.child.isRunning else { break }
    }
    #expect(drill.child.isRunning)
    drill.child.stop(signal: SIGKILL)
    print(
      "power cuts: \(cuts), \(told.stored[1]?.count ?? 0) events stored in the end, \(ledger.complaints.count) lost")
  }

  @Test(
    "A full file system: told, the process lives, and the spool goes on within 5 s of having room (tmpfs)",
    .enabled(if: Mount.mayMount, "needs root"))
  func full() throws {
    let workplace = try Workplace("spool-full")
    let mount = try Mount(tmpfsBytes: 1 << 20, in: workplace)
    let drill = try DrillRun(
      "\(mount.point)/spool", boot: 1, events: 100_000_000, capBytes: 262_144, paceUS: 2000, in: workplace)
    #expect(waitUntil(seconds: 10) { drill.lines.contains { $0.hasPrefix("stored") } })
    // Another program takes all that is left.
    let hog = "\(mount.point)/hog"
    _ = FileManager.default.createFile(atPath: hog, contents: nil)
    let handle = try #require(FileHandle(forWritingAtPath: hog))
    while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
    try handle.close()
    try trouble(drill, "No space left on device") { try FileManager.default.removeItem(atPath: hog) }
    try finish(drill, "\(mount.point)/spool", 262_144)
  }

  @Test(
    "A file system that becomes read-only: told, the process lives, and the spool goes on within 5 s of the return",
    .enabled(if: Mount.mayMount, "needs root"))
  func readOnly() throws {
    let workplace = try Workplace("spool-ro")
    let mount = try Mount(tmpfsBytes: 4 << 20, in: workplace)
    let drill = try DrillRun(
      "\(mount.point)/spool", boot: 1, events: 100_000_000, capBytes: 262_144, paceUS: 2000, in: workplace)
    #expect(waitUntil(seconds: 10) { drill.lines.contains { $0.hasPrefix("stored") } })
    // A file that is open for writing holds a remount off; the kernel itself does not ask.
    drill.child.send(signal: SIGSTOP)
    let isRemounted = (try? mount.remount("ro", in: workplace)) != nil
    drill.child.send(signal: SIGCONT)
    guard isRemounted else {
      drill.child.stop(signal: SIGKILL)
      return try remountWhileClosed(mount, workplace)
    }
    try trouble(drill, "Read-only file system") { try mount.remount("rw", in: workplace) }
    try finish(drill, "\(mount.point)/spool", 262_144)
  }

  /// Read-only from the start.
  private func remountWhileClosed(_ mount: Mount, _ workplace: Workplace) throws {
    try mount.remount("ro", in: workplace)
    let drill = try DrillRun(
      "\(mount.point)/spool", boot: 2, events: 100_000_000, capBytes: 262_144, paceUS: 2000, in: workplace)
    try trouble(drill, "Read-only file system") { try mount.remount("rw", in: workplace) }
    try finish(drill, "\(mount.point)/spool", 262_144)
  }

  @Test(
    "A sync that fails, once or for a while, loses nothing and is told when it matters (strace)",
    .enabled(if: ChildProcess.find("strace") != nil, "needs strace"), arguments: ["2", "3", "5..9", "4..12+3"])
  func syncFails(when: String) throws {
    let workplace = try Workplace("spool-eio")
    let folder = workplace.path("spool")
    let drill = try DrillRun(
      folder, boot: 1, events: 400, strace: ["-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=\(when)"],
      in: workplace)
    #expect(drill.child.wait(seconds: 60) == 0)
    var ledger = DrillLedger()
    ledger.read(drill.lines, boot: 1)
    _ = ledger.check(folder, boot: 2)
    #expect(ledger.complaints.isEmpty, "\(ledger.complaints.prefix(5))")
    let notStored = drill.lines.contains { $0.hasPrefix("notstored") }
    #expect(!notStored || drill.lines.contains { $0.hasPrefix("trouble Input/output error") })
    #expect(drill.lines.last == "stopped")
  }

  /// Waits for the trouble, ends it, and sees the spool go on.
  private func trouble(_ drill: DrillRun, _ text: String, _ end: () throws -> Void) throws {
    #expect(
      waitUntil(seconds: 15) { drill.lines.contains { $0.hasPrefix("trouble \(text)") } }, "\(drill.lines.suffix(3))")
    usleep(1_500_000)
    #expect(drill.child.isRunning)
    let before = drill.lines.count
    try end()
    let start = DispatchTime.now().uptimeNanoseconds
    #expect(waitUntil(seconds: 5) { drill.lines.dropFirst(before).contains("works") }, "\(drill.lines.suffix(3))")
    #expect(waitUntil(seconds: 3) { drill.lines.dropFirst(before).contains { $0.hasPrefix("stored") } })
    print("\(text): works again after \((DispatchTime.now().uptimeNanoseconds - start) / 1_000_000) ms")
  }

  private func finish(_ drill: DrillRun, _ folder: String, _ capBytes: Int) throws {
    drill.child.stop(signal: SIGKILL)
    var ledger = DrillLedger()
    ledger.read(drill.lines, boot: 1)
    _ = ledger.check(folder, boot: 99, capBytes: capBytes)
    #expect(ledger.complaints.isEmpty, "\(ledger.complaints.prefix(5))")
  }
}
