internal import Foundation

/// A TCP proxy on 127.0.0.1 that can make a good connection bad.
///
/// `@unchecked Sendable`: everything that changes is only touched under the lock.
public final class Proxy: @unchecked Sendable {
  /// What becomes of the bytes between the two sides.
  public enum Behaviour: Sendable, Equatable {
    /// Hands everything on.
    case passing
    /// Hands everything on, late.
    case delaying(seconds: Double)
    /// Keeps connections open and hands nothing on; what comes is lost.
    case swallowing
    /// Closes new connections at once.
    case refusing
    /// A broker of old: answers a greeting in MQTT 5 with these bytes and closes; anything else is handed on.
    case only311(answer: [UInt8])
  }

  /// Where it listens on 127.0.0.1.
  public let port: Int
  private let target: Int
  private let lock = NSLock()
  private var current = Behaviour.passing
  private var connections: Set<Int32> = []
  private var isOver = false

  /// - Parameter target: the port of 127.0.0.1 to hand on to.
  public init(to target: Int, _ behaviour: Behaviour = .passing) throws {
    port = try Workplace.freePort()
    self.target = target
    current = behaviour
    let listener = try Loopback.listen(port: port)
    Thread.detachNewThread { [weak self] in
      while let client = Loopback.accept(listener, isOver: { self?.isStopped ?? true }) {
        guard let self else {
          close(client)
          break
        }
        Thread.detachNewThread { self.serve(client) }
      }
      close(listener)
    }
  }

  deinit { stop() }

  public var behaviour: Behaviour {
    get { lock.withLock { current } }
    set { lock.withLock { current = newValue } }
  }

  /// Cuts every connection, with a reset. New ones are taken.
  public func cut() {
    for connection in lock.withLock({ connections }) { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  /// Stops listening and cuts everything.
  public func stop() {
    lock.withLock { isOver = true }
    cut()
  }

  private var isStopped: Bool { lock.withLock { isOver } }

  private func serve(_ client: Int32) {
    defer { close(client) }
    guard behaviour != .refusing, let first = greeting(client), !refuses(first, client) else { return }
    guard let broker = Loopback.connect(port: target) else { return }
    lock.withLock { connections.formUnion([client, broker]) }
    if handOn(first, to: broker) { pump(client, broker) }
    lock.withLock { connections.subtract([client, broker]) }
    close(broker)
  }

  /// The first bytes of a client; nil when it goes without a word.
  private func greeting(_ client: Int32) -> [UInt8]? {
    while !isStopped {
      if Loopback.isReadable(client, milliseconds: 50) { return Loopback.read(client) }
    }
    return nil
  }

  private func refuses(_ greeting: [UInt8], _ client: Int32) -> Bool {
    guard case .only311(let answer) = behaviour, Proxy.version(greeting) == 5 else { return false }
    _ = Loopback.write(client, answer)
    return true
  }

  /// The protocol level in a CONNECT: the byte after the name `MQTT`.
  private static func version(_ connect: [UInt8]) -> UInt8? {
    let name = Array("MQTT".utf8)
    let start = connect.indices.first { connect[$0...].starts(with: name) }
    return start.flatMap { $0 + 4 < connect.count ? connect[$0 + 4] : nil }
  }

  private func pump(_ client: Int32, _ broker: Int32) {
    while !isStopped {
      var entries = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: broker, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&entries, 2, 50) > 0 else { continue }
      for (from, to) in [(0, broker), (1, client)] where entries[from].revents != 0 {
        guard let bytes = Loopback.read(entries[from].fd), handOn(bytes, to: to) else { return }
      }
    }
  }

  private func handOn(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    switch behaviour {
    case .swallowing: return true
    case .delaying(let seconds): usleep(UInt32(seconds * 1_000_000))
    case .passing, .refusing, .only311: break
    }
    return Loopback.write(descriptor, bytes)
  }
}
