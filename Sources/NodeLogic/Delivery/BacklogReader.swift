internal import Telemetry

/// Where the outbox is in reading the events back that are on the disk, shocks and routine or waveforms.
///
/// One pass goes from a place to the end, a chunk at a time. What must be looked at again moves the place back.
struct BacklogReader: Sendable {
  static let chunkEvents = 100
  static let chunkBytes = 256_000
  /// The next chunk is asked for when so few are left.
  private static let fewLeft = 25
  /// A question that was not answered for so long is asked again [s].
  private static let answerS = 60.0

  let isWaveform: Bool
  /// Behind this comes what was not looked at; nil: everything.
  private(set) var cursor: SpoolMark?
  /// Nothing is left to be looked at.
  private(set) var isAtEnd = true
  /// Nothing needs to be looked at behind this; nil: the end.
  private var goal: SpoolMark?
  private var question: (id: UInt64, askedAt: Instant)?
  /// What was read and waits, by token, in order.
  var chunk = Deque<UInt64>()

  init(isWaveform: Bool) {
    self.isWaveform = isWaveform
  }

  /// Whether an answer is awaited.
  var isAsking: Bool { question != nil }
  /// When to ask again.
  var nextDeadline: Instant? { chunk.count > Self.fewLeft ? nil : question.map { $0.askedAt + Self.answerS } }

  /// Whether more may come before anything that is younger.
  func mayBring(at now: Instant, within seconds: Double) -> Bool {
    guard chunk.first == nil, !isAtEnd else { return false }
    return question.map { now < $0.askedAt + seconds } ?? true
  }

  /// When `mayBring` changes its mind.
  func patience(_ seconds: Double) -> Instant? { chunk.first == nil ? question.map { $0.askedAt + seconds } : nil }

  /// What lies behind `mark` is to be looked at again, as far as `goal`; nil: from the beginning, to the end.
  mutating func revisit(after mark: SpoolMark?, through goal: SpoolMark? = nil) {
    if isAtEnd {
      (cursor, self.goal, isAtEnd) = (mark, goal, false)
      question = nil
      return
    }
    if let own = self.goal { self.goal = goal.map { max($0, own) } }
    guard let cursor else { return }
    if let mark, mark >= cursor { return }
    self.cursor = mark
    question = nil
  }

  /// What to ask the spool now, if anything.
  mutating func ask(id: UInt64, at now: Instant) -> SpoolWish? {
    guard !isAtEnd, chunk.count <= Self.fewLeft else { return nil }
    if let question, now < question.askedAt + Self.answerS { return nil }
    question = (id, now)
    return .fetch(
      id: id, isWaveform: isWaveform, after: cursor, limit: Self.chunkEvents, limitBytes: Self.chunkBytes)
  }

  /// Takes the answer; nil: it is not the one that is awaited. Else the place behind which its events are found.
  mutating func take(id: UInt64, last: SpoolMark?, isEnd: Bool) -> SpoolMark?? {
    guard let asked = question, asked.id == id else { return nil }
    let before = cursor
    // An answer that leads nowhere is not asked for again at once.
    guard isEnd || last != nil else {
      question = (0, asked.askedAt)
      return .some(before)
    }
    question = nil
    if let last { cursor = max(last, cursor ?? last) }
    let isThrough = goal.map { goal in cursor.map { $0 >= goal } ?? false } ?? false
    isAtEnd = isEnd || isThrough
    return .some(before)
  }

  /// The connection is gone: what was asked for is of no use.
  mutating func forget() {
    question = nil
    chunk = Deque()
  }
}
