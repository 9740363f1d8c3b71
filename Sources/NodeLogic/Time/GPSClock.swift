public import Telemetry

/// Calendar time from the times of fixes; it sets no clock.
///
/// A fix comes later than the moment it tells, by what the receiver, the line and gpsd take: some 0.1 to 0.7 s, never
/// the same, never less than nothing. So each fix gives a lower bound of the wall time at `Instant.start`, and the
/// highest is the best: the fix that was the quickest. It is believed once several fixes in a row agree. From then on a
/// quicker fix raises it at once, slower ones let it sink by no more than a crystal drifts, and one that is far off
/// changes nothing, unless those after it agree with it for a minute.
public struct GPSClock: Equatable, Sendable {
  /// So many fixes in a row must agree before they are believed ...
  public static let neededFixes = 3
  /// ... within this [s], the spread of a receiver's latency ...
  public static let agreementS = 0.5
  /// ... and over at least this [s]: fixes that were held up on the way come all at once.
  public static let neededS = 1.0
  /// Where an established clock is contradicted, so many fixes in a row must agree ...
  public static let neededAgainst = 5
  /// ... for so long [s].
  public static let neededAgainstS = 60.0
  /// What a machine knows of how long it slept may be wrong by this [s]: most real-time clocks count whole seconds.
  public static let sleepErrorS = 1.0
  /// No crystal drifts more: 100 ppm.
  public static let driftRate = 100e-6
  /// So long after the last fix the clock has run freely for so long that it is worth no more than one that was set
  /// once [s]: by then it may be off by 9 s.
  public static let holdS = 86_400.0

  /// Fixes in a row that agree.
  private struct Run: Equatable {
    /// The wall time at `Instant.start` by the quickest fix, and by the slowest [s since 1970].
    var highest: Double
    var lowest: Double
    var since: Instant
    var latest: Instant
    var fixes = 1

    init(_ wallAtStart: Double, at now: Instant) {
      highest = wallAtStart
      lowest = wallAtStart
      since = now
      latest = now
    }

    mutating func add(_ wallAtStart: Double, at now: Instant) -> Bool {
      let (high, low) = (max(highest, wallAtStart), min(lowest, wallAtStart))
      guard high - low <= GPSClock.agreementS else { return false }
      (highest, lowest, latest) = (high, low, now)
      fixes += 1
      return true
    }

    func has(fixes needed: Int, over neededS: Double) -> Bool { fixes >= needed && latest - since >= neededS }
  }

  /// What is believed.
  private struct Line: Equatable {
    /// The wall time at `Instant.start` [s since 1970].
    var wallAtStart: Double
    /// When the last fix that agreed came.
    var latest: Instant
    /// What sleeps since then may have added to its error [s].
    var sleepErrorS = 0.0
  }

  private var line: Line?
  /// Fixes that don't agree with it.
  private var candidate: Run?
  private var latest: Instant?

  public init() {}

  /// When the last fix came that agreed with it; nil before it is known.
  var heardAt: Instant? { line?.latest }

  /// The clock, worth `gps`, or `rtc` when the last fix is longer ago than `holdS`; nil before it is line.
  public func state(at now: Instant) -> ClockState? {
    guard let line else { return nil }
    return ClockState(
      wallAtStart: WallTime(seconds: line.wallAtStart),
      quality: now - line.latest <= GPSClock.holdS ? .gps : .rtc)
  }

  /// Takes the time of a fix that can be true.
  /// - Parameter received: when its first report came; a fix that came no later than the one before is passed over.
  public mutating func hear(_ time: WallTime, received: Instant) {
    if let latest, received <= latest { return }
    latest = received
    let wallAtStart = time.seconds - received.seconds
    if follow(wallAtStart, at: received) { return }
    if candidate?.add(wallAtStart, at: received) != true { candidate = Run(wallAtStart, at: received) }
    guard let candidate, isBelieved(candidate) else { return }
    line = Line(wallAtStart: candidate.highest, latest: received)
    self.candidate = nil
  }

  /// The machine was suspended for so long [s]: the wall time went on, and instants did not.
  mutating func sleep(_ seconds: Double) {
    latest = latest.map { $0 - seconds }
    candidate = nil
    guard let line else { return }
    self.line = Line(
      wallAtStart: line.wallAtStart + seconds, latest: line.latest - seconds,
      sleepErrorS: line.sleepErrorS + min(GPSClock.sleepErrorS, seconds))
  }

  /// Follows a fix that agrees with the clock.
  private mutating func follow(_ wallAtStart: Double, at now: Instant) -> Bool {
    guard let line else { return false }
    let early = wallAtStart - line.wallAtStart
    guard early.magnitude <= GPSClock.agreementS else { return false }
    let drift = GPSClock.driftRate * (now - line.latest) + line.sleepErrorS
    self.line = Line(wallAtStart: line.wallAtStart + max(early, -drift), latest: now)
    candidate = nil
    return true
  }

  private func isBelieved(_ run: Run) -> Bool {
    guard let line else { return run.has(fixes: GPSClock.neededFixes, over: GPSClock.neededS) }
    // After hours without a fix, the crystal explains more than the latency does.
    let reach = GPSClock.agreementS + GPSClock.driftRate * (run.latest - line.latest) + line.sleepErrorS
    if (run.highest - line.wallAtStart).magnitude <= reach {
      return run.has(fixes: GPSClock.neededFixes, over: GPSClock.neededS)
    }
    return run.has(fixes: GPSClock.neededAgainst, over: GPSClock.neededAgainstS)
  }
}
