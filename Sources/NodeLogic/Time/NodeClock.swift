public import Telemetry

/// The node's calendar time: the one place that decides which clock counts.
///
/// The system clock counts while something disciplines it (`ntp`). Otherwise GPS time does, as soon as it is known: a
/// system clock that was set once drifts, or was set to anything. The system clock itself is never set.
public struct NodeClock: Equatable, Sendable {
  /// Where the time comes from.
  public enum Source: Equatable, Sendable {
    case system
    case gps
  }

  /// A fix that is farther from a disciplined clock than this [s] teaches nothing: the receiver is wrong, or what comes
  /// from it was held up.
  static let disciplinedS = 5.0
  /// Of the changes within one source that change no quality, only one that is larger [s] is worth a line.
  static let notableS = 1.0

  /// As the shell found it.
  public private(set) var system: ClockState
  /// What GPS time makes of it, whether it counts or not.
  public private(set) var gps = GPSClock()
  /// How to turn instants into wall time just now.
  public private(set) var state: ClockState
  /// Where that comes from.
  public private(set) var source = Source.system
  /// How often fix times began to be off by multiples of 1024 weeks.
  public private(set) var rollovers = 0
  private var isRolledOver = false
  private var latest: Instant?
  /// When the system clock was disciplined last.
  private var disciplinedAt: Instant?
  /// What the receiver's time makes of the wall time at `Instant.start`, where a disciplined clock proved it wrong
  /// [s since 1970].
  private var refuted: Double?

  /// The system clock counts until GPS time is known.
  public init(system: ClockState) {
    self.system = system.forMessages
    state = self.system
  }

  /// Takes what the shell found: the system clock was set, or is worth more or less.
  /// - Returns: what is worth a line.
  public mutating func setSystem(_ system: ClockState, at now: Instant) -> Note? {
    self.system = system.forMessages
    return review(at: now)
  }

  /// Takes a fix that was not rejected; the same again is passed over.
  /// - Returns: what is worth a line.
  public mutating func hear(_ fix: Fix, at now: Instant) -> Note? {
    guard let time = fix.time, latest.map({ fix.receivedAt > $0 }) ?? true else { return nil }
    latest = fix.receivedAt
    let received = fix.receivedAt
    let isOff = FixTimeVerdict(time, at: (state.wall(at: received), state.quality)).rollovers != nil
    if isOff, !isRolledOver { rollovers += 1 }
    isRolledOver = isOff
    let isTrusted = isTrusted(time, at: received)
    if system.quality == .ntp { refuted = isTrusted ? nil : time.seconds - received.seconds }
    if isTrusted { gps.hear(time, received: received) }
    return review(at: now)
  }

  /// Whether GPS time may be learnt from a fix: it can be true, and the system clock knows nothing against it. What GPS
  /// time itself was so far is no argument: it may have been wrong, and `GPSClock` wants proof of that.
  private func isTrusted(_ time: WallTime, at now: Instant) -> Bool {
    let wall = system.wall(at: now)
    if system.quality == .ntp { return (wall - time).magnitude <= NodeClock.disciplinedS }
    // What NTP proved wrong stays wrong when NTP goes.
    if let refuted, (time.seconds - now.seconds - refuted).magnitude <= NodeClock.disciplinedS { return false }
    return FixTimeVerdict.canBeTrue(time) && FixTimeVerdict(time, at: (wall, system.quality)) == .plausible
  }

  /// The machine was suspended for so long [s]: every clock went on, and instants did not. The system clock that the
  /// shell finds afterwards replaces the one that is moved here, so that nothing counts twice.
  public mutating func sleep(_ seconds: Double) {
    system.wallAtStart = system.wallAtStart + seconds
    state.wallAtStart = state.wallAtStart + seconds
    gps.sleep(seconds)
    refuted = refuted.map { $0 + seconds }
    latest = latest.map { $0 - seconds }
    disciplinedAt = disciplinedAt.map { $0 - seconds }
  }

  /// Decides anew which clock counts; to be called whenever time passed.
  /// - Returns: what is worth a line.
  public mutating func review(at now: Instant) -> Note? {
    let before = (state: state, source: source)
    heed(at: now)
    let time = gps.state(at: now)
    if system.quality != .ntp, let time, isWorthMore(time) {
      (state, source) = (time, .gps)
    } else {
      (state, source) = (system, .system)
    }
    let stepS = state.wallAtStart - before.state.wallAtStart
    let isNotable =
      source != before.source || state.quality != before.state.quality || stepS.magnitude > NodeClock.notableS
    return isNotable ? note(of: stepS, time, at: now) : nil
  }
}

// MARK: - Beside a disciplined clock

extension NodeClock {
  /// What a disciplined clock says against GPS time counts on after it: GPS time is to be learnt anew.
  private mutating func heed(at now: Instant) {
    guard system.quality == .ntp else { return }
    disciplinedAt = now
    guard let time = gps.state(at: now) else { return }
    let offS = time.wallAtStart - system.wallAtStart
    if offS.magnitude > NodeClock.disciplinedS { gps = GPSClock() }
  }

  /// GPS time that has run freely for long is no better than a system clock that was disciplined since.
  private func isWorthMore(_ time: ClockState) -> Bool {
    guard time.quality != .gps, let disciplinedAt, let heardAt = gps.heardAt else { return true }
    return heardAt >= disciplinedAt
  }
}

// MARK: - What the log says

extension NodeClock {
  /// With both times: that which counts now, and the other one, or the one before.
  private func note(of stepS: Double, _ time: ClockState?, at now: Instant) -> Note {
    let wall = state.wall(at: now)
    let comparison =
      switch (source, time) {
      case (.gps, _): "the system clock is \(NodeClock.text(behindS: wall - system.wall(at: now))), and is left alone"
      case (.system, let time?): "GPS time is \(NodeClock.text(behindS: wall - time.wall(at: now)))"
      case (.system, nil): "the time before was \(NodeClock.text(behindS: stepS))"
      }
    return Note(.notice, "clock", "clock: \(name), \(wall.rfc3339); \(comparison)")
  }

  private var name: String {
    switch (source, state.quality) {
    case (.gps, .gps): "GPS time"
    case (.gps, _): "GPS time of more than a day ago"
    case (.system, .ntp): "the system clock, disciplined"
    case (.system, .none): "the system clock, which nothing vouches for"
    case (.system, _): "the system clock, set once"
    }
  }

  /// `56 y behind`, `0.3 s ahead`.
  private static func text(behindS: Double) -> String {
    "\(span(behindS.magnitude)) \(behindS < 0 ? "ahead" : "behind")"
  }

  /// `8 h`, for people; `seconds` >= 0.
  static func span(_ seconds: Double) -> String {
    switch seconds {
    case ..<120: "\(tenths(seconds)) s"
    case ..<7200: "\(Int(seconds / 60)) min"
    case ..<172_800: "\(Int(seconds / 3600)) h"
    case ..<63_113_904: "\(Int(seconds / 86_400)) days"
    case ..<1e12: "\(Int(seconds / 31_556_952)) y"
    default: "very far"
    }
  }
}
