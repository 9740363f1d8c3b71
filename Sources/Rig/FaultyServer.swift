internal import Foundation

/// A TCP server on 127.0.0.1 that takes connections and misbehaves.
///
/// `@unchecked Sendable`: the descriptors are only touched under the lock.
public final class FaultyServer: @unchecked Sendable {
  /// What it does to a connection.
  public enum Fault: Sendable {
    /// Lets connections hang: its queue is full and nobody empties it.
    case deaf
    /// Takes the connection and says nothing, ever.
    case silent
    /// Closes as soon as the client has said something.
    case closes
    /// Resets as soon as the client has said something.
    case resets
    /// Answers the first bytes of each client with these, and keeps the connection.
    case answers([UInt8])
  }

  /// Where it listens on 127.0.0.1.
  public let port: Int
  private let lock = NSLock()
  private var connections: [Int32] = []
  private var isOver = false
  private var count = 0
  /// Left by the listening thread once nobody listens any more.
  private let closing = DispatchGroup()

  /// Listens at once; nil takes any free port.
  public init(_ fault: Fault, port: Int? = nil) throws {
    self.port = try port ?? Workplace.freePort()
    if case .deaf = fault {
      connections = try Loopback.deafListener(port: self.port)
      return
    }
    let listener = try Loopback.listen(port: self.port)
    closing.enter()
    Thread.detachNewThread { [weak self, closing] in
      while let connection = Loopback.accept(listener, isOver: { self?.isStopped ?? true }) {
        self?.serve(connection, fault)
      }
      close(listener)
      closing.leave()
    }
  }

  deinit { end() }

  /// CONNACK of MQTT 3.1.1 with a return code.
  public static func connack311(_ code: UInt8) -> Fault { .answers([0x20, 2, 0, code]) }

  /// CONNACK of MQTT 5 with a reason code and no properties.
  public static func connack5(_ code: UInt8) -> Fault { .answers([0x20, 3, 0, code, 0]) }

  /// Connections taken so far.
  public var connectionCount: Int { lock.withLock { count } }

  /// Closes everything, and returns once the port is free.
  public func stop() {
    end()
    _ = closing.wait(timeout: .now() + 5)
  }

  private func end() {
    let open = lock.withLock {
      isOver = true
      defer { connections = [] }
      return connections
    }
    for connection in open { close(connection) }
  }

  private var isStopped: Bool { lock.withLock { isOver } }

  private func serve(_ connection: Int32, _ fault: Fault) {
    lock.withLock { count += 1 }
    if case .silent = fault { return keep(connection) }
    // A client that says nothing for two seconds is kept, silently.
    guard Loopback.isReadable(connection, milliseconds: 2000) else { return keep(connection) }
    switch fault {
    case .silent, .deaf: keep(connection)
    case .closes:
      _ = Loopback.read(connection)
      close(connection)
    case .resets: Loopback.reset(connection)
    case .answers(let bytes):
      _ = Loopback.read(connection)
      _ = Loopback.write(connection, bytes)
      keep(connection)
    }
  }

  private func keep(_ connection: Int32) {
    let isLate = lock.withLock {
      if !isOver { connections.append(connection) }
      return isOver
    }
    if isLate { close(connection) }
  }
}
