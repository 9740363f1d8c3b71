public import Telemetry

/// Keeps a node within a volume of data: says how many times longer than configured its windows have to be.
///
/// A balance of bytes fills at the pace of the limit and is drawn on by all that goes out. Half a day's worth is full
/// enough for everything as configured. Below, windows are stretched, the more the lower the balance: it settles where
/// what goes out is what comes in, without steps and so without flapping. Windows are as configured again once the
/// balance is back at 0.7 of a day's worth.
///
/// Nothing is kept over a restart, so a start grants little: 0.05 of a day's worth. What is missing to 0.7 comes over
/// the first ten days, and until then windows are stretched, and are as configured again, at balances lower in
/// proportion: what goes out no faster than the limit fills the balance is never stretched. A node that is cut off from
/// its power every hour may use 2.3 times its limit.
///
/// A quiet day saves for a busy one, up to three quarters of a day's worth; that is why the pace is the limit by 30.75
/// days. So no 30 days go beyond the limit, unless what is never withheld (events, health, live samples, the link
/// itself) does so alone: it is charged like the rest, and the windows pay for it as far as they can.
///
/// Only what the node hands over can be counted; what TCP, TLS and MQTT add is estimated, both ways, since both are
/// paid for.
public struct DataBudget: Equatable, Sendable {
  /// The limit, and what is needed to estimate what goes over the wire.
  public struct Settings: Equatable, Sendable {
    /// What may go over the wire in 30 days [bytes], > 0.
    public var limitBytes: Double
    /// How long topics are up to the stream's name, the slash included [bytes].
    public var topicBytes: Int
    /// From one ping to the next [s], > 0.
    public var keepaliveS: Double
    /// Whether the link is encrypted, which costs some bytes a message and some kilobytes a connection.
    public var isEncrypted: Bool

    public init(limitBytes: Double, topicBytes: Int = 16, keepaliveS: Double = 120, isEncrypted: Bool = false) {
      self.limitBytes = limitBytes
      self.topicBytes = topicBytes
      self.keepaliveS = keepaliveS
      self.isEncrypted = isEncrypted
    }
  }

  /// What changed about the windows.
  public enum Change: Equatable, Sendable {
    /// Windows are stretched from now on.
    case stretching
    /// What is never withheld is more than the limit: windows are as long as they get, and it is not enough.
    case exceeded
    /// Windows are as configured again.
    case relaxed
  }

  private enum State: Equatable {
    case relaxed, stretching, exceeded
  }

  private static let dayS = 86_400.0
  private static let mostDays = 0.75
  private static let paceDays = 30 + mostDays
  /// Levels: below this windows are stretched, and at nothing as long as they get.
  private static let stretchBelow = 0.5
  private static let relaxAbove = 0.7
  private static let exceededBelow = -0.5
  private static let daysCounted = 30
  /// What a start grants at once, and what it has granted after so many days [days' worth].
  private static let firstReserve = 0.05
  private static let wholeReserve = relaxAbove
  private static let reserveDays = 10.0

  public private(set) var settings: Settings
  private var state = State.relaxed
  /// What may go out at once [bytes]; below 0 it is owed.
  private var balance: Double
  private var now: Instant
  private let begun: Instant
  private var isConnected = false
  /// What went out on each of the last 30 days; the present one is at `day` modulo 30.
  private var days = [Double](repeating: 0, count: daysCounted)
  private var day: Int

  /// Begins at `now` with 0.05 of a day's worth.
  public init(_ settings: Settings, at now: Instant) {
    self.settings = settings
    self.now = now
    begun = now
    day = Int(now.seconds / Self.dayS)
    balance = 0
    balance = reserve * dayBytes
  }

  /// What went over the wire in the last 30 days, today included, or since the start [bytes].
  public var usedBytes: Double { days.reduce(0, +) }

  /// How many times longer than configured windows have to be: 1 to `longest`.
  ///
  /// - Parameter longest: the longest that windows may get, in windows as configured, >= 1.
  public func stretch(upTo longest: Double) -> Double {
    let part = min(max(level, 0), Self.stretchBelow) / Self.stretchBelow
    return min(exp((1 - part) * log(max(longest, 1))), max(longest, 1))
  }

  /// Takes another limit; what was saved or is owed stays, in days.
  public mutating func reconfigure(_ settings: Settings) {
    let inDays = balance / dayBytes
    self.settings = settings
    balance = inDays * dayBytes
  }

