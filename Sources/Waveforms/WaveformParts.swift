internal import Telemetry

/// The chunks of one waveform that came so far.
struct WaveformParts: Sendable {
  /// A step of the clock between two chunks that is larger than this is put right [s]: `t` and `up` have 3 decimals.
  private static let clockStepS = 0.005

  /// What is remembered of a waveform that was handed out.
  struct Record: Sendable {
    var numbers = ChunkNumbers()
    /// The number of the last chunk, once it came.
    var last: Int?
  }

  private struct Part {
    var number: Int
    var segment: WaveformSegment
    var clock: ClockQuality
    /// What the node's clock showed at its start, as this chunk has it [s]; nil where the envelope does not say.
    var wallAtStart: Double?
  }

  private var parts: [Part] = []
  /// These, and those that were handed out before.
  private(set) var record: Record
  private(set) var samples = 0
  /// When the newest came.
  private(set) var heard = Instant.start

  /// - Parameter former: what was handed out of the same waveform before.
  init(after former: Record?) {
    record = former ?? Record()
  }

  /// The last chunk and all before it came.
  var isComplete: Bool { record.last.map { record.numbers.count(through: $0) == $0 + 1 } ?? false }

  /// Takes a chunk; false when it is there already, or when it is behind the last one.
  mutating func add(_ chunk: WaveformMessage, _ envelope: Envelope, at now: Instant) -> Bool {
    if let last = record.last, chunk.chunk > last { return false }
    guard record.numbers.insert(chunk.chunk) else { return false }
    if chunk.isLast { record.last = chunk.chunk }
    var wallAtStart: Double?
    if let time = envelope.time, let uptime = envelope.uptime { wallAtStart = time.seconds - uptime }
    parts.append(
      Part(
        number: chunk.chunk,
        segment: WaveformSegment(
          start: chunk.start, stepS: chunk.count > 1 ? chunk.periodS : 0, unitG: chunk.unitG, x: chunk.x, y: chunk.y,
          z: chunk.z),
        clock: envelope.clock ?? .none, wallAtStart: wallAtStart))
    samples += chunk.count
    heard = now
    return true
  }

  /// All that is there, in order. There is at least one chunk.
  func waveform(_ key: WaveformAssembly.Key) -> Waveform {
    let ordered = parts.sorted { $0.number < $1.number }
    let clock = ordered.map(\.clock).max { $0.worth < $1.worth } ?? .none
    let best = ordered.last { $0.clock == clock }
    let highest = record.last ?? record.numbers.highest ?? 0
    return Waveform(
      node: key.node, boot: key.boot, shake: key.shake, clock: clock,
      segments: ordered.map { Self.put($0, onTheClockOf: best) },
      missingChunks: highest + 1 - record.numbers.count(through: highest), hasEnd: record.last != nil)
  }

  /// When the node's clock was set during a shake, all of it is put on the clock of its best chunk.
  private static func put(_ part: Part, onTheClockOf best: Part?) -> WaveformSegment {
    var segment = part.segment
    if let own = part.wallAtStart, let right = best?.wallAtStart, (own - right).magnitude > clockStepS {
      segment.start = segment.start + (right - own)
    }
    return segment
  }
}

extension ClockQuality {
  fileprivate var worth: Int {
    switch self {
    case .none: 0
    case .rtc: 1
    // GPS time is late by what a fix takes to come.
    case .gps: 2
    case .ntp: 3
    }
  }
}

/// Which chunks came: a bit each.
struct ChunkNumbers: Equatable, Sendable {
  private var words: [UInt64] = []

  /// Whether it was not there yet.
  mutating func insert(_ number: Int) -> Bool {
    let (word, bit) = (number / 64, UInt64(1) << UInt64(number % 64))
    while words.count <= word { words.append(0) }
    guard words[word] & bit == 0 else { return false }
    words[word] |= bit
    return true
  }

  /// The highest number; nil when there is none.
  var highest: Int? {
    guard let word = words.lastIndex(where: { $0 != 0 }) else { return nil }
    return word * 64 + 63 - words[word].leadingZeroBitCount
  }

  /// How many of 0...`number` are there.
  func count(through number: Int) -> Int {
    var count = 0
    for (index, word) in words.enumerated() where index * 64 <= number {
      let rest = number - index * 64
      count += (rest >= 63 ? word : word & ((1 << UInt64(rest + 1)) - 1)).nonzeroBitCount
    }
    return count
  }
}
