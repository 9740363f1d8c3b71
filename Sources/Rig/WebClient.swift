internal import Foundation

/// An HTTP client on a TCP connection to 127.0.0.1, which says exactly what it is told to.
public final class WebClient {
  private let descriptor: Int32

  /// - Parameter receiveBufferBytes: what the kernel takes for a client that does not read; nil: as ever.
  public init(port: Int, receiveBufferBytes: Int32? = nil) {
    descriptor = Loopback.connect(port: port) ?? -1
    if var size = receiveBufferBytes { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
  }

  deinit { close(descriptor) }

  /// False when the other side has gone.
  @discardableResult
  public func say(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// All that comes until the other side closes; nil when it does not within `withinS`.
  public func all(withinS: Double = 5) -> String? {
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

  /// One request, for example `GET /metrics`, and the whole answer; empty when there is none.
  public static func ask(port: Int, _ line: String, _ headers: [String] = []) -> String {
    let client = WebClient(port: port)
    client.say((["\(line) HTTP/1.1", "Host: a"] + headers).joined(separator: "\r\n") + "\r\n\r\n")
    return client.all() ?? ""
  }
}
