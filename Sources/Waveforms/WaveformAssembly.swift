public import Telemetry

/// Puts waveforms together from chunks that come in any order, twice, late, or not at all.
///
/// A waveform is handed out when its last chunk and all before it are there. One that nothing comes for any more, or
/// that has to make room, is handed out as far as it is, and what still comes of it later is handed out as another
/// waveform of the same name, so that nothing is lost and nothing is there twice. Everything is bounded.
public struct WaveformAssembly: Sendable {
  /// What it may hold.
  public struct Bounds: Equatable, Sendable {
    /// Waveforms that wait for more.
    public var waveforms = 4096
    /// Samples that they have in all: 12 bytes each.
    public var samples = 2_000_000
    /// Waveforms that were handed out and are remembered, so that a chunk that comes again is known.
    public var remembered = 4096
    /// So long after its newest chunk a waveform waits no longer [s]: a node behind a link that comes and goes may need
    /// some minutes.
    public var patienceS = 900.0

    public init() {}
  }

  /// What became of chunks.
  public struct Counts: Equatable, Sendable {
    /// Put in their place.
    public var taken = 0
    /// There already.
    public var duplicates = 0
    /// Beyond the number that a waveform has, or with samples at times that cannot be.
    public var refused = 0
    /// Waveforms that were handed out with something missing.
    public var incomplete = 0
  }

  /// Chunks of one waveform: four times what a node sends.
  static let mostChunks = 4096
  /// Samples further apart than this are no waveform [s].
  private static let longestStepS = 60.0

  struct Key: Hashable {
    var node: NodeName
    var boot: BootID
    var shake: Int
  }

  private let bounds: Bounds
  public private(set) var counts = Counts()
  private var open: [Key: WaveformParts] = [:]
  private var samples = 0
  private var former: [Key: WaveformParts.Record] = [:]
  private var formerOrder: [Key] = []
  /// Where the oldest of `formerOrder` is: a ring once it is full.
  private var formerNext = 0
  /// No waveform is overdue before; made exact whenever it is reached.
  private var earliest: Instant?

  public init(_ bounds: Bounds = Bounds()) {
    self.bounds = bounds
  }

  /// When `collect` has something to do at the earliest; nil while nothing waits.
  public var nextDeadline: Instant? { earliest }

  /// Waveforms that wait for more.
  public var waiting: Int { open.count }

  /// Takes a chunk, and answers the waveforms that are to be written now.
  public mutating func add(
    _ chunk: WaveformMessage, of node: NodeName, _ envelope: Envelope, at now: Instant
  ) -> [Waveform] {
    guard chunk.chunk < Self.mostChunks, chunk.periodS <= Self.longestStepS,
      chunk.count == 1 || chunk.periodS > 0
    else {
      counts.refused += 1
      return []
    }
    let key = Key(node: node, boot: envelope.boot, shake: chunk.id)
    // Taken out and put back, so that its chunks are not copied.
    var parts = open.removeValue(forKey: key) ?? WaveformParts(after: former[key])
    guard parts.add(chunk, envelope, at: now) else {
      counts.duplicates += 1
      if parts.samples > 0 { open[key] = parts }
      return []
    }
    counts.taken += 1
    samples += chunk.count
    if parts.isComplete { return [close(key, parts)] }
    open[key] = parts
    if earliest == nil { earliest = now + bounds.patienceS }
    return makeRoom()
  }

  /// Answers the waveforms for which nothing has come for too long.
  public mutating func collect(at now: Instant) -> [Waveform] {
    guard let earliest, now >= earliest else { return [] }
    let overdue = open.filter { now >= $0.value.heard + bounds.patienceS }.keys.sorted(by: inOrder)
    let waveforms = overdue.compactMap { key in open[key].map { close(key, $0) } }
    self.earliest = open.values.map { $0.heard + bounds.patienceS }.min()
    return waveforms
  }

  /// Answers all that waits, as far as it is: the program ends.
  public mutating func finish() -> [Waveform] {
    let waveforms = open.keys.sorted(by: inOrder).compactMap { key in open[key].map { close(key, $0) } }
    earliest = nil
    return waveforms
  }

  /// The waveform that was heard of least recently goes first.
  private mutating func makeRoom() -> [Waveform] {
    var waveforms: [Waveform] = []
    while open.count > bounds.waveforms || samples > bounds.samples,
      let oldest = open.min(by: { ($0.value.heard, $1.key) < ($1.value.heard, $0.key) })
    {
      waveforms.append(close(oldest.key, oldest.value))
    }
    return waveforms
  }

  private mutating func close(_ key: Key, _ parts: WaveformParts) -> Waveform {
    open[key] = nil
    if open.isEmpty { earliest = nil }
    samples -= parts.samples
    remember(parts.record, key)
    let waveform = parts.waveform(key)
    if waveform.missingChunks > 0 || !waveform.hasEnd { counts.incomplete += 1 }
    return waveform
  }

  private mutating func remember(_ record: WaveformParts.Record, _ key: Key) {
    if former.updateValue(record, forKey: key) != nil { return }
    if formerOrder.count < bounds.remembered {
      formerOrder.append(key)
    } else {
      former[formerOrder[formerNext]] = nil
      formerOrder[formerNext] = key
      formerNext = (formerNext + 1) % formerOrder.count
    }
  }

  private func inOrder(_ a: Key, _ b: Key) -> Bool { a < b }
}

extension WaveformAssembly.Key: Comparable {
  static func < (a: Self, b: Self) -> Bool { (a.node, a.boot.value, a.shake) < (b.node, b.boot.value, b.shake) }
}

extension WaveformMessage {
  /// Samples in it.
  var count: Int { x.count }
}
