internal import Telemetry

/// Gives scans their instants: from the kernel's stamps where there are any, else spread over the time since the last
/// read; and finds from the stamps where scans are missing.
///
/// The kernel drops the newest scans silently when its buffer is full, so a loss can only be seen in the stamps. A
/// stamp is often made when a scan arrives, which is late at times, and then others follow quickly; only a lateness
/// that stays is a loss. A sensor's rate is commonly 2 to 4 % off its nominal one, so the period is learnt.
struct ScanTimeline: Sendable {
  /// How the stamps relate to CLOCK_MONOTONIC.
  enum Clock: Equatable, Sendable {
    /// They are on it.
    case monotonic
    /// They are on another clock: the quickest delivery so far says how far away it is [s].
    case anchored(offset: Double)
  }

  /// What is to be known of a batch of scans.
  struct Batch: Equatable, Sendable {
    /// So many of its first scans are from before the buffer was enabled.
    var stale = 0
    /// Scans are missing before this one.
    var gapBefore: Int?
    /// The time from the scan before that one to it [s]. One period where the hole itself was in the batch before, and
    /// what came after it looked late until now.
    var gapS = 0.0
  }

  /// The learnt time between two scans [s].
  private(set) var period: Double
  private(set) var clock: Clock?
  private let enabledAt: Instant
  private var last: Instant?
  /// When the next scan is due if none is late.
  private var due = Instant.start
  /// The last scans of the last batch were late; the next batch tells whether that stays.
  private var isTailLate = false
  private var isPeriodMeasured = false
  private var gapsInARow = 0
  /// The last batch of nothing but scans from before the buffer was enabled, while there was no other.
  private var onlyStale: (newest: Instant, read: Instant)?

  /// Stamps no older than this at their first read are taken to be on CLOCK_MONOTONIC: a chip may hold as much.
  private static let plausibleAgeS = 60.0
  /// An anchor may move this fast [s/s]; crystals differ by less.
  private static let drift = 2e-4
  /// A difference this large is a clock that was set.
  private static let jumpS = 1.0
  /// So many scans have to be late in a row to tell a loss from an arrival that was late.
  private static let witnesses = 5
  /// Two reads closer together say little about a clock's pace [s].
  private static let leastStepS = 0.02
  /// The last scans of a batch follow each other within this share of the period: late ones are just arriving.
  private static let catchingUp = 0.5
  /// A lateness of this many periods that stays is a loss.
  private static let lossPeriods = 0.75
  /// A sensor that loses scans in so many batches in a row rather keeps another rate than it claims.
  private static let mostGapsInARow = 8

  /// - Parameters:
  ///   - rateHz: the nominal rate; > 0.
  ///   - enabledAt: when the buffer was enabled; older scans are from before.
  init(rateHz: Double, enabledAt: Instant) {
    period = 1 / rateHz
    self.enabledAt = enabledAt
  }

  /// Turns the time stamps of a batch into instants.
  ///
  /// - Parameters:
  ///   - stamps: counted from the node's start, in the order of the scans; becomes the instants.
  ///   - read: when the batch was read.
  mutating func place(_ stamps: inout [Instant], read: Instant) -> Batch {
    guard let newest = stamps.last else { return Batch() }
    anchor(newest: newest, read: read)
    distrust(newest: newest, read: read)
    if case .anchored(let offset) = clock {
      for index in stamps.indices { stamps[index] = stamps[index] + offset }
    }
    var batch = Batch()
    if clock == .monotonic { batch.stale = stamps.firstIndex { $0 >= enabledAt } ?? stamps.count }
    let fresh = stamps[batch.stale...]
    guard let first = fresh.first else { return batch }
    if last == nil {
      measurePeriod(fresh)
      due = first
      isTailLate = false
    }
    batch.gapBefore = findGap(fresh)
    if let index = batch.gapBefore, let before = index > fresh.startIndex ? fresh[index - 1] : last {
      batch.gapS = fresh[index] - before
    }
    follow(fresh, gapBefore: batch.gapBefore)
    return batch
  }

