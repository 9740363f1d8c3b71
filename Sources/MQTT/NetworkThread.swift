internal import CLinux
internal import Glibc

/// A thread that no signal disturbs, for what blocks.
struct NetworkThread: Sendable {
  private let thread: pthread_t

  /// Starts the thread; nil when the kernel has none left.
  ///
  /// Every signal is blocked before it exists, so that those of the program reach the thread that waits for them.
  init?(_ body: @escaping @Sendable () -> Void) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { work in
        guard let work else { return nil }
        judder_name_thread("mqtt")
        judder_interruptible_thread()
        Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      work.release()
      return nil
    }
    self.thread = thread
  }

  /// Ends what blocks in it at the moment. Not after `join` or `detach`.
  func interrupt() { judder_interrupt(thread) }

  /// Waits for its end.
  func join() { pthread_join(thread, nil) }

  /// Leaves it to itself.
  func detach() { pthread_detach(thread) }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
