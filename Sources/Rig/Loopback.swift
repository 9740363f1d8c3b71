internal import Foundation

/// TCP sockets on 127.0.0.1, as thin as can be.
enum Loopback {
  /// A listening socket on a port.
  static func listen(port: Int, backlog: Int32 = 64) throws -> Int32 {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    let bound = withAddress(port) { bind(listener, $0, $1) }
    guard listener >= 0, bound == 0, Glibc.listen(listener, backlog) == 0 else {
      close(listener)
      throw RigError("cannot listen on 127.0.0.1:\(port): \(String(cString: strerror(errno)))")
    }
    return listener
  }

  /// A listening socket whose queue is full, and the connections that fill it: the kernel lets the next one hang.
  static func deafListener(port: Int) throws -> [Int32] {
    let listener = try listen(port: port, backlog: 0)
    let fillers = (0..<6).map { _ -> Int32 in
      let filler = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      _ = withAddress(port) { Glibc.connect(filler, $0, $1) }
      return filler
    }
    return [listener] + fillers
  }

  /// A connected socket; nil when nobody listens.
  static func connect(port: Int) -> Int32? {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard connection >= 0 else { return nil }
    guard withAddress(port, { Glibc.connect(connection, $0, $1) }) == 0 else {
      close(connection)
      return nil
    }
    var yes: Int32 = 1
    setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
    return connection
  }

  /// Waits for the next connection, a little at a time, until `isOver`.
  static func accept(_ listener: Int32, isOver: () -> Bool) -> Int32? {
    while !isOver() {
      guard isReadable(listener, milliseconds: 50) else { continue }
      let connection = Glibc.accept(listener, nil, nil)
      if connection >= 0 { return connection }
    }
    return nil
  }

  static func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  /// Reads what has come; nil at the end of the stream.
  static func read(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }

  /// Writes everything; false when the other side is gone.
  static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Closes with a reset rather than an orderly end.
  static func reset(_ descriptor: Int32) {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }

  private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
