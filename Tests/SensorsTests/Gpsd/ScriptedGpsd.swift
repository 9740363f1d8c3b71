import Foundation
import Rig

/// A gpsd that says what a test wants. One thread, one client at a time.
///
/// `@unchecked Sendable`: everything that changes is behind `lock`.
final class ScriptedGpsd: @unchecked Sendable {
  static let banner = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
  static let echo =
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}"# + "\r\n"
    + #"{"class":"WATCH","enable":true,"json":true}"# + "\r\n"
  static let fix = #"{"class":"TPV","device":"/dev/a","mode":3,"lat":47.0,"lon":8.0,"eph":5}"# + "\r\n"

  let port: Int
  private let listener: Int32
  private let lock = NSLock()
  private var heard = ""
  private var accepted = 0
  private var isStopped = false

  /// - Parameters:
  ///   - port: of ::1; nil listens on any port of 127.0.0.1.
  ///   - answer: what to say to a new client (nil), and to each request; nil closes the connection.
  init(portOfIPv6 port: Int? = nil, _ answer: @escaping @Sendable (_ request: String?) -> String?) throws {
    self.port = try port ?? Workplace.freePort()
    listener = socket(port == nil ? AF_INET : AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    let number = in_port_t(self.port).bigEndian
    let bound: Int32
    if port == nil {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = number
      address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
      bound = ScriptedGpsd.bind(listener, &address)
    } else {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = number
      address.sin6_addr = in6addr_loopback
      bound = ScriptedGpsd.bind(listener, &address)
    }
    guard bound == 0, listen(listener, 8) == 0 else {
      throw RigError("no listener: \(String(cString: strerror(errno)))")
    }
    Thread { [self] in serve(answer) }.start()
  }

  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    withUnsafeMutableBytes(of: &address) {
      Glibc.bind(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
  }

  var requests: String { lock.withLock { heard } }
  var connections: Int { lock.withLock { accepted } }

  func stop() {
    lock.withLock { isStopped = true }
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func serve(_ answer: (String?) -> String?) {
    defer { close(listener) }
    while !lock.withLock({ isStopped }) {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      lock.withLock { accepted += 1 }
      talk(to: client, answer)
      close(client)
    }
  }

  private func talk(to client: Int32, _ answer: (String?) -> String?) {
    guard let greeting = answer(nil), say(greeting, to: client) else { return }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(client, &buffer, buffer.count)
      guard count > 0 else { return }
      for request in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n") {
        lock.withLock { heard += request + "\n" }
        guard let text = answer(String(request)), say(text, to: client) else { return }
      }
    }
  }

  private func say(_ text: String, to client: Int32) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
