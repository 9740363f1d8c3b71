internal import Telemetry

/// Gathers samples into a chunk for as long as they fit: into its bytes, and onto an even spacing.
///
/// The arrays are as long as they may get from the start, so that nothing is allocated per sample.
struct WaveformChunkBuilder: Equatable {
  /// The most that the rest of a message takes: envelope, keys, and numbers at their longest [bytes].
  static let overheadBytes = 280
  /// Fewest bytes of one sample: three digits, signs and commas.
  private static let smallestSampleBytes = 9

  private let roomBytes: Int
  private var usedBytes = 0
  private var x: [Int32] = []
  private var y: [Int32] = []
  private var z: [Int32] = []
  private var start = 0.0
  private var last = 0.0
  /// Steps at which no sample so far would be more than half a step off.
  private var possibleSteps = (shortest: 0.0, longest: Double.infinity)
  /// 0 while there are fewer than two samples [s].
  private var stepS = 0.0

  /// - Parameter payloadBytes: what the whole message may have.
  init(payloadBytes: Int) {
    roomBytes = payloadBytes - Self.overheadBytes
    let most = min(roomBytes / Self.smallestSampleBytes + 1, WaveformMessage.mostSamples)
    x.reserveCapacity(most)
    y.reserveCapacity(most)
    z.reserveCapacity(most)
  }

  var isEmpty: Bool { x.isEmpty }

  /// Whether the sample may be appended. Into an empty chunk it always may.
  ///
  /// - Parameter periodS: the time from one sample to the next where it is known: what is half a period off it begins
  ///   another chunk.
  func admits(_ reading: WaveformReading, periodS: Double?) -> Bool {
    guard !isEmpty else { return true }
    guard usedBytes + reading.bytes <= roomBytes, x.count < WaveformMessage.mostSamples else { return false }
    let spacing = reading.at - last
    if let periodS, !(0.5 * periodS...1.5 * periodS).contains(spacing) { return false }
    let step = (reading.at - start) / Double(x.count)
    return possibleSteps.shortest <= step && step <= possibleSteps.longest
  }

  /// Takes a sample that `admits` lets in.
  mutating func append(_ reading: WaveformReading) {
    if isEmpty {
      start = reading.at
    } else {
      // |since - place * step| <= step / 2 for every sample, solved for the step.
      let since = reading.at - start
      let place = Double(x.count)
      possibleSteps.shortest = max(possibleSteps.shortest, since / (place + 0.5))
      possibleSteps.longest = min(possibleSteps.longest, since / (place - 0.5))
      stepS = since / place
    }
    last = reading.at
    usedBytes += reading.bytes
    x.append(reading.x)
    y.append(reading.y)
    z.append(reading.z)
  }

  /// What was gathered; the builder is empty afterwards.
  mutating func take(shake: Int, index: Int, isLast: Bool, unitG: Double) -> WaveformChunk {
    let chunk = WaveformChunk(
      shake: shake, index: index, isLast: isLast, start: Instant(seconds: start), stepS: stepS, unitG: unitG,
      x: Array(x[...]), y: Array(y[...]), z: Array(z[...]))
    removeAll()
    return chunk
  }

  mutating func removeAll() {
    x.removeAll(keepingCapacity: true)
    y.removeAll(keepingCapacity: true)
    z.removeAll(keepingCapacity: true)
    usedBytes = 0
    stepS = 0
    possibleSteps = (0, .infinity)
  }

  static func == (a: Self, b: Self) -> Bool {
    a.roomBytes == b.roomBytes && a.x == b.x && a.y == b.y && a.z == b.z && a.start == b.start && a.last == b.last
  }
}

extension WaveformReading {
  /// What it takes in a message: its digits and commas, and a sign, which the other convention may put there.
  fileprivate var bytes: Int { Self.bytes(x) + Self.bytes(y) + Self.bytes(z) }

  private static func bytes(_ count: Int32) -> Int {
    var rest = count.magnitude
    var bytes = 3
    while rest >= 10 {
      rest /= 10
      bytes += 1
    }
    return bytes
  }
}
