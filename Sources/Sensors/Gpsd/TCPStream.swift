internal import CLinux
internal import Daemon
internal import Glibc

/// A TCP connection that never blocks: each call does what can be done now. It is closed when the last reference goes.
final class TCPStream {
  /// What has become of an attempt to connect.
  enum Progress: Equatable {
    case connected
    /// Wait until the descriptor is writable.
    case underWay
    /// One line.
    case failed(String)
  }

  /// What a read found.
  enum Reading: Equatable {
    case bytes(Int)
    /// Nothing just now.
    case nothing
    case closed(String)
  }

  let descriptor: Int32
  /// What could not be sent yet.
  private var unsent: [UInt8] = []
  /// More than a few requests never wait: a peer that reads nothing is given up.
  private static let mostUnsentBytes = 4096

  /// socket(2), non-blocking, closed on exec; nil with a line in `failure` when there is none.
  init?(family: Int32, failure: inout String) {
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      failure = systemErrorText(errno)
      return nil
    }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, socklen_t(MemoryLayout<Int32>.size))
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit {
    Glibc.close(descriptor)
  }

  var hasUnsent: Bool { !unsent.isEmpty }

  func connect(to address: SocketAddress) -> Progress {
    if address.connect(descriptor) == 0 { return .connected }
    return errno == EINPROGRESS || errno == EINTR ? .underWay : .failed(systemErrorText(errno))
  }

  /// What became of it, once the descriptor is writable: SO_ERROR of socket(7).
  func progress() -> Progress {
    var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&poller, 1, 0) > 0 else { return .underWay }
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
      return .failed(systemErrorText(errno))
    }
    return code == 0 ? .connected : .failed(systemErrorText(code))
  }

  /// Sends what can be sent now and keeps the rest. Answers what went wrong, or nil.
  func send(_ bytes: [UInt8]) -> String? {
    unsent += bytes
    guard unsent.count <= TCPStream.mostUnsentBytes else { return "gpsd does not read what it is sent" }
    return flush()
  }

  func flush() -> String? {
    while !unsent.isEmpty {
      let sent = unsent.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent >= 0 {
        unsent.removeFirst(sent)
      } else if errno == EAGAIN || errno == EWOULDBLOCK {
        return nil
      } else if errno != EINTR {
        return systemErrorText(errno)
      }
    }
    return nil
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .closed("gpsd closed the connection") }
      if errno == EAGAIN || errno == EWOULDBLOCK { return .nothing }
      if errno != EINTR { return .closed(systemErrorText(errno)) }
    }
  }
}
