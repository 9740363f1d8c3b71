import Foundation
import Glibc
import Rig
import Store
import Telemetry
import Testing

@Suite("Crashes while it is written")
struct KillTests {
  /// Writes batches until it is killed.
  private final class Writer {
    static let size = 20
    let child: ChildProcess

    /// - Parameter fault: what strace does to one of its calls.
    init(_ shelf: Shelf, first: Int, name: String, fault: String? = nil) throws {
      let bundle =
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
      let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
      let folders = [URL(filePath: bundle).deletingLastPathComponent(), root.appending(path: ".build/debug")]
      let program = folders.map { $0.appending(path: "StoreBenchmark").path(percentEncoded: false) }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
      let command = [program ?? "StoreBenchmark", "write", shelf.file, "\(first)", "\(Writer.size)"]
      let trace = fault.map { ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "inject=\($0)"] } ?? []
      child = try ChildProcess(
        (trace + command)[0], Array((trace + command).dropFirst()), name: name, in: shelf.workplace.folder,
        environment: ["SWIFT_BACKTRACE": "enable=no"])
    }

    /// The last batch that it said is on the disk.
    var committed: Int? {
      child.outputText().split(separator: "\n").last {
        $0.hasPrefix("committed ") && $0.split(separator: " ").count == 5
      }
      .flatMap { Int($0.split(separator: " ")[1]) }
    }
  }

  /// Every event of every batch up to `last` is there, each once, and nothing is wrong with the database.
  private func check(_ shelf: Shelf, last: Int, _ round: Int) throws -> Int {
    let store = try shelf.open()
    #expect(store.opening.rescue == nil, "round \(round)")
    #expect(try store.defects().isEmpty, "round \(round)")
    let count = try store.count()
    #expect(count >= (last + 1) * Writer.size && count % Writer.size == 0, "round \(round)")
    let settled = try (0..<3).map {
      try store.acknowledgement(node: node("node-\($0)"), boot: BootID(1))?.sequence ?? 0
    }
    #expect(settled.reduce(0, +) == UInt64(count), "round \(round)")
    return count / Writer.size
  }

  @Test("Killed at any moment, what was committed is there, once")
  func kill() throws {
    let shelf = try Shelf()
    var random = SeededRandom(seed: 3)
    var last = -1
    var next = 0
    for round in 0..<repetitions("JUDDER_STORE_KILLS", 20) {
      // From a batch before the end on: all of it comes twice.
      let writer = try Writer(shelf, first: max(0, next - 3), name: "writer-\(round)")
      _ = waitUntil(seconds: 10) { writer.committed != nil }
      usleep(UInt32.random(in: 0..<30_000, using: &random))
      writer.child.stop(signal: SIGKILL)
      last = max(last, writer.committed ?? -1)
      next = try check(shelf, last: last, round)
    }
    #expect(last > 0)
  }

  /// Calls of SQLite and of this program that change files.
  private static let calls = ["pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "openat"]

  @Test("Killed at any call that changes a file, what was committed is there, once", .enabled(if: hasStrace))
  func killedInCall() throws {
    let rounds = repetitions("JUDDER_STORE_CALLS", 3)
    for call in Self.calls {
      let shelf = try Shelf()
      var (last, next) = (-1, 0)
      for round in 0..<rounds {
        let number = call == "pwrite64" ? 1 + round * 23 : 1 + round
        let writer = try Writer(
          shelf, first: max(0, next - 1), name: "writer-\(round)", fault: "\(call):signal=KILL:when=\(number)")
        // Where there are not so many such calls, it is killed by hand.
        if writer.child.wait(seconds: 0.4) == nil { writer.child.stop(signal: SIGKILL) }
        last = max(last, writer.committed ?? -1)
        next = try check(shelf, last: last, round)
      }
    }
  }

  @Test("After fsync fails nothing is acknowledged, and nothing of before is lost", .enabled(if: hasStrace))
  func failedSync() throws {
    for number in 2...repetitions("JUDDER_STORE_CALLS", 4) + 2 {
      let shelf = try Shelf()
      let writer = try Writer(
        shelf, first: 0, name: "writer", fault: "fdatasync,fsync:error=EIO:when=\(number * 3)+")
      #expect(writer.child.wait(seconds: 20) != nil)
      #expect(writer.child.outputText().contains("look at the kernel's log"), "\(writer.child.outputText())")
      _ = try check(shelf, last: writer.committed ?? -1, number)
    }
  }

  private static let hasStrace = ChildProcess.find("strace") != nil

  @Test("Copied while it is written, as a power cut leaves it, the copy has all that was committed before")
  func copied() throws {
    let shelf = try Shelf()
    let writer = try Writer(shelf, first: 0, name: "writer")
    _ = waitUntil(seconds: 10) { writer.committed != nil }
    for round in 0..<repetitions("JUDDER_STORE_COPIES", 10) {
      let last = try #require(writer.committed)
      let copy = try Shelf()
      // Stopped for the length of the copy: a file system image is of one moment too.
      writer.child.send(signal: SIGSTOP)
      for suffix in ["", "-wal"] { try copy.write(try shelf.bytes(suffix), suffix) }
      writer.child.send(signal: SIGCONT)
      _ = try check(copy, last: last, round)
      usleep(20_000)
    }
    writer.child.stop(signal: SIGKILL)
  }
}
