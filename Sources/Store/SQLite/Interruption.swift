internal import CSQLite
internal import Glibc
internal import Threading

/// Interrupts what SQLite does on a connection when its time is over: sqlite3_interrupt(3), from a thread of its own,
/// since a check of pages does not ask a progress handler (SQLite 3.40).
struct Interruption: ~Copyable {
  private let bell = WakeUp()
  private let hasFired = Lock(false)
  private let thread: WorkerThread?

  /// `@unchecked Sendable`: sqlite3_interrupt may be called from any thread while the connection is open, and it is
  /// open until `end` has joined the thread.
  private struct Target: @unchecked Sendable {
    let handle: OpaquePointer
  }

  init(_ connection: Connection, afterS: Double) {
    let target = Target(handle: connection.handle)
    let (bell, hasFired) = (bell, hasFired)
    thread = try? WorkerThread(name: "store-check", stackBytes: 128 * 1024) {
      var waiting = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Int32(min(max(0, afterS), 3600) * 1000)) == 0 else { return }
      hasFired.withLock { $0 = true }
      sqlite3_interrupt(target.handle)
    }
  }

  /// Whether the time was over first: what SQLite answered then is worth nothing.
  consuming func end() -> Bool {
    bell.signal()
    thread?.join()
    return hasFired.withLock { $0 }
  }
}
