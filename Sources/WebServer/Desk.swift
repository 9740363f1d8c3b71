internal import CMicrohttpd
internal import Glibc
internal import Threading

/// What the server's thread and the maker of the pages share: the pages, when the maker was heard last, and the
/// connections that are open.
final class Desk: Sendable {
  /// A page in libmicrohttpd's form, which many connections share: a slow client of a large page costs no copy of it.
  ///
  /// `@unchecked Sendable`: libmicrohttpd counts its users under a lock of its own.
  private final class Response: @unchecked Sendable {
    let handle: OpaquePointer
    let status: UInt32

    init?(_ page: Page, realm: String? = nil, allowed: String? = nil) {
      let made = page.body.withUnsafeBytes { bytes in
        judder_http_response(bytes.baseAddress, bytes.count)
      }
      guard let made else { return nil }
      handle = made
      status = UInt32(page.status)
      MHD_add_response_header(handle, "Content-Type", page.contentType)
      MHD_add_response_header(handle, "X-Content-Type-Options", "nosniff")
      MHD_add_response_header(handle, "Cache-Control", "no-store")
      MHD_add_response_header(handle, "Connection", "close")
      if let realm { MHD_add_response_header(handle, "WWW-Authenticate", "Bearer realm=\"\(realm)\"") }
      if let allowed { MHD_add_response_header(handle, "Allow", allowed) }
    }

    deinit { MHD_destroy_response(handle) }
  }

  private struct State: Sendable {
    var pages: [String: Response] = [:]
    /// CLOCK_MONOTONIC [s].
    var heard = Desk.now()
    /// Since when each is open, by descriptor [s].
    var connections: [Int32: Double] = [:]
  }

  let settings: WebServerSettings
  private let excuse: WebServer.Excuse
  private let state = Lock(State())
  /// `Bearer` and the token; nil: nobody is asked.
  private let token: [UInt8]?
  private let unauthorized, wrongMethod, unknownPath: Response?

  init(_ settings: WebServerSettings, _ excuse: @escaping WebServer.Excuse) {
    self.settings = settings
    self.excuse = excuse
    token = settings.token.map { Array($0.utf8) }
    unauthorized = Response(Page(401, line: "a bearer token is needed"), realm: settings.realm)
    wrongMethod = Response(Page(405, line: "only GET and HEAD"), allowed: "GET, HEAD")
    unknownPath = Response(Page(404, line: "there is no such page"))
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  // MARK: The maker's side

  func publish(_ page: Page, at path: String) {
    let response = Response(page)
    state.withLock { $0.pages[path] = response }
  }

  func beat() {
    let now = Desk.now()
    state.withLock { state in
      state.heard = now
      // It ends by itself when its descriptor says so; closing that here would hit whoever got its number next.
      for (descriptor, since) in state.connections where now - since > settings.connectionS {
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
    }
  }

  // MARK: The thread's side

  func note(_ descriptor: Int32, isOpen: Bool) {
    let now = Desk.now()
    state.withLock { $0.connections[descriptor] = isOpen ? now : nil }
  }

  /// Queues the answer to a request whose headers are there; what comes behind them is never read.
  func answer(_ connection: OpaquePointer, path: String, method: String) -> MHD_Result {
    guard isAllowed(judder_http_header(connection, "Authorization")) else {
      return send(unauthorized, on: connection)
    }
    guard method == "GET" || method == "HEAD" else { return send(wrongMethod, on: connection) }
    let now = Desk.now()
    let (page, ageS) = state.withLock { ($0.pages[path], now - $0.heard) }
    guard let page else { return send(unknownPath, on: connection) }
    return send(ageS > settings.staleS ? Response(excuse(ageS)) : page, on: connection)
  }

  private func send(_ response: Response?, on connection: OpaquePointer) -> MHD_Result {
    guard let response else { return judder_http_closed }
    return MHD_queue_response(connection, response.status, response.handle)
  }

  private func isAllowed(_ header: UnsafePointer<CChar>?) -> Bool {
    guard let token else { return true }
    guard let header else { return false }
    let given = Array(String(cString: header).utf8)
    // The scheme in any case; see RFC 9110, section 11.1.
    guard given.count > 7, given[..<7].map({ $0 | 0x20 }) == Array("bearer ".utf8) else { return false }
    return isSame(given[7...], token)
  }
}

/// Whether two texts are the same. The time it takes tells their lengths and nothing else, so that nobody can find a
/// secret byte by byte.
func isSame(_ given: ArraySlice<UInt8>, _ secret: [UInt8]) -> Bool {
  var difference: UInt8 = given.count == secret.count ? 0 : 1
  for (a, b) in zip(given, secret) { difference |= a ^ b }
  return difference == 0
}
