internal import Telemetry

/// How much of what is late may be under way at once, so that what happens now never waits long behind it.
///
/// A link's own delay is the shortest PUBACK time of the last minute or two; what a PUBACK takes beyond that, it waited
/// behind what was sent before. While that is under half a second, as many bytes more may be under way as were
/// acknowledged, which doubles them each round trip; above one second they are halved, once for each round trip. So
/// a queue of about a second stands before a slow link, and never less than one event. A fifth of the window is kept
/// for what happens now.
struct Pace: Equatable, Sendable {
  /// What a message costs beside its payload [bytes]: topic, headers, acknowledgement.
  static let overheadBytes = 100
  private static let firstBytes = 2_000.0
  private static let leastBytes = 500.0
  private static let mostBytes = 262_144.0
  private static let growBelowS = 0.5
  private static let shrinkAboveS = 1.0
  private static let baseS = 60.0

  private(set) var roomBytes = Pace.firstBytes
  private var underWayBytes = 0
  private var underWayCount = 0
  private var shrunkAt: Instant?
  /// The shortest PUBACK times of this minute and of the one before.
  private var shortest: (present: Double?, before: Double?) = (nil, nil)
  private var minuteFrom = Instant.start

  /// A new connection: nothing is known of the link.
  mutating func connect(at now: Instant) {
    self = Pace()
    minuteFrom = now
  }

  /// Whether one more late event of this size may go.
  func allows(_ bytes: Int, underWay: Int, window: Int) -> Bool {
    if underWayCount == 0 { return underWay < window }
    let isRoom = Double(underWayBytes + bytes + Pace.overheadBytes) <= roomBytes
    return isRoom && underWay < window - window / 5
  }

  /// A late event was handed over.
  mutating func begin(_ bytes: Int) {
    underWayBytes += bytes + Pace.overheadBytes
    underWayCount += 1
  }

  /// A late event has become so much larger, or smaller.
  mutating func change(by bytes: Int) { underWayBytes += bytes }

  /// A late event is no longer under way.
  mutating func end(_ bytes: Int) {
    underWayBytes -= bytes + Pace.overheadBytes
    underWayCount -= 1
  }

  /// A PUBACK came for any event.
  mutating func acknowledge(_ bytes: Int, afterS: Double, at now: Instant) {
    if now - minuteFrom > Pace.baseS {
      shortest = (nil, shortest.present)
      minuteFrom = now
    }
    shortest.present = min(shortest.present ?? afterS, afterS)
    let base = min(shortest.present ?? afterS, shortest.before ?? afterS)
    let queuedS = afterS - base
    if queuedS < Pace.growBelowS {
      roomBytes = min(roomBytes + Double(bytes + Pace.overheadBytes), Pace.mostBytes)
    } else if queuedS > Pace.shrinkAboveS, shrunkAt.map({ now - $0 > afterS }) ?? true {
      roomBytes = max(roomBytes / 2, Pace.leastBytes)
      shrunkAt = now
    }
  }

  static func == (a: Pace, b: Pace) -> Bool {
    a.roomBytes == b.roomBytes && a.underWayBytes == b.underWayBytes && a.underWayCount == b.underWayCount
  }
}
