import Foundation
import Glibc
import Rig
import Store
import Telemetry
import Testing

@Suite("The store's thread")
struct StoreThreadTests {
  /// Takes reports until one of them is the last that is waited for.
  private func reports(_ thread: StoreThread, seconds: Double = 10, until isLast: (StoreReport) -> Bool)
    -> [StoreReport]
  {
    var all: [StoreReport] = []
    _ = waitUntil(seconds: seconds) {
      all += thread.drain()
      return all.contains(where: isLast)
    }
    return all
  }

  private func isCommit(_ id: UInt64) -> (StoreReport) -> Bool {
    { if case .committed(let report) = $0 { report.id == id } else { false } }
  }

  private func isReady(_ report: StoreReport) -> Bool { report == .ready }

  private func failure(_ reports: [StoreReport]) -> [StoreProblem] {
    reports.compactMap { if case .state(.failed(let problem, _)) = $0 { problem } else { nil } }
  }

  @Test("It opens, says what was kept, writes in order, and ends with everything on the disk")
  func order() throws {
    let shelf = try Shelf()
    let thread = try StoreThread(StoreSettings(file: shelf.file))
    #expect(thread.offer(batch(id: 1, [event(1)])) == .taken)
    #expect(thread.offer(batch(id: 2, [event(2)])) == .taken)
    let first = reports(thread, until: isCommit(2))
    guard case .opened(let opening) = first.first else { throw RigError("\(first)") }
    #expect(opening.check == .new)
    let ready = try #require(first.firstIndex(of: .ready))
    let commits = first.indices.filter { isCommit(1)(first[$0]) || isCommit(2)(first[$0]) }
    #expect(commits.count == 2 && commits.allSatisfy { $0 > ready })
    #expect(first.contains(.state(.working)))
    #expect(thread.offer(batch(id: 3, [event(3)])) == .taken)
    let (rest, isClean) = thread.stop(withinS: 10)
    #expect(isClean && rest.contains(where: isCommit(3)))
    #expect(thread.offer(batch(id: 4, [])) == .ended)
    let store = try shelf.open()
    #expect(try store.count() == 3)
    #expect(store.opening.check == .quick)
  }

  @Test("A thread that falls behind takes no more than it has room for, and drops nothing")
  func backPressure() throws {
    let shelf = try Shelf()
    let thread = try StoreThread(StoreSettings(file: shelf.file), capacity: 2, reports: 4)
    var next: UInt64 = 1
    var refused = 0
    var committed: [UInt64] = []
    while committed.last != 200 {
      if next <= 200, thread.offer(batch(id: next, [event(next)])) == .taken { next += 1 } else { refused += 1 }
      #expect(thread.waiting <= 2)
      for case .committed(let report) in thread.drain() { committed.append(report.id) }
    }
    #expect(committed == Array(1...200) && refused > 0)
    let tooMany = (1...StoreBatch.maximumEvents + 1).map { event(UInt64($0)) }
    #expect(thread.offer(batch(tooMany)) == .tooLarge)
    #expect(thread.stop(withinS: 10).isClean)
  }

  @Test("What cannot be written is said once, tried again, and written when it can be")
  func recovers() throws {
    let shelf = try Shelf()
    let folder = shelf.workplace.path("later")
    let thread = try StoreThread(StoreSettings(file: folder + "/fleet.db"))
    _ = thread.offer(batch(id: 1, [event(1)]))
    var all = reports(thread) { if case .state(.failed) = $0 { true } else { false } }
    #expect(failure(all).map(\.kind) == [.gone])
    usleep(600_000)
    #expect(failure(thread.drain()).isEmpty)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    all = reports(thread, until: isCommit(1))
    #expect(all.contains(where: isCommit(1)))
    // The file is taken away under its feet: no word of success, and a new one when the folder is back.
    try FileManager.default.removeItem(atPath: folder)
    _ = thread.offer(batch(id: 2, [event(2)]))
    all = reports(thread) { if case .state(.failed) = $0 { true } else { false } }
    #expect(failure(all).first?.kind == .gone && !all.contains(where: isCommit(2)))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    all = reports(thread, until: isCommit(2))
    #expect(all.contains(where: isCommit(2)))
    #expect(thread.stop(withinS: 10).isClean)
  }

  @Test("What cannot be written is abandoned only when the owner says so")
  func abandons() throws {
    let shelf = try Shelf()
    let thread = try StoreThread(StoreSettings(file: shelf.workplace.path("missing/fleet.db")))
    _ = thread.offer(batch(id: 1, [event(1)]))
    _ = reports(thread) { if case .state(.failed) = $0 { true } else { false } }
    thread.abandon()
    #expect(reports(thread) { $0 == .abandoned(id: 1) }.contains(.abandoned(id: 1)))
    _ = thread.offer(batch(id: 2, [event(2)]))
    let (rest, isClean) = thread.stop(withinS: 0.5)
    #expect(!isClean && rest.contains(.abandoned(id: 2)))
  }

  @Test("A database that another process has is refused for good")
  func refused() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let thread = try StoreThread(StoreSettings(file: shelf.file))
    let all = reports(thread) { if case .refused = $0 { true } else { false } }
    guard case .refused(let problem) = all.last else { throw RigError("\(all)") }
    #expect(problem.kind == .inUse)
    _ = waitUntil(seconds: 5) { thread.offer(batch([])) == .ended }
    #expect(thread.offer(batch([])) == .ended)
    #expect(!thread.stop(withinS: 5).isClean)
    #expect(try store.count() == 0)
  }

  @Test("A database damaged while it is open is set aside, and the batch is written into the new one")
  func damagedWhileOpen() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    // More than a connection keeps in memory.
    for part in 0..<8 {
      _ = try store?.commit(batch((1...1000).map { event(UInt64(part * 1000 + $0), padding: 1500) }))
    }
    store?.close()
    store = nil
    let thread = try StoreThread(StoreSettings(file: shelf.file))
    _ = reports(thread, until: isReady)
    var bytes = try shelf.bytes()
    for index in 4096..<bytes.count { bytes[index] = 0xA5 }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: shelf.file))
    try file.write(contentsOf: Data(bytes))
    try file.close()
    var all: [StoreReport] = []
    for id: UInt64 in 1...200 where shelf.corruptFiles.isEmpty {
      // An event that is there is compared, for which its page is read.
      _ = thread.offer(batch(id: id, [event(8000 + id), event(id * 37, padding: 1500)]))
      all += reports(thread, until: isCommit(id))
      #expect(all.contains(where: isCommit(id)))
    }
    #expect(failure(all).map(\.kind) == [.corrupt])
    #expect(shelf.corruptFiles.count == 1)
    #expect(thread.stop(withinS: 10).isClean)
  }
}
