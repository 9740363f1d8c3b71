internal import CLinux
internal import Glibc

/// A thread that no signal disturbs, for what blocks: pthread_create(3).
public struct WorkerThread: Sendable {
  private let thread: pthread_t

  /// Why there is no thread.
  public struct StartFailure: Error, Equatable, Sendable {
    /// errno, mostly EAGAIN: the limit of threads is reached.
    public let code: Int32
  }

  /// Starts the thread.
  ///
  /// Every signal is blocked before it exists, so that those of the program reach the thread that waits for them.
  ///
  /// - Parameters:
  ///   - name: as `ps -L` shows it, 15 bytes at most.
  ///   - stackBytes: the size of its stack; nil: the system's default. Only what is touched takes memory.
  /// - Throws: when the kernel has no thread left.
  public init(
    name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void
  ) throws(StartFailure) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
    let work = Unmanaged.passRetained(Work(name, body))
    var thread = pthread_t()
    let code = pthread_create(&thread, &attributes, { runWork($0) }, work.toOpaque())
    guard code == 0 else {
      work.release()
      throw StartFailure(code: code)
    }
    self.thread = thread
  }

  /// Ends what blocks in it at the moment with EINTR. Not after `join` or `detach`.
  public func interrupt() { judder_interrupt(thread) }

  /// Waits for its end.
  public func join() { pthread_join(thread, nil) }

  /// Leaves it to itself.
  public func detach() { pthread_detach(thread) }

  fileprivate final class Work: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}

private func runWork(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let work = Unmanaged<WorkerThread.Work>.fromOpaque(argument).takeRetainedValue()
  judder_name_thread(work.name)
  judder_interruptible_thread()
  work.body()
  return nil
}