  /// The instants of `count` scans without stamps that were read together.
  ///
  /// They follow the last ones at the learnt period, drawn slowly towards the time of the read, so that a read that
  /// came late does not show as a hole. They never lie in the future, nor reach back over the last read.
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

  /// Relates the stamps to CLOCK_MONOTONIC.
  private mutating func anchor(newest: Instant, read: Instant) {
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

  /// Takes stamps for another clock's that go with the time of day and yet stay before the buffer was enabled: a hub
  /// counts from its own start, which may be seconds after the machine's. What a chip had kept is there at once.
  private mutating func distrust(newest: Instant, read: Instant) {
    guard clock == .monotonic, last == nil, newest < enabledAt else { return }
    defer { onlyStale = (newest, read) }
    guard let before = onlyStale, read - before.read > ScanTimeline.leastStepS else { return }
    let pace = (newest - before.newest) / (read - before.read)
    if abs(pace - 1) < 0.5 { clock = .anchored(offset: read - newest) }
  }

  /// The median spacing of the first batch is the first measure of the period.
  private mutating func measurePeriod(_ stamps: ArraySlice<Instant>) {
    guard !isPeriodMeasured, stamps.count >= ScanTimeline.witnesses else { return }
    let spacings = zip(stamps.dropFirst(), stamps).map { $0 - $1 }.sorted()
    guard spacings[spacings.count / 2] > 0 else { return }
    period = spacings[spacings.count / 2]
    isPeriodMeasured = true
  }

  /// The first scan of a hole, such that all that follow are late by it.
  private func findGap(_ stamps: ArraySlice<Instant>) -> Int? {
    guard !isCatchingUp(stamps) else { return nil }
    var leastLateness = Double.infinity
    var found: Int?
    let end = stamps.endIndex
    let witnesses = min(ScanTimeline.witnesses, stamps.count)
    for index in stamps.indices.reversed() {
      leastLateness = min(leastLateness, lateness(stamps, index))
      guard leastLateness > ScanTimeline.lossPeriods * period else { break }
      let before = index == stamps.startIndex ? last : stamps[index - 1]
      let isHole = before.map { stamps[index] - $0 > 1.75 * period } ?? false
      let isKnownHole = index == stamps.startIndex && isTailLate
      if end - index >= witnesses, isHole || isKnownHole { found = index }
    }
    return found
  }

  /// The batch ends amid scans that were held up and now come at once: the next one tells whether any is missing.
  private func isCatchingUp(_ stamps: ArraySlice<Instant>) -> Bool {
    guard stamps.count >= 2 else { return false }
    return stamps[stamps.endIndex - 1] - stamps[stamps.endIndex - 2] < ScanTimeline.catchingUp * period
  }

  private func lateness(_ stamps: ArraySlice<Instant>, _ index: Int) -> Double {
    stamps[index] - (due + Double(index - stamps.startIndex) * period)
  }

  /// Moves on to the next batch: when its first scan is due, and a period that fits a little better.
  private mutating func follow(_ stamps: ArraySlice<Instant>, gapBefore: Int?) {
    let begin = gapBefore ?? stamps.startIndex
    let leastLateness = (begin..<stamps.endIndex).map { lateness(stamps, $0) }.min() ?? 0
    let end = stamps[stamps.endIndex - 1]
    let count = Double(stamps.count)
    gapsInARow = gapBefore == nil ? 0 : gapsInARow + 1
    if gapsInARow >= ScanTimeline.mostGapsInARow, let last, end > last {
      period = (end - last) / count
      due = end + period
      gapsInARow = 0
    } else {
      due = due + count * period + (gapBefore == nil && leastLateness > 0 ? leastLateness / 2 : leastLateness)
      // Bounded, because an arrival that was late says nothing about the sensor's rate; nor does the first batch, which
      // is measured from a first scan that may have been late.
      let correction = gapBefore == nil && last != nil ? 0.2 * leastLateness / count : 0
      period += max(-0.005 * period, min(correction, 0.005 * period))
    }
    isTailLate = end - (due - period) > ScanTimeline.lossPeriods * period
    last = end
  }
}
