internal import Glibc

/// A socket that listens, made here rather than by libmicrohttpd, which does not say why it could not.
enum ListeningSocket {
  /// socket(2), bind(2), listen(2). The caller closes it.
  static func open(_ settings: WebServerSettings) throws(WebServerFailure) -> (descriptor: Int32, port: UInt16) {
    let isSix = settings.address.contains(":")
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(isSix ? AF_INET6 : AF_INET, kind, 0)
    guard descriptor >= 0 else { throw failure(settings, errno) }
    var yes: Int32 = 1
    // A port whose last connections still linger is free; one that somebody listens on is not.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    if isSix { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout<Int32>.size)) }
    guard let bound = isSix ? bindSix(descriptor, settings) : bindFour(descriptor, settings) else {
      close(descriptor)
      throw WebServerFailure(code: EINVAL, description: "\(settings.place): \(settings.address) is no address")
    }
    guard bound == 0, listen(descriptor, Int32(settings.connections)) == 0, let port = port(of: descriptor) else {
      let code = errno
      close(descriptor)
      throw failure(settings, code)
    }
    return (descriptor, port)
  }

  private static func failure(_ settings: WebServerSettings, _ code: Int32) -> WebServerFailure {
    let text = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    return WebServerFailure(code: code, description: "cannot listen on \(settings.place): \(text)")
  }

  /// What bind(2) answers; nil: it is no address.
  private static func bindFour(_ descriptor: Int32, _ settings: WebServerSettings) -> Int32? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = settings.port.bigEndian
    guard inet_pton(AF_INET, settings.address, &address.sin_addr) == 1 else { return nil }
    return bind(descriptor, &address)
  }

  private static func bindSix(_ descriptor: Int32, _ settings: WebServerSettings) -> Int32? {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = settings.port.bigEndian
    guard inet_pton(AF_INET6, settings.address, &address.sin6_addr) == 1 else { return nil }
    return bind(descriptor, &address)
  }

  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
    withUnsafeBytes(of: &address) { bytes in
      guard let pointer = bytes.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
      return Glibc.bind(descriptor, pointer, socklen_t(bytes.count))
    }
  }

  private static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    return withUnsafeMutableBytes(of: &address) { bytes in
      guard let pointer = bytes.bindMemory(to: sockaddr.self).baseAddress, getsockname(descriptor, pointer, &size) == 0
      else { return nil }
      // The port stands at the same place for both families; see ip(7) and ipv6(7).
      return UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
  }
}
