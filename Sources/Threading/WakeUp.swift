internal import CLinux
internal import Glibc

/// A descriptor that becomes readable when another thread has something to say: eventfd(2).
public final class WakeUp: Sendable {
  /// Readable between `signal` and `clear`.
  public let descriptor: Int32

  /// Stops the program when the kernel has no descriptor left at start: nothing can work without it.
  public init() {
    descriptor = judder_eventfd()
    precondition(descriptor >= 0, "eventfd: no descriptor left (errno \(errno)); raise LimitNOFILE")
  }

  deinit { close(descriptor) }

  /// Makes the descriptor readable. Safe from any thread and from a signal handler.
  public func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  /// Makes it unreadable again.
  public func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
  }
}
