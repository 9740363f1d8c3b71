public import Telemetry

/// A moment of the fleet tool: on its monotonic clock and by the calendar as it was known then.
public struct Moment: Equatable, Sendable {
  /// On the monotonic clock.
  public var instant: Instant
  /// By the calendar.
  public var wall: WallTime

  public init(instant: Instant, wall: WallTime) {
    self.instant = instant
    self.wall = wall
  }
}

/// When something a node said came, and when it was measured.
public struct Stamp: Equatable, Sendable {
  /// When it came, live; nil when the broker had kept it or the node sent it late: receipt says nothing about its age.
  public var heard: Moment?
  /// When it was measured, by the best clock that its run of the node is known to have had so far; nil while nothing
  /// vouches for any.
  public internal(set) var measured: WallTime?
  /// `measured` is by a disciplined clock.
  private var isDisciplined = false
  /// The message's own account of itself, from which `measured` can be told once the run has a better clock.
  var envelope: Envelope
  /// The run it belongs to, in the order in which runs became current.
  var order: Int

  init(_ envelope: Envelope, heard: Moment?, order: Int, clock: ClockState?) {
    self.envelope = envelope
    self.heard = heard
    self.order = order
    measure(by: clock)
  }

  private mutating func measure(by clock: ClockState?) {
    measured = envelope.measured(by: clock)
    isDisciplined = [envelope.clock, clock?.quality].contains { $0 == .ntp || $0 == .gps }
  }

  /// Its sequence number; 0 on what has none.
  var sequence: UInt64 { envelope.sequence ?? 0 }

  /// Tells anew when it was measured, after the best clock of a run became known or better.
  mutating func repair(_ boot: BootID, by clock: ClockState) {
    if envelope.boot == boot { measure(by: clock) }
  }

  /// Whether `self` says something newer than `other`.
  func isNewer(than other: Stamp) -> Bool { (order, sequence) >= (other.order, other.sequence) }

  /// How old it is [s]; nil when nobody can say.
  ///
  /// What came live is as old as its receipt at least. It is older where two disciplined clocks say so: an event may
  /// have waited in the node for hours.
  /// - Parameter clock: the fleet tool's own.
  public func age(at now: Instant, _ clock: ClockState) -> Double? {
    let byCalendar = measured.map { max(0, clock.wall(at: now) - $0) }
    guard let heard else { return clock.quality == .none ? nil : byCalendar }
    let byReceipt = max(0, now - heard.instant)
    guard isDisciplined, clock.quality == .ntp || clock.quality == .gps, let byCalendar else { return byReceipt }
    return max(byReceipt, byCalendar)
  }
}

extension Envelope {
  /// When the content was measured: by the best clock of the run where that is worth more than the message's own, else
  /// by its own; nil when nothing vouches for either.
  func measured(by best: ClockState?) -> WallTime? {
    if let best, let repaired = repairedTime(by: best) { return repaired }
    return clock == ClockQuality.none ? nil : time
  }
}
