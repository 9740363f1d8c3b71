internal import Telemetry

/// How fast events come, and how old the oldest on the disk is: what a health message says of the spool.
struct SpoolOutlook: Sendable {
  private static let bucketS = 600.0
  /// A shorter time says nothing of a pace [s].
  private static let leastS = 300.0
  private static let buckets = 6
  private static let markS = 60.0
  private static let mostMarks = 2048

  private var bytes = [Double](repeating: 0, count: SpoolOutlook.buckets)
  private var bucket = 0
  private var bucketFrom: Instant
  private let begun: Instant
  private var marks: [(sequence: UInt64, madeAt: Instant)] = []

  init(at now: Instant) {
    begun = now
    bucketFrom = now
  }

  /// An event came.
  mutating func note(_ sequence: UInt64, bytes: Int, at made: Instant) {
    advance(to: made)
    self.bytes[bucket] += Double(bytes)
    if let last = marks.last, made - last.madeAt < Self.markS { return }
    if marks.count >= Self.mostMarks {
      marks = marks.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    }
    marks.append((sequence, made))
  }

  private mutating func advance(to now: Instant) {
    for _ in 0..<Self.buckets where now - bucketFrom >= Self.bucketS {
      bucket = (bucket + 1) % Self.buckets
      bytes[bucket] = 0
      bucketFrom = bucketFrom + Self.bucketS
    }
    if now - bucketFrom >= Self.bucketS { bucketFrom = now }
  }

  /// When the event with this number was made, a minute too early at the most; nil when that is not known.
  func madeAt(_ sequence: UInt64) -> Instant? { marks.last { $0.sequence <= sequence }?.madeAt }

  /// How long it takes to fill so much room [s], at the pace of the last hour; nil before five minutes have passed, and
  /// while nothing comes.
  mutating func lastsS(room: Int, at now: Instant) -> Double? {
    advance(to: now)
    let spanS = min(now - begun, Double(Self.buckets - 1) * Self.bucketS + (now - bucketFrom))
    let sum = bytes.reduce(0, +)
    guard spanS >= Self.leastS, sum > 0 else { return nil }
    return Double(max(0, room)) / (sum / spanS)
  }
}
