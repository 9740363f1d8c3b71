internal import Foundation

/// A client that publishes any bytes as a topic: MQTT 3.1.1 by hand, one message after the other.
public final class RawPublisher {
  private let port: Int
  private var connection: Int32?
  private var arrived: [UInt8] = []
  private var number: UInt16 = 0

  public init(port: Int) { self.port = port }

  deinit { disconnect() }

  /// Ends the connection.
  public func disconnect() {
    if let connection { close(connection) }
    connection = nil
    arrived = []
  }

  /// Publishes, and waits until the broker has it. False when the broker does not take it: it ends the connection, and
  /// the next message gets a new one.
  public func publish(_ topic: [UInt8], _ payload: [UInt8], isRetained: Bool = false) -> Bool {
    guard let connection = connected() else { return false }
    number = number == .max ? 1 : number + 1
    let packet = Self.string(topic) + [UInt8(number >> 8), UInt8(number & 0xFF)] + payload
    guard Loopback.write(connection, Self.packet(isRetained ? 0x33 : 0x32, packet)),
      answer(connection) == [0x40, 2, UInt8(number >> 8), UInt8(number & 0xFF)]
    else {
      disconnect()
      return false
    }
    return true
  }

  /// Publishes and does not wait; `takeAcknowledgements` counts what the broker has taken since. Not to be mixed with
  /// `publish`.
  ///
  /// - Parameter qos: 0 or 1.
  /// - Returns: false when the connection is gone.
  public func send(_ topic: [UInt8], _ payload: [UInt8], qos: Int, isRetained: Bool = false) -> Bool {
    guard let connection = connected() else { return false }
    var rest = Self.string(topic)
    if qos > 0 {
      number = number == .max ? 1 : number + 1
      rest += [UInt8(number >> 8), UInt8(number & 0xFF)]
    }
    return Loopback.write(connection, Self.packet(0x30 | (qos > 0 ? 2 : 0) | (isRetained ? 1 : 0), rest + payload))
  }

  /// How many messages the broker has acknowledged since the last call; waits so long for the first [ms].
  public func takeAcknowledgements(waitMS: Int32 = 0) -> Int {
    guard let connection, Loopback.isReadable(connection, milliseconds: waitMS),
      let more = Loopback.read(connection)
    else { return 0 }
    arrived += more
    let count = arrived.count / 4
    arrived.removeFirst(4 * count)
    return count
  }

  private func connected() -> Int32? {
    if let connection { return connection }
    guard let new = Loopback.connect(port: port) else { return nil }
    connection = new
    let hello = Self.string(Array("MQTT".utf8)) + [4, 2, 0, 0] + Self.string(Array("raw".utf8))
    guard Loopback.write(new, Self.packet(0x10, hello)), answer(new) == [0x20, 2, 0, 0] else {
      disconnect()
      return nil
    }
    return new
  }

  /// The next four bytes: a CONNACK or a PUBACK.
  private func answer(_ connection: Int32) -> [UInt8]? {
    while arrived.count < 4 {
      guard Loopback.isReadable(connection, milliseconds: 5000), let more = Loopback.read(connection) else {
        return nil
      }
      arrived += more
    }
    defer { arrived.removeFirst(4) }
    return Array(arrived.prefix(4))
  }

  private static func string(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  /// With the length as section 2.2.3 of the standard writes it.
  private static func packet(_ first: UInt8, _ rest: [UInt8]) -> [UInt8] {
    var length = rest.count
    var head = [first]
    repeat {
      head.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
      length >>= 7
    } while length > 0
    return head + rest
  }
}
