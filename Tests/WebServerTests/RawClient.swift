import Foundation

/// A TCP connection to 127.0.0.1 that says exactly what it is told to.
final class RawClient {
  private let descriptor: Int32

  init(_ port: UInt16, receiveBufferBytes: Int32? = nil) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var size = receiveBufferBytes ?? 0
    if size > 0 { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit { close(descriptor) }

  /// False when the other side has gone.
  @discardableResult
  func say(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// All that comes until the other side closes; nil when it does not within `withinS`.
  func all(withinS: Double = 5) -> String? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let end = Date(timeIntervalSinceNow: withinS)
    while Date() < end {
      var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&item, 1, Int32(max(1, end.timeIntervalSinceNow * 1000))) > 0 else { return nil }
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
    return nil
  }

  /// One request, and the whole answer.
  static func ask(_ server: UInt16, _ line: String, _ headers: [String] = []) -> String {
    let client = RawClient(server)
    client.say((["\(line) HTTP/1.1", "Host: a"] + headers).joined(separator: "\r\n") + "\r\n\r\n")
    return client.all() ?? "nothing"
  }
}
