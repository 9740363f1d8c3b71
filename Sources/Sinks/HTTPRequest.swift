internal import CCurl
public import Daemon
internal import Glibc
internal import Telemetry

/// How a receiver is reached over HTTP.
public struct HTTPSettings: Equatable, Sendable {
  /// POST or PUT.
  public var method: String
  /// What the body is, for example `application/json`.
  public var contentType: String
  /// Further headers, `Name: value` each.
  public var headers: [String]
  /// Sent as a bearer token; nil: none.
  public var token: Secret?
  /// Who may vouch for the receiver, PEM; nil: those whom this system trusts.
  public var authorities: String?
  /// A proxy's URL; nil: none, whatever the environment says.
  public var proxy: String?
  /// How long a request may take [s].
  public var limitS: Double

  public init(
    method: String = "POST", contentType: String = "application/json", headers: [String] = [], token: Secret? = nil,
    authorities: String? = nil, proxy: String? = nil, limitS: Double = 10
  ) {
    self.method = method
    self.contentType = contentType
    self.headers = headers
    self.token = token
    self.authorities = authorities
    self.proxy = proxy
    self.limitS = limitS
  }
}

/// One request over libcurl: certificates are always judged, nothing is redirected, no proxy but the one that is set,
/// and of the answer no more than its first 64 kB are read.
final class HTTPRequest {
  enum End: Equatable {
    case answered(status: Int, afterS: Double?, body: [UInt8])
    case failed(String)
    case stopped
  }

  /// What is read of an answer, and what is kept of that [bytes].
  static let mostRead = 65_536
  static let mostKept = 512

  /// Before the first thread that uses libcurl: curl_global_init(3).
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private let easy: OpaquePointer?
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var body: [UInt8] = []
  private var readBytes = 0
  private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init(_ url: String, _ settings: HTTPSettings, body: [UInt8]) {
    easy = Self.isReady ? OpaquePointer(curl_easy_init()) : nil
    words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    address(url, settings)
    let lines =
      ["Content-Type: \(settings.contentType)", "User-Agent: judder-fleet/\(softwareVersion)", "Expect:"]
      + (settings.token.map { ["Authorization: Bearer \($0.text)"] } ?? []) + settings.headers
    for line in lines { headers = curl_slist_append(headers, line) }
    judder_curl_headers(raw, headers)
    body.withUnsafeBytes { _ = judder_curl_body(raw, $0.baseAddress ?? UnsafeRawPointer(words), $0.count) }
    judder_curl_text(raw, CURLOPT_CUSTOMREQUEST, settings.method)
    judder_curl_answer(
      raw,
      { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        return Unmanaged<HTTPRequest>.fromOpaque(context).takeUnretainedValue().take(bytes, size * count)
      }, Unmanaged.passUnretained(self).toOpaque(), words)
  }

  private var raw: UnsafeMutableRawPointer? { easy.map { UnsafeMutableRawPointer($0) } }

  private func address(_ url: String, _ settings: HTTPSettings) {
    judder_curl_text(raw, CURLOPT_URL, url)
    judder_curl_text(raw, CURLOPT_PROTOCOLS_STR, "http,https")
    judder_curl_long(raw, CURLOPT_FOLLOWLOCATION, 0)
    judder_curl_long(raw, CURLOPT_NOSIGNAL, 1)
    judder_curl_long(raw, CURLOPT_TIMEOUT_MS, Int(settings.limitS * 1000))
    judder_curl_long(raw, CURLOPT_CONNECTTIMEOUT_MS, Int(settings.limitS * 1000))
    judder_curl_long(raw, CURLOPT_SSL_VERIFYPEER, 1)
    judder_curl_long(raw, CURLOPT_SSL_VERIFYHOST, 2)
    judder_curl_text(raw, CURLOPT_PROXY, settings.proxy ?? "")
    if let file = settings.authorities { judder_curl_text(raw, CURLOPT_CAINFO, file) }
  }

  deinit {
    curl_slist_free_all(headers)
    curl_easy_cleanup(raw)
    words.deallocate()
  }

