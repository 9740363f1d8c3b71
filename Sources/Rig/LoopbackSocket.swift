internal import Foundation

/// Sockets of 127.0.0.1, as far as rigs need them.
enum LoopbackSocket {
  /// A listener on a port that the kernel chooses.
  static func listen() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 4) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw RigError("no listener on 127.0.0.1: \(String(cString: strerror(errno)))") }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// A connection; the caller closes it.
  static func connect(_ port: Int) throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(port: port)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw RigError("127.0.0.1:\(port): \(reason)")
    }
    return descriptor
  }

  private static func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port)).bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    return address
  }
}

/// gpsd's control socket: one line there, one line back.
enum UnixSocket {
  /// A listener that nobody empties unless it is handed to somebody.
  static func listen(at path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard try withAddress(path, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 4) == 0 else {
      throw RigError("\(path): \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  static func request(_ text: String, at path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 3, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard try withAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
      throw RigError("\(path): \(String(cString: strerror(errno)))")
    }
    _ = text.utf8CString.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count - 1, Int32(MSG_NOSIGNAL)) }
    var answer = [UInt8](repeating: 0, count: 64)
    _ = recv(descriptor, &answer, answer.count, 0)
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws -> Int32
  {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw RigError("\(path): too long") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
