internal import Telemetry

/// Notices that scans stopped coming: none in three periods, and at least a second.
struct StallWatchdog: Equatable, Sendable {
  private let patienceS: Double
  private var lastScan: Instant
  private var hasZeros = false

  /// - Parameters:
  ///   - rateHz: at which scans are promised.
  ///   - batch: scans that come together at the least.
  ///   - start: from when on they are promised.
  init(rateHz: Double, batch: Int, from start: Instant) {
    patienceS = max(1, 3 * Double(max(1, batch)) / rateHz)
    lastScan = start
  }

  /// When to look next.
  var deadline: Instant { lastScan + patienceS }

  /// `count` usable scans were read.
  mutating func saw(_ count: Int, at now: Instant) {
    guard count > 0 else { return }
    lastScan = now
    hasZeros = false
  }

  /// A scan of nothing but zeros was read.
  mutating func sawZeros() { hasZeros = true }

  /// Why the sensor counts as stalled; nil while it does not.
  func verdict(at now: Instant) -> String? {
    guard now >= deadline else { return nil }
    let what = hasZeros ? "nothing but 0, 0, 0" : "no scan"
    return "\(what) for \(decimal(((now - lastScan) * 10).rounded() / 10)) s"
  }
}
