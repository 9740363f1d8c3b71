internal import Glibc

/// Where a `WebServer` listens, and what a client may take of it.
public struct WebServerSettings: Equatable, Sendable {
  /// An IPv4 or IPv6 address of this machine, in figures.
  public var address: String
  /// 0 stands for any that is free.
  public var port: UInt16
  /// Who does not show it gets nothing (RFC 6750); nil: everybody gets everything.
  public var token: String?
  /// Whose token it is; see RFC 9110, section 11.5. No quotes.
  public var realm = "judder"
  /// Open at one time at the most; further ones are closed at once.
  public var connections = 16
  /// What a client may send with one request, headers included [bytes].
  public var requestBytes = 16_384
  /// Without a word from the client a connection is closed after so long [s].
  public var idleS = 5
  /// However much it says, after so long [s]. At the next `beat`.
  public var connectionS = 15.0
  /// The pages are not answered any more when nothing was heard of their maker for so long [s].
  public var staleS = 15.0

  public init(address: String = "127.0.0.1", port: UInt16, token: String? = nil) {
    self.address = address
    self.port = port
    self.token = token
  }

  /// Only programs of this machine can reach it: 127.0.0.0/8 or ::1. Nil: it is no address in figures.
  public var isLoopback: Bool? {
    var four = in_addr()
    if inet_pton(AF_INET, address, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    var six = in6_addr()
    guard inet_pton(AF_INET6, address, &six) == 1 else { return nil }
    return withUnsafeBytes(of: &six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }

  /// `127.0.0.1:9464`, `[::1]:9464`.
  public var place: String { address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)" }
}

/// Why a `WebServer` could not be started; one line.
public struct WebServerFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// errno(3); 0 where it was no system call.
  public var code: Int32
  public var description: String
}
