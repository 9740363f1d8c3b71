internal import Foundation

/// What stands in for a receiver: the other end of what gpsd opens.
protocol ReceiverSource {
  /// What gpsd is given.
  var name: String { get }
  /// Takes gpsd's connection, if there is one to take. True once there is somebody to write to.
  func accept() -> Bool
  func write(_ bytes: [UInt8]) throws
  /// gpsd is gone: the next one has to connect again.
  func forgetReader()
  /// Pulls it out.
  func close()
  /// The same receiver, plugged in again.
  func reopened() throws -> any ReceiverSource
}

/// A server that gpsd connects to: `tcp://127.0.0.1:port`.
final class TCPReceiver: ReceiverSource {
  let name: String
  private var listener: Int32
  private var reader: Int32 = -1

  init() throws {
    let (listener, port) = try LoopbackSocket.listen()
    self.listener = listener
    name = "tcp://127.0.0.1:\(port)"
  }

  deinit {
    close()
    if listener >= 0 { Glibc.close(listener) }
  }

  func accept() -> Bool {
    guard isReady(listener, POLLIN, milliseconds: 0) else { return reader >= 0 }
    close()
    reader = Glibc.accept(listener, nil, nil)
    return reader >= 0
  }

  func write(_ bytes: [UInt8]) throws {
    guard reader >= 0 else { return }
    if try !writeAll(bytes, to: reader, flags: Int32(MSG_NOSIGNAL)) { close() }
  }

  func forgetReader() { close() }

  func close() {
    if reader >= 0 { Glibc.close(reader) }
    reader = -1
  }

  func reopened() throws -> any ReceiverSource { self }
}

/// A pseudo-terminal whose other end gpsd opens as a serial port: `/dev/pts/n`, or a link to it.
final class PseudoTerminalReceiver: ReceiverSource {
  let name: String
  private let terminal: PseudoTerminal
  private let link: String?
  private var isPulledOut = false

  /// - Parameter link: the path of a link that stands for it; nil gives gpsd the terminal's own name.
  init(link: String? = nil) throws {
    terminal = try PseudoTerminal()
    self.link = link
    name = link ?? terminal.name
    var attributes = termios()
    tcgetattr(terminal.slave, &attributes)
    cfmakeraw(&attributes)
    attributes.c_cflag |= tcflag_t(CLOCAL | CREAD)
    tcsetattr(terminal.slave, TCSANOW, &attributes)
    // gpsd gives up its rights as root before it opens the device.
    chmod(terminal.name, 0o666)
    if let link, symlink(terminal.name, link) != 0 { throw RigError("\(link): \(String(cString: strerror(errno)))") }
  }

  func accept() -> Bool { !isPulledOut }

  func write(_ bytes: [UInt8]) throws {
    if isPulledOut { return }
    for start in stride(from: 0, to: bytes.count, by: 1024) {
      // gpsd probes receivers; what it says to ours would fill the terminal.
      _ = terminal.read()
      _ = try writeAll(Array(bytes[start..<min(start + 1024, bytes.count)]), to: terminal.master, flags: nil)
    }
  }

  func forgetReader() {}

  func close() {
    if isPulledOut { return }
    isPulledOut = true
    terminal.hangUp()
    if let link { unlink(link) }
  }

  func reopened() throws -> any ReceiverSource { try PseudoTerminalReceiver(link: link) }
}

private func isReady(_ descriptor: Int32, _ events: Int32, milliseconds: Int32) -> Bool {
  var poller = pollfd(fd: descriptor, events: Int16(events), revents: 0)
  return poll(&poller, 1, milliseconds) > 0
}

/// False when the other end is gone. `flags` are those of send(2); nil writes to what is no socket.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32, flags: Int32?) throws -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    guard isReady(descriptor, POLLOUT, milliseconds: 10_000) else { throw RigError("gpsd takes nothing for 10 s") }
    let count = rest.withUnsafeBytes { buffer in
      if let flags {
        send(descriptor, buffer.baseAddress, buffer.count, flags)
      } else {
        Glibc.write(descriptor, buffer.baseAddress, buffer.count)
      }
    }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
