internal import CTLS
internal import Glibc

/// What is known about the broker's certificate, and the time it was judged by. A pure value but for `init`.
struct CertificateEvidence: Sendable, Equatable {
  /// When a certificate is valid [s since 1970].
  struct Validity: Sendable, Equatable {
    let fromS: Double
    let untilS: Double
  }

  /// OpenSSL's verdict, X509_V_ERR_*; nil when it had nothing to object, or never came to it.
  var verdict: Int?
  /// Of the broker's own certificate; nil when it showed none.
  var validity: Validity?

  init(verdict: Int? = nil, validity: Validity? = nil) {
    self.verdict = verdict
    self.validity = validity
  }

  /// Asks OpenSSL; nil where there is no TLS connection.
  ///
  /// Every rejected certificate looks the same in libmosquitto's log; `SSL_get_verify_result` tells an expired one from
  /// an unknown authority.
  init?(_ connection: UnsafeMutableRawPointer?) {
    guard let connection else { return nil }
    let found = judder_tls_verdict(connection)
    verdict = found == 0 ? nil : found
    var (from, until): (Int64, Int64) = (0, 0)
    if judder_tls_validity(connection, &from, &until) == 0 {
      validity = Validity(fromS: Double(from), untilS: Double(until))
    }
  }
}

/// The time that certificates are held against.
struct JudgingTime: Sendable, Equatable {
  /// Before that no certificate in use was issued: a clock that says so was never set.
  private static let floorYear = 2025

  /// Seconds since 1970.
  var seconds: Double
  /// The caller vouches for it; otherwise it is this machine's clock.
  var isTrusted = false

  /// This machine's clock.
  static func ofSystem() -> JudgingTime { JudgingTime(seconds: Double(time(nil))) }

  /// `2026-05-01`, UTC.
  static func day(_ seconds: Double) -> String {
    var parts = brokenDown(seconds)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%d", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  var year: Int { Int(JudgingTime.brokenDown(seconds).tm_year) + 1900 }

  /// No certificate can be judged by it.
  var isDoubtful: Bool { !isTrusted && year < JudgingTime.floorYear }

  /// `our clock says 2020-01-01`.
  var words: String { isTrusted ? "the time given to us is \(day)" : "our clock says \(day)" }

  var day: String { JudgingTime.day(seconds) }

  private static func brokenDown(_ seconds: Double) -> tm {
    // Years of more than four digits say nothing to anybody.
    var time = time_t(min(max(seconds, 0), 253_402_300_799))
    var parts = tm()
    gmtime_r(&time, &parts)
    return parts
  }
}