  /// The connection to the broker was made or lost.
  public mutating func setConnected(_ isConnected: Bool, at now: Instant) {
    advance(to: now)
    if isConnected { draw(Overhead.connection(settings)) }
    self.isConnected = isConnected
  }

  /// Takes a message that is handed over, and answers what that changes, if anything.
  public mutating func charge(_ telegram: Telegram, at now: Instant) -> Change? {
    advance(to: now)
    draw(bytes(of: telegram))
    return judge()
  }

  /// What a message comes to, with all that carries it [bytes].
  public func bytes(of telegram: Telegram) -> Double {
    let stream = telegram.body.stream
    let content = telegram.encode().count + settings.topicBytes + stream.rawValue.utf8.count
    return Overhead.message(content, isAcknowledged: stream.qos > 0, settings)
  }

  private var dayBytes: Double { settings.limitBytes / Self.paceDays }

  /// What the start has granted so far [days' worth].
  private var reserve: Double {
    let grown = min((now - begun) / (Self.reserveDays * Self.dayS), 1)
    return Self.firstReserve + (Self.wholeReserve - Self.firstReserve) * grown
  }

  /// The share of the whole reserve that was granted, by which all levels of the balance are lower.
  private var share: Double { reserve / Self.wholeReserve }

  /// The balance, in days' worth once the whole reserve was granted.
  private var level: Double { balance / dayBytes / share }

  private mutating func advance(to next: Instant) {
    let stepS = next - now
    guard stepS > 0 else { return }
    let reserveBefore = reserve
    now = next
    // The bound only keeps a leap of centuries from overflowing.
    let today = Int(min(next.seconds / Self.dayS, 1e9))
    for passed in 0..<min(today - day, Self.daysCounted) { days[(day + 1 + passed) % Self.daysCounted] = 0 }
    day = max(day, today)
    let earnedDays = stepS / Self.dayS + reserve - reserveBefore
    balance = min(balance + earnedDays * dayBytes, Self.mostDays * share * dayBytes)
    if isConnected { draw(Overhead.ping(settings) * stepS / settings.keepaliveS) }
  }

  private mutating func draw(_ bytes: Double) {
    days[day % Self.daysCounted] += bytes
    // What is owed is forgotten after a month: nobody pays for it in the next.
    balance = max(balance - bytes, -settings.limitBytes)
  }

  private mutating func judge() -> Change? {
    let days = balance / dayBytes
    let level = level
    switch state {
    case .relaxed where level < Self.stretchBelow:
      state = .stretching
      return .stretching
    case .stretching where days < Self.exceededBelow:
      state = .exceeded
      return .exceeded
    case .stretching where level >= Self.relaxAbove, .exceeded where level >= Self.relaxAbove:
      state = .relaxed
      return .relaxed
    case .exceeded where days > 0:
      state = .stretching
      return .stretching
    default: return nil
    }
  }
}

/// What the layers below add to a message: an estimate, made of the sizes of their headers.
private enum Overhead {
  /// IPv4 (20), TCP with timestamps (32). An acknowledgement is as long as an empty segment.
  private static let segment = 52.0
  /// What fits into a segment on a mobile link.
  private static let segmentRoom = 1_348.0
  /// TLS 1.3: header (5), kind (1), tag (16).
  private static let record = 22.0
  /// Fixed header (3), length of the topic (2), number (2), length of properties (1).
  private static let publish = 8.0
  /// PUBACK with its number, as MQTT 5 writes it at its shortest.
  private static let acknowledgement = 4.0

  /// - Parameter content: topic and payload [bytes].
  static func message(_ content: Int, isAcknowledged: Bool, _ settings: DataBudget.Settings) -> Double {
    let there = packet(Double(content) + publish, settings)
    return isAcknowledged ? there + packet(acknowledgement, settings) : there
  }

  /// PINGREQ and PINGRESP, two bytes each.
  static func ping(_ settings: DataBudget.Settings) -> Double { 2 * packet(2, settings) }

  /// Three segments to connect and four to part, CONNECT with a will and its answer; with TLS two certificates of some
  /// 1.5 kB each and the rest of a handshake.
  static func connection(_ settings: DataBudget.Settings) -> Double {
    7 * segment + packet(300, settings) + packet(20, settings) + (settings.isEncrypted ? 5_000 : 0)
  }

  /// There, and the acknowledgement of each segment back.
  private static func packet(_ bytes: Double, _ settings: DataBudget.Settings) -> Double {
    let whole = bytes + (settings.isEncrypted ? record : 0)
    return whole + (whole / segmentRoom).rounded(.up) * 2 * segment
  }
}