  /// Answers less than it is given to end the transfer.
  private func take(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
    readBytes += count
    let room = max(0, Self.mostKept - body.count)
    body += UnsafeRawBufferPointer(start: bytes, count: min(room, count))
    return readBytes > Self.mostRead ? 0 : count
  }

  /// Waits for the answer, and attends to the errand meanwhile.
  func run(_ errand: any Errand) -> End {
    guard let raw, let multi = curl_multi_init() else { return .failed("libcurl could not be set up") }
    defer {
      curl_multi_remove_handle(multi, raw)
      curl_multi_cleanup(multi)
    }
    curl_multi_add_handle(multi, raw)
    var running: Int32 = 1
    while true {
      guard curl_multi_perform(multi, &running) == CURLM_OK else { return .failed("libcurl failed") }
      if running == 0 { break }
      if errand.isStopping { return .stopped }
      var extra = [errand.arrivals, errand.ending].map {
        curl_waitfd(fd: $0, events: Int16(CURL_WAIT_POLLIN), revents: 0)
      }
      curl_multi_poll(multi, &extra, 2, 1000, nil)
      if extra[0].revents != 0 { errand.attend() }
    }
    return end(CURLcode(UInt32(max(0, judder_curl_result(multi)))))
  }

  private func end(_ code: CURLcode) -> End {
    let status = judder_curl_status(raw)
    // A body that is too long was cut off: the status says all.
    guard code == CURLE_OK || (code == CURLE_WRITE_ERROR && status > 0) else {
      return .failed(said(code))
    }
    let afterS = judder_curl_retry_after(raw)
    return .answered(status: status, afterS: afterS > 0 ? Double(afterS) : nil, body: body)
  }
}

extension HTTPRequest {
  /// The same words for the same trouble: libcurl's have the milliseconds that it took.
  private func said(_ code: CURLcode) -> String {
    if code == CURLE_OPERATION_TIMEDOUT { return "no answer within timeout_s" }
    let general = String(cString: curl_easy_strerror(code))
    let text = String(cString: words)
    return SafeText.escaped(text.isEmpty || text.contains(" ms") ? general : text, limit: 200)
  }
}

extension HTTPRequest.End {
  /// 408, 425 and 429 ask for another try, as do the words of gateways whose server is away. 401, 403 and 404 may be
  /// about the receiver, whose token is being changed or which is being set up: several tries. What else begins with 4
  /// says that this request will never do (RFC 9110, section 15.5).
  func outcome(_ place: String) -> CourierOutcome {
    switch self {
    case .stopped: return .stopped
    case .failed(let text): return .later(SinkProblem("\(place): \(text)"), afterS: nil)
    case .answered(let status, let afterS, let body):
      let said = body.isEmpty ? "" : ": \(SafeText.escaped(body, limit: 120))"
      let problem = SinkProblem("\(place) answers \(status)\(said)")
      switch status {
      case 200..<300: return .done
      case 300..<400:
        return .failed(
          SinkProblem("\(place) answers \(status), a redirection, which is not followed; set the right url"))
      case 408, 425, 429, 502, 503, 504: return .later(problem, afterS: afterS)
      case 401, 403, 404: return .failed(problem)
      case 400..<500: return .refused(problem)
      default: return .failed(problem)
      }
    }
  }
}

/// What of a URL may be shown: the rest may be a secret.
public func shownPlace(_ url: String) -> String {
  guard let parts = curl_url() else { return "the url" }
  defer { curl_url_cleanup(parts) }
  guard curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK else { return "the url" }
  let words = [CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT].map { part -> String? in
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }
  guard let scheme = words[0], let host = words[1] else { return "the url" }
  return SafeText.escaped("\(scheme)://\(host)" + (words[2].map { ":\($0)" } ?? ""))
}

/// What is wrong with a URL, for a configuration; nil: nothing.
public func urlComplaint(_ url: String) -> String? {
  guard url.hasPrefix("http://") || url.hasPrefix("https://"), !url.contains(" "), shownPlace(url) != "the url" else {
    return "must be an http or https URL, such as https://alerts.example/hook"
  }
  return nil
}
