internal import Telemetry

/// Keeps the last moments of motion, and when a shake begins, answers its waveform piece by piece.
///
/// A waveform goes from `preS` before the first swing to the moment at which the end was decided. Its first chunks
/// come at once when the shake was recognised; the others while it goes on, so that a node that loses its power in a
/// crash has sent what led to it. Memory is fixed when the sensor starts, and nothing is allocated per sample.
public struct WaveformRecorder: Equatable, Sendable {
  /// Why a waveform ends before its shake.
  public enum Cut: Equatable, Sendable {
    /// The shake goes on for longer than `maxS`.
    case tooLong
    /// It has as many chunks as a waveform may have.
    case tooManyChunks
  }

  /// Chunks of one waveform: 22 s at 3200 Hz and 1 MB at the default sizes, whatever a sensor's timestamps do.
  static let mostChunks = 1000
  /// A shake is recognised so long after its first swing; the ring reaches back that much further [s]. Where it took
  /// longer, the waveform begins with what is left.
  static let latencyS = 2.0
  /// Samples in the ring: 12 s at 3200 Hz and a little more, 1 MB.
  static let mostReadings = 40_000
  /// Where the sensor does not tell its rate [Hz].
  private static let unknownRateHz = 100.0

  private struct Recording: Equatable {
    var shake: Int
    var recognised: Instant
    var chunks = 0
  }

  /// As they were given.
  public let settings: WaveformSettings
  /// Shakes without a waveform since the start, because of `maxPerHour`.
  public private(set) var withheld = 0
  private var unit = WaveformUnit(fullScaleG: nil)
  private var ring: WaveformRing
  private var builder: WaveformChunkBuilder
  private var recording: Recording?
  /// When the waveforms of the last hour began.
  private var recent: [Instant] = []

  /// Begins with no sample seen.
  ///
  /// - Parameter former: whose count of waveforms goes on.
  public init(_ settings: WaveformSettings = WaveformSettings(), after former: WaveformRecorder? = nil) {
    self.settings = settings
    ring = WaveformRing(capacity: Self.capacity(settings, rateHz: Self.unknownRateHz))
    builder = WaveformChunkBuilder(payloadBytes: settings.chunkBytes)
    recent = former?.recent ?? []
    withheld = former?.withheld ?? 0
    recent.reserveCapacity(settings.maxPerHour)
  }

  /// A sensor has started: what the one before gave is forgotten, and the memory is taken.
  ///
  /// - Parameters:
  ///   - rateHz: the rate that it was set to [Hz]; 0 when unknown.
  ///   - fullScaleG: the largest value that it gives [g], where known.
  public mutating func start(rateHz: Double, fullScaleG: Double?) {
    unit = WaveformUnit(fullScaleG: fullScaleG)
    let capacity = Self.capacity(settings, rateHz: rateHz > 0 ? rateHz : Self.unknownRateHz)
    if capacity == ring.capacity { ring.removeAll() } else { ring = WaveformRing(capacity: capacity) }
    builder.removeAll()
    recording = nil
  }

  /// Takes a usable sample, whose time must rise, and what the shake detector made of it.
  ///
  /// - Parameter periodS: the measured time from one sample to the next [s]; nil until it is known.
  public mutating func feed(
    _ sample: Sample, periodS: Double?, _ event: ShakeEvent?, _ outputs: inout [MotionOutput]
  ) {
    // What follows a hole does not belong to the shake that the hole ended.
    if let event, event.reason == .interrupted { end(event, &outputs) }
    let reading = unit.reading(sample)
    ring.append(reading)
    record(reading, periodS: periodS, &outputs)
    guard let event else { return }
    if event.phase == .began { begin(event, periodS: periodS, &outputs) } else { end(event, &outputs) }
  }

  /// Takes an end that was decided without a sample.
  public mutating func end(_ event: ShakeEvent, _ outputs: inout [MotionOutput]) {
    guard event.phase != .began, recording?.shake == event.id else { return }
    emit(isLast: true, &outputs)
    recording = nil
  }
}

extension WaveformRecorder {
  private mutating func begin(_ event: ShakeEvent, periodS: Double?, _ outputs: inout [MotionOutput]) {
    recent.removeAll { event.at - $0 >= 3600 }
    guard recent.count < settings.maxPerHour else {
      withheld += 1
      outputs.append(.warning(.waveformsWithheld(withheld, perHour: settings.maxPerHour)))
      return
    }
    recent.append(event.at)
    builder.removeAll()
    recording = Recording(shake: event.id, recognised: event.at)
    let first = ring.firstPlace(from: event.start.seconds - settings.preS)
    for place in first..<ring.count { record(ring[place], periodS: periodS, &outputs) }
  }

  private mutating func record(_ reading: WaveformReading, periodS: Double?, _ outputs: inout [MotionOutput]) {
    guard let recording else { return }
    guard reading.at - recording.recognised.seconds <= settings.maxS else { return cut(.tooLong, &outputs) }
    if !builder.admits(reading, periodS: periodS) {
      guard recording.chunks + 1 < Self.mostChunks else { return cut(.tooManyChunks, &outputs) }
      emit(isLast: false, &outputs)
    }
    builder.append(reading)
  }

  private mutating func cut(_ reason: Cut, _ outputs: inout [MotionOutput]) {
    guard let shake = recording?.shake else { return }
    emit(isLast: true, &outputs)
    recording = nil
    outputs.append(.warning(.waveformCut(shake: shake, reason)))
  }

  private mutating func emit(isLast: Bool, _ outputs: inout [MotionOutput]) {
    guard let index = recording?.chunks, let shake = recording?.shake, !builder.isEmpty else { return }
    outputs.append(.waveform(builder.take(shake: shake, index: index, isLast: isLast, unitG: unit.g)))
    recording?.chunks += 1
  }

  /// A quarter more than the nominal rate gives: sensors run fast.
  private static func capacity(_ settings: WaveformSettings, rateHz: Double) -> Int {
    let wanted = (settings.preS + latencyS) * rateHz * 1.25
    return min(Int(min(wanted, Double(mostReadings)).rounded(.up)) + 16, mostReadings)
  }
}
