internal import CMosquitto
internal import Glibc
internal import Threading

/// What concerns libmosquitto and OpenSSL as a whole.
enum Library {
  private static let isReady = Lock(false)

  /// Readies libmosquitto, once and for as long as the program runs: its own count of users is not locked.
  static func start() {
    isReady.withLock { isReady in
      if !isReady { mosquitto_lib_init() }
      isReady = true
    }
  }

  /// OpenSSL's verdict on the certificate of the other side, X509_V_*; nil when there is none to be had.
  ///
  /// Every rejected certificate looks the same in libmosquitto's log. `SSL_get_verify_result` tells an expired one
  /// from an unknown authority; libmosquitto has brought OpenSSL into the program, so it is looked up there rather than
  /// linked for one call.
  static func certificateVerdict(_ connection: UnsafeMutableRawPointer?) -> Int? {
    typealias Verdict = @convention(c) (UnsafeMutableRawPointer) -> Int
    guard let connection, let symbol = dlsym(nil, "SSL_get_verify_result") else { return nil }
    let verdict = unsafeBitCast(symbol, to: Verdict.self)(connection)
    return verdict == 0 ? nil : verdict
  }
}

/// Seconds of CLOCK_MONOTONIC.
func monotonicS() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The year this machine believes it is.
func yearNow() -> Int {
  var now = time(nil)
  var parts = tm()
  gmtime_r(&now, &parts)
  return Int(parts.tm_year) + 1900
}
