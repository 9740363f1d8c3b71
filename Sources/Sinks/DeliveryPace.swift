internal import Telemetry

/// When the next try to deliver is due: after failures ever later, with jitter; no more than so many a minute; and, for
/// those that collect, not before the first has waited a while. A pure value.
struct DeliveryPace {
  struct Settings: Equatable, Sendable {
    /// Failed tries after which a notice is given up.
    var tries = 10
    /// The longest first wait after a failure, and the longest of all [s].
    var retryFirstS = 1.0
    var retryMaxS = 300.0
    /// Tries in any minute; nil: any number.
    var perMinute: Int?
    /// How long the first of several waits for the others [s].
    var collectS = 0.0
  }

  /// What a receiver may ask for at the most [s].
  static let longestWaitS = 3600.0

  let settings: Settings
  /// Failures one after another, and those of them that count for the notice that is tried.
  private var failures = 0
  private var counted = 0
  private var notBefore: Instant?
  /// Tries of the last minute.
  private var tries: [Instant] = []

  init(_ settings: Settings) {
    self.settings = settings
  }

  /// When a notice that has waited since then may be tried.
  func due(waitingSince: Instant) -> Instant {
    var due = waitingSince + settings.collectS
    if let notBefore { due = max(due, notBefore) }
    if let perMinute = settings.perMinute, tries.count >= perMinute {
      due = max(due, tries[tries.count - perMinute] + 60)
    }
    return due
  }

  /// A try begins.
  mutating func begin(at now: Instant) {
    guard let perMinute = settings.perMinute else { return }
    tries.append(now)
    if tries.count > perMinute { tries.removeFirst(tries.count - perMinute) }
  }

  /// It is done with: delivered, or given up for good.
  mutating func settle() {
    (failures, counted, notBefore) = (0, 0, nil)
  }

  /// It failed. Answers whether it is to be given up.
  /// - Parameters:
  ///   - counts: it is the notice's fault, perhaps; otherwise the receiver is away.
  ///   - afterS: the receiver's own wish [s].
  ///   - random: 0..<1, evenly spread.
  mutating func fail(counts: Bool, afterS: Double?, at now: Instant, random: Double) -> Bool {
    let ceilingS = min(settings.retryMaxS, settings.retryFirstS * Double(1 << min(failures, 30)))
    failures += 1
    let wishS = min(afterS ?? 0, Self.longestWaitS)
    notBefore = now + max(wishS, ceilingS * (0.5 + 0.5 * random))
    guard counts else { return false }
    counted += 1
    guard counted >= settings.tries else { return false }
    // The next notice has tries of its own; the wait stays.
    counted = 0
    return true
  }
}
