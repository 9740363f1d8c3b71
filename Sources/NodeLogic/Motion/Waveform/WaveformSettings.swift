/// What is published of a shake's waveform.
public struct WaveformSettings: Equatable, Sendable {
  /// What `preS` may be.
  public static let preRangeS = 0.0...10.0
  /// What `maxS` may be.
  public static let maxRangeS = 1.0...600.0
  /// What `chunkBytes` may be: room for a few samples beside the envelope, and half of what a receiver takes.
  public static let chunkRangeBytes = 400...32_000
  /// What `maxPerHour` may be.
  public static let perHourRange = 1...1000

  /// How long before the first swing it begins [s], 0...10.
  public var preS = 1.0
  /// How long after a shake was recognised its waveform may go on [s], 1...600.
  public var maxS = 60.0
  /// No message has more bytes of payload, 400...32 000.
  public var chunkBytes = 1000
  /// Waveforms in any hour, 1...1000. Further shakes are published without one.
  public var maxPerHour = 20

  public init() {}
}
