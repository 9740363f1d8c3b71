internal import Foundation

/// Ctrl-C and SIGTERM, noticed rather than obeyed at once, so that everything that was started can be ended.
enum Interruption {
  /// `nonisolated(unsafe)`: only the signal handler writes it, and a stale 0 is looked at again a moment later.
  nonisolated(unsafe) private static var number: sig_atomic_t = 0

  static var isRequested: Bool { number != 0 }

  /// As a shell reports a program that a signal ended.
  static var exitStatus: Int32 { 128 + number }

  /// Handles the signals from now on. A handler, not SIG_IGN: that would be handed down to every program started.
  static func watch() {
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number) { Interruption.number = $0 } }
  }
}
