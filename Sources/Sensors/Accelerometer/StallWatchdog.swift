internal import NodeLogic
internal import Telemetry

/// Notices that scans stopped coming: none in three periods, and at least a second.
struct StallWatchdog: Equatable, Sendable {
  private let patienceS: Double
  private var lastScan: Instant
  /// What came instead of usable scans.
  private var useless: String?

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
    useless = nil
  }

  /// A scan was read that is worth this.
  mutating func saw(_ verdict: ScanCheck.Verdict) {
    switch verdict {
    case .good: break
    case .zeros: useless = "nothing but 0, 0, 0"
    case .outOfRange: useless = "nothing but readings out of range"
    }
  }

  /// Why the sensor counts as stalled; nil while it does not.
  func verdict(at now: Instant) -> String? {
    guard now >= deadline else { return nil }
    return "\(useless ?? "no scan") for \(decimal(((now - lastScan) * 10).rounded() / 10)) s"
  }
}
