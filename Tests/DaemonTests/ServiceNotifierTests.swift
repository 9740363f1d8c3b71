import Daemon
import Foundation
import Rig
import Testing

/// What stands in for the service manager: a bound datagram socket.
private final class NotifySocket {
  private let descriptor: Int32

  init(_ address: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(address.utf8)
    withUnsafeMutableBytes(of: &target.sun_path) { path in
      path.copyBytes(from: bytes)
      if bytes[0] == UInt8(ascii: "@") { path[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count + (bytes[0] == UInt8(ascii: "@") ? 0 : 1))
    let bound = withUnsafePointer(to: &target) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(bound == 0)
  }

  deinit { close(descriptor) }

  /// The next message; nil when none waits.
  func next() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}

@Suite struct ServiceNotifierTests {
  @Test func messagesReachTheManager() throws {
    let place = try Workplace()
    let manager = try NotifySocket(place.path("notify"))
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": place.path("notify")])
    #expect(notifier.isActive)
    #expect(notifier.ready(status: "connected\nREADY=0"))
    #expect(manager.next() == "READY=1\nSTATUS=connected\\nREADY=0")
    #expect(notifier.status("no broker"))
    #expect(manager.next() == "STATUS=no broker")
    #expect(notifier.reloading())
    let usec = try #require(manager.next()?.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=(\d+)/)?.1)
    #expect(abs((Int64(usec) ?? 0) - MonotonicClock.monotonicNanoseconds() / 1000) < 5_000_000)
    #expect(notifier.keepAlive())
    #expect(manager.next() == "WATCHDOG=1")
    #expect(notifier.stopping(status: "draining"))
    #expect(manager.next() == "STOPPING=1\nSTATUS=draining")
    #expect(manager.next() == nil)
  }

  @Test func abstractSocketIsReached() throws {
    let address = "@judder-test-\(UUID().uuidString)"
    let manager = try NotifySocket(address)
    #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": address]).keepAlive())
    #expect(manager.next() == "WATCHDOG=1")
  }

  @Test(arguments: [nil, "", "relative", "vsock:2:1234"])
  func withoutAManagerNothingHappens(address: String?) {
    let notifier = ServiceNotifier(
      environment: ["NOTIFY_SOCKET": address, "WATCHDOG_USEC": "100"].compactMapValues { $0 })
    #expect(!notifier.isActive)
    #expect(notifier.keepAliveInterval == nil)
    #expect(!notifier.ready(status: ""))
  }

  @Test func managerThatWentAwayIsNoTrouble() throws {
    let place = try Workplace()
    #expect(!ServiceNotifier(environment: ["NOTIFY_SOCKET": place.path("absent")]).keepAlive())
    let long = "/" + String(repeating: "x", count: 200)
    #expect(!ServiceNotifier(environment: ["NOTIFY_SOCKET": long]).keepAlive())
  }

  @Test func managerWhoDoesNotReadIsNotWaitedFor() throws {
    let place = try Workplace()
    let manager = try NotifySocket(place.path("notify"))
    let notifier = ServiceNotifier(environment: ["NOTIFY_SOCKET": place.path("notify")])
    var refused = 0
    for _ in 0..<2000 where !notifier.keepAlive() { refused += 1 }
    #expect(refused > 0)
    #expect(manager.next() == "WATCHDOG=1")
  }

  @Test func watchdogIsFedTwiceInItsTime() {
    func interval(_ more: [String: String]) -> Double? {
      ServiceNotifier(environment: ["NOTIFY_SOCKET": "/x"].merging(more) { _, new in new }).keepAliveInterval
    }
    #expect(interval(["WATCHDOG_USEC": "30000000"]) == 15)
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "\(getpid())"]) == 15)
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]) == nil)
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"]) == nil)
    #expect(interval(["WATCHDOG_USEC": "0"]) == nil)
    #expect(interval(["WATCHDOG_USEC": "soon"]) == nil)
    #expect(interval([:]) == nil)
  }
}
