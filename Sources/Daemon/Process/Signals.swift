internal import CLinux
internal import Glibc

/// A signal that the programs act on.
public enum ProcessSignal: Int32, CaseIterable, Sendable {
  /// SIGHUP: read the configuration again.
  case hangUp = 1
  /// SIGINT: end, asked from the keyboard.
  case interrupt = 2
  /// SIGTERM: end.
  case terminate = 15
  /// SIGCONT: go on after a stop.
  case goOn = 18
  /// SIGTSTP: stop, asked from the keyboard.
  case stop = 20
  /// SIGWINCH: the terminal has another size.
  case windowChange = 28
}

/// Signals as a descriptor to poll: signalfd(2).
///
/// They are blocked in the thread that makes the value and in every thread started afterwards, so it has to be made
/// before any thread. Blocked signals are inherited by child processes: whoever starts one has to unblock them there.
public final class Signals: Sendable {
  /// Readable while a signal waits.
  public let descriptor: Int32

  /// Blocks the signals, and ignores SIGPIPE, so that a reader who went away is an error of write(2).
  ///
  /// - Throws: when the kernel has no descriptor left.
  public init(_ signals: Set<ProcessSignal> = [.hangUp, .interrupt, .terminate]) throws(Termination) {
    let numbers = signals.map(\.rawValue)
    descriptor = judder_signal_descriptor(numbers, numbers.count)
    guard descriptor >= 0 else { throw Termination(.temporary, ["signalfd: \(systemErrorText(errno))"]) }
    judder_ignore_signal(SIGPIPE)
  }

  deinit { close(descriptor) }

  /// The next signal that waits; nil when none does.
  public func next() -> ProcessSignal? {
    let number = judder_next_signal(descriptor)
    return number > 0 ? ProcessSignal(rawValue: number) : nil
  }
}
