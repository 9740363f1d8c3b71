internal import Telemetry

/// A sample as a waveform keeps it: 24 bytes.
struct WaveformReading: Equatable {
  /// When it was measured [s].
  var at: Double
  /// Counts along the axes.
  var x: Int32
  var y: Int32
  var z: Int32
}

/// What one count of a waveform is worth.
struct WaveformUnit: Equatable {
  /// From 50 ug, so that the strongest acceleration that a sample may have still fits into 32 bits [g].
  private static let steps = [5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2]
  /// Where the sensor does not tell its range [g].
  private static let unknown = 1e-4

  /// [g]
  let g: Double
  private let perG: Double

  /// The largest of 1, 2 and 5 times a power of ten that is not above what 16 bits resolve of the sensor's range, and
  /// not below 50 ug: each digit less is a digit less to send.
  init(fullScaleG: Double?) {
    let finest = fullScaleG.map { $0 / 32_768 }
    g = finest.map { finest in Self.steps.last { $0 <= finest } ?? Self.steps[0] } ?? Self.unknown
    // The inverse is a whole number, and to multiply with it rounds once.
    perG = (1 / g).rounded()
  }

  /// A usable sample in counts.
  func reading(_ sample: Sample) -> WaveformReading {
    WaveformReading(
      at: sample.at.seconds, x: count(sample.g.x), y: count(sample.g.y), z: count(sample.g.z))
  }

  private func count(_ g: Double) -> Int32 { Int32((g * perG).rounded()) }
}
