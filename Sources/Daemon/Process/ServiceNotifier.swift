internal import CLinux
internal import Glibc

/// Tells the service manager how the program is: the protocol of sd_notify(3). Does nothing without a manager.
public struct ServiceNotifier: Sendable {
  private let address: String?
  /// How often `keepAlive` has to be sent [s]: half of what systemd allows. Nil when it does not watch.
  public let keepAliveInterval: Double?

  /// - Parameter environment: NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are looked at.
  ///   A watchdog that is meant for another process is none.
  public init(environment: [String: String]) {
    // Of what else the manager may offer, this speaks neither vsock nor relative paths.
    address = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isMeant = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
    let allowed = environment["WATCHDOG_USEC"].flatMap { UInt64($0) }.flatMap { $0 > 0 ? Double($0) * 1e-6 : nil }
    keepAliveInterval = address != nil && isMeant ? allowed.map { $0 / 2 } : nil
  }

  /// Whether there is a manager to tell.
  public var isActive: Bool { address != nil }

  /// The program is up. `status` is one line for `systemctl status`.
  @discardableResult
  public func ready(status: String) -> Bool { send(["READY=1", "STATUS=\(printableLine(status))"]) }

  /// One line for `systemctl status`.
  @discardableResult
  public func status(_ status: String) -> Bool { send(["STATUS=\(printableLine(status))"]) }

  /// The configuration is being read again; `ready` says that it is done.
  @discardableResult
  public func reloading() -> Bool {
    send(["RELOADING=1", "MONOTONIC_USEC=\(MonotonicClock.monotonicNanoseconds() / 1000)"])
  }

  /// The program is on its way out.
  @discardableResult
  public func stopping(status: String) -> Bool { send(["STOPPING=1", "STATUS=\(printableLine(status))"]) }

  /// The program is alive: to be sent each `keepAliveInterval`.
  @discardableResult
  public func keepAlive() -> Bool { send(["WATCHDOG=1"]) }

  /// Answers false when there is no manager, or it did not take the message. A full socket is not waited for: what
  /// was said is stale when it empties.
  private func send(_ fields: [String]) -> Bool {
    guard let address else { return false }
    let message = fields.joined(separator: "\n")
    return judder_send_datagram(address, message, message.utf8.count) == 0
  }
}
