internal import Glibc

/// An Internet address with its port, as the kernel wants it.
struct SocketAddress: Equatable, Sendable {
  /// AF_INET or AF_INET6.
  let family: Int32
  private let bytes: [UInt8]

  private init(_ info: addrinfo) {
    family = info.ai_family
    bytes = Array(UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen)))
  }

  /// connect(2).
  func connect(_ descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      guard let address = buffer.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      return Glibc.connect(descriptor, address, socklen_t(buffer.count))
    }
  }

  /// The addresses of a host that need no look-up, and so cannot block: a numeric address, or `localhost`, which is
  /// this machine whatever a name server says (RFC 6761). Empty for any other name.
  static func immediate(host: String, port: UInt16) -> [SocketAddress] {
    if host == "localhost" {
      return ["127.0.0.1", "::1"].flatMap { immediate(host: $0, port: port) }
    }
    return (try? lookUp(host: host, port: port, flags: AI_NUMERICHOST).get()) ?? []
  }

  /// getaddrinfo(3); blocks for as long as the resolver likes unless `flags` say AI_NUMERICHOST.
  static func lookUp(host: String, port: UInt16, flags: Int32 = 0) -> Result<[SocketAddress], LookUpFailure> {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | flags
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else { return .failure(LookUpFailure(String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee, found.count < 16 {
      if entry.ai_family == AF_INET || entry.ai_family == AF_INET6 { found.append(SocketAddress(entry)) }
      next = entry.ai_next
    }
    return found.isEmpty ? .failure(LookUpFailure("the name has no address")) : .success(found)
  }
}

/// Why a name has no address, in the resolver's words.
struct LookUpFailure: Error, Equatable, Sendable {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
