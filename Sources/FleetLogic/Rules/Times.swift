public import Telemetry

/// How the calendar of a place runs: its offset from UTC, and when that changes. Pure; whoever has a time zone database
/// makes it.
public struct Zone: Equatable, Sendable {
  /// From when on which offset holds.
  public struct Change: Equatable, Sendable {
    /// From then on.
    public var from: WallTime
    /// What is added to UTC [s].
    public var offsetS: Double

    public init(from: WallTime, offsetS: Double) {
      self.from = from
      self.offsetS = offsetS
    }
  }

  /// Before the first change [s].
  public var offsetS: Double
  /// Rising.
  public var changes: [Change]

  public init(offsetS: Double = 0, changes: [Change] = []) {
    self.offsetS = offsetS
    self.changes = changes
  }

  /// Coordinated universal time.
  public static let utc = Zone()

  /// What is added to UTC at `time` [s].
  public func offset(at time: WallTime) -> Double { changes.last { $0.from <= time }?.offsetS ?? offsetS }
}

/// A part of the week, or one stretch of the calendar.
public struct Window: Equatable, Sendable {
  /// When.
  public enum Span: Equatable, Sendable {
    /// On these days of the week (0: Monday), from so many seconds after midnight to so many, local time. Where `to` is
    /// not after `from` it goes on past midnight, and belongs to the day on which it began.
    case weekly(days: Set<Int>, fromS: Double, toS: Double)
    /// From then until then.
    case once(from: WallTime, to: WallTime)
  }

  /// What rules call it.
  public var name: String
  /// When.
  public var span: Span
  /// Where a weekly one is.
  public var zone: Zone
  /// It is for maintenance of these nodes: none of their alerts is told meanwhile. Nil: only rules that name it care.
  public var maintenance: Scope?

  public init(name: String, _ span: Span, zone: Zone = .utc, maintenance: Scope? = nil) {
    self.name = name
    self.span = span
    self.zone = zone
    self.maintenance = maintenance
  }

  static let dayS = 86_400.0

  /// Whether `time` lies in it.
  public func contains(_ time: WallTime) -> Bool {
    switch span {
    case .once(let from, let to): return from <= time && time < to
    case .weekly(let days, let fromS, let toS):
      let local = time.seconds + zone.offset(at: time)
      let day = (local / Self.dayS).rounded(.down)
      let second = local - day * Self.dayS
      // 1970-01-01 was a Thursday.
      let weekday = (Int(day) + 3) % 7
      let isToday = days.contains(weekday)
      if fromS < toS { return isToday && second >= fromS && second < toS }
      return isToday && second >= fromS || days.contains((weekday + 6) % 7) && second < toS
    }
  }

  /// When it begins or ends next, or may: a time to look again; nil when it is over for good.
  func nextChange(after time: WallTime) -> WallTime? {
    switch span {
    case .once(let from, let to):
      return [from, to].filter { $0 > time }.min()
    case .weekly(_, let fromS, let toS):
      let local = time.seconds + zone.offset(at: time)
      let second = local - (local / Self.dayS).rounded(.down) * Self.dayS
      // Also at the change of the zone's offset, which moves it.
      let waits = [fromS, toS].map { $0 > second ? $0 - second : $0 - second + Self.dayS }
      let shift = zone.changes.first { $0.from > time }.map { $0.from - time }
      return (waits + [shift].compactMap { $0 }).min().map { time + max($0, 1) }
    }
  }
}

/// When a rule counts.
public struct Times: Equatable, Sendable {
  /// Only while one of these is; empty: always.
  public var only: [String]
  /// Not while one of these is.
  public var except: [String]

  public init(only: [String] = [], except: [String] = []) {
    self.only = only
    self.except = except
  }

  /// Why the rule does not count at `time`; nil: it does.
  func pause(at time: WallTime, _ windows: [Window]) -> String? {
    let open = windows.filter { $0.contains(time) }.map(\.name)
    if let closed = except.first(where: { open.contains($0) }) { return "it does not count in the window \(closed)" }
    guard !only.isEmpty, !only.contains(where: { open.contains($0) }) else { return nil }
    return "it counts only in the window \(only.joined(separator: ", "))"
  }
}
