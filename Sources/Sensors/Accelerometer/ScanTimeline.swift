internal import Telemetry

/// Gives scans their instants: from the kernel's stamps where there are any, else spread over the time since the last
/// read; and finds from the stamps where scans are missing.
///
/// The kernel drops the newest scans silently when its buffer is full, so a gap can only be seen in the stamps. A
/// sensor's rate is commonly 2 to 4 % off its nominal one, so the period is learnt.
struct ScanTimeline: Sendable {
  /// How the stamps relate to CLOCK_MONOTONIC.
  enum Clock: Equatable, Sendable {
    /// They are on it.
    case monotonic
    /// They are on another clock: the quickest delivery so far says how far away it is [s].
    case anchored(offset: Double)
  }

  /// What is to be done with a scan.
  enum Placement: Equatable, Sendable {
    case sample(Instant)
    /// Scans are missing before this one.
    case afterGap(Instant)
    /// It is from before the buffer was enabled.
    case stale
  }

  /// The learnt time between two scans [s].
  private(set) var period: Double
  private(set) var clock: Clock?
  private var last: Instant?
  private var consistentGaps = 0
  private var gapLength = 0.0
  private let enabledAt: Instant

  /// - Parameters:
  ///   - rateHz: the nominal rate; > 0.
  ///   - enabledAt: when the buffer was enabled; older scans are from before.
  init(rateHz: Double, enabledAt: Instant) {
    period = 1 / rateHz
    self.enabledAt = enabledAt
  }

  /// Relates the stamps of a batch to CLOCK_MONOTONIC; call it before placing the batch.
  ///
  /// - Parameters:
  ///   - newest: the last time stamp of the batch, counted from the origin.
  ///   - read: when the batch was read.
  mutating func anchor(newest: Instant, read: Instant) {
    let present = read - newest
    switch clock {
    case nil:
      let isPlausible = present > -0.1 && present < ScanTimeline.plausibleAgeS
      clock = isPlausible ? .monotonic : .anchored(offset: present)
    case .monotonic:
      break
    case .anchored(let offset):
      let drifted = offset + ScanTimeline.drift * max(0, read - (last ?? read))
      clock = .anchored(offset: abs(present - offset) > ScanTimeline.jumpS ? present : min(drifted, present))
    }
  }

  /// The instant of a scan with a time stamp, counted from the origin.
  mutating func place(_ stamp: Instant) -> Placement {
    var at = stamp
    if case .anchored(let offset) = clock { at = stamp + offset }
    if clock == .monotonic && at < enabledAt { return .stale }
    guard let last else {
      self.last = at
      return .sample(at)
    }
    let distance = at - last
    // A stamp that goes back is passed on: the logic drops it and counts it.
    guard distance > 0 else { return .sample(at) }
    self.last = at
    return learn(distance) ? .sample(at) : .afterGap(at)
  }

  /// The instants of `count` scans without stamps that were read together.
  ///
  /// They follow the last ones at the learnt period, drawn slowly towards the time of the read, so that a read that came
  /// late does not show as a hole. They never lie in the future, nor reach back over the last read.
  mutating func spread(_ count: Int, read: Instant) -> (first: Instant, step: Double) {
    guard count > 0 else { return (read, period) }
    let expected = last.map { $0 + Double(count) * period }
    guard let last, let expected, read - expected < ScanTimeline.jumpS else {
      self.last = read
      return (read - Double(count - 1) * period, period)
    }
    let late = read - expected
    let newest = late < 0 ? max(read, last) : expected + late * 0.1
    let step = (newest - last) / Double(count)
    period += (step - period) * 0.05
    self.last = newest
    return (last + step, step)
  }

  /// Forgets the last scan, so that an interruption that is known already is not found again.
  mutating func interrupt() { last = nil }

  /// Stamps no older than this at their first read are taken to be on CLOCK_MONOTONIC: a chip may hold as much.
  private static let plausibleAgeS = 60.0
  /// An anchor may move this fast [s/s]; crystals differ by less.
  private static let drift = 2e-4
  /// A difference this large is a clock that was set.
  private static let jumpS = 1.0

  /// Learns from the time since the last scan; false when scans are missing.
  private mutating func learn(_ distance: Double) -> Bool {
    if distance < period * 1.75 {
      consistentGaps = 0
      period += (distance - period) * 0.02
      return true
    }
    // A sensor that keeps to another rate than it claims is not one that loses every other scan.
    consistentGaps = abs(distance - gapLength) < 0.25 * gapLength ? consistentGaps + 1 : 1
    gapLength = distance
    if consistentGaps >= 8 {
      period = distance
      consistentGaps = 0
    }
    return false
  }
}
