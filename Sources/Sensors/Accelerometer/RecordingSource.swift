public import Daemon
public import NodeLogic
public import Telemetry

/// Plays a recording over and over at its own pace, in place of a sensor.
///
/// Its times are mapped on to the monotonic clock. After the last sample comes the first, one typical period later, so
/// that time goes on evenly where the loop closes.
public final class RecordingSource: AccelerometerSource {
  private let description: AccelerometerDescription
  private let samples: [Sample]
  /// How long one round takes [s].
  private let roundS: Double
  private var pacer = SamplePacer()
  private var index = 0
  private var round = 0.0
  private var hasStarted = false
  private var isStopped = false

  /// - Parameters:
  ///   - file: CSV with the columns t [s], x, y, z [g].
  ///   - note: is told of a last line that was cut off and left out.
  /// - Throws: `RecordingFailure` with the file and, where there is one, the line.
  public convenience init(
    file: String, note: AccelerometerNote = { _, _, _ in }
  ) throws(RecordingFailure) {
    let bytes: [UInt8]
    do {
      bytes = try readSmallFile(file, limit: RecordingSource.greatestBytes)
    } catch {
      throw RecordingFailure("\(file) \(error)")
    }
    let samples: [Sample]
    do throws(RecordingError) {
      var reader = RecordingReader()
      let first = try reader.feed(bytes)
      samples = first + (try reader.finish().map { [$0] } ?? [])
      if let text = reader.tornText { note("recording", .warning, "\(file): \(text)") }
    } catch {
      throw RecordingFailure("\(file): \(error)")
    }
    try self.init(name: String(file.split(separator: "/").last ?? "recording"), samples: samples)
  }

  /// An hour at 1 kHz fits.
  private static let greatestBytes = 256 << 20

  /// - Parameter samples: at least two, their times rising on the whole. Single ones that do not are passed on, for the
  ///   logic to drop and count as it does with a sensor's.
  init(name: String, samples: [Sample]) throws(RecordingFailure) {
    let spacings = zip(samples.dropFirst(), samples).map { $0.at - $1.at }.sorted()
    guard let first = samples.first, let last = samples.map(\.at).max(), !spacings.isEmpty else {
      throw RecordingFailure("\(name): \(samples.count) samples; at least 2 are needed to know their pace")
    }
    let period = spacings[spacings.count / 2]
    guard period >= 1e-4, last > first.at else {
      throw RecordingFailure("\(name): t rises by \(period) s from line to line; at least 0.0001 s is expected")
    }
    self.samples = samples.map { Sample(at: Instant(seconds: $0.at - first.at), g: $0.g, isClipped: $0.isClipped) }
    roundS = last - first.at + period
    description = AccelerometerDescription(name: name, source: .recording, rateHz: 1 / period, capture: .generated)
  }

  public var descriptor: Int32? { nil }
  public var nextDeadline: Instant? { isStopped ? nil : pacer.nextDeadline }

  public func handle(at now: Instant) -> [AccelerometerReport] {
    guard !isStopped else { return [] }
    let reports = now < pacer.nextDeadline ? [] : pacer.take(at: now, next: next)
    guard !hasStarted else { return reports }
    hasStarted = true
    return [.started(description)] + reports
  }

  public func stop() { isStopped = true }

  private func next() -> Sample {
    var sample = samples[index]
    sample.at = sample.at + round * roundS
    index += 1
    if index == samples.count {
      index = 0
      round += 1
    }
    return sample
  }
}

/// Why a recording cannot be played: the file, the line where there is one, and what is wrong with it.
public struct RecordingFailure: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
