/// Some samples of a shake: stream `shake/waveform`. `Envelope.time` is the chunk's last sample.
///
/// Samples are whole multiples of `unitG`, gravity included, evenly `periodS` apart; where the sensor left a hole a new
/// chunk begins.
public struct WaveformMessage: Equatable, Sendable {
  /// The most samples that one chunk has.
  public static let mostSamples = 4096

  /// The shake's number in this boot.
  public var id: Int
  /// Counts from 0 in each shake.
  public var chunk: Int
  /// No other chunk of this shake follows.
  public var isLast: Bool
  /// The first sample.
  public var start: WallTime
  /// From one sample to the next [s]; 0 for one sample.
  public var periodS: Double
  /// What one unit of the samples is [g].
  public var unitG: Double
  /// As many as in `y` and `z`, 1...4096.
  public var x: [Int32]
  public var y: [Int32]
  public var z: [Int32]

  /// A chunk of the waveform of shake `id`.
  public init(
    id: Int, chunk: Int, isLast: Bool, start: WallTime, periodS: Double, unitG: Double, x: [Int32], y: [Int32],
    z: [Int32]
  ) {
    self.id = id
    self.chunk = chunk
    self.isLast = isLast
    self.start = start
    self.periodS = periodS
    self.unitG = unitG
    self.x = x
    self.y = y
    self.z = z
  }
}
