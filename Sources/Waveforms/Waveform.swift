public import Telemetry

/// The waveform of a shake, put together from its chunks: accelerations along the node's axes, gravity included.
public struct Waveform: Equatable, Sendable {
  /// Where it was measured.
  public var node: NodeName
  /// The run of the node.
  public var boot: BootID
  /// The shake's number in that run.
  public var shake: Int
  /// What the times are worth.
  public var clock: ClockQuality
  /// In the order of time, at least one. What lies between two of them, if anything, was not measured or did not come.
  public var segments: [WaveformSegment]
  /// Chunks that did not come, of those that are known to be: none when the last one came and all before it.
  public var missingChunks: Int
  /// The last chunk came, or was written before.
  public var hasEnd: Bool

  public init(
    node: NodeName, boot: BootID, shake: Int, clock: ClockQuality, segments: [WaveformSegment], missingChunks: Int = 0,
    hasEnd: Bool = true
  ) {
    self.node = node
    self.boot = boot
    self.shake = shake
    self.clock = clock
    self.segments = segments
    self.missingChunks = missingChunks
    self.hasEnd = hasEnd
  }

  /// Samples in all.
  public var count: Int { segments.reduce(0) { $0 + $1.count } }

  /// What its files are called, without a suffix: node, boot and shake, which are letters, digits and dashes by their
  /// types, whatever came from the network.
  public var fileStem: String { "\(node)-\(boot)-\(shake)" }
}

/// Evenly spaced samples of a waveform: one chunk.
public struct WaveformSegment: Equatable, Sendable {
  /// When the first sample was measured.
  public var start: WallTime
  /// From one sample to the next [s], > 0; 0 where that is not known, because there is only one.
  public var stepS: Double
  /// What one count is worth [g].
  public var unitG: Double
  /// Counts along the axes, equally many, at least one.
  public var x: [Int32]
  public var y: [Int32]
  public var z: [Int32]

  public init(start: WallTime, stepS: Double, unitG: Double, x: [Int32], y: [Int32], z: [Int32]) {
    self.start = start
    self.stepS = stepS
    self.unitG = unitG
    self.x = x
    self.y = y
    self.z = z
  }

  /// Samples in it.
  public var count: Int { x.count }

  /// When that sample was measured, counted from 0.
  public func time(_ place: Int) -> WallTime { start + Double(place) * stepS }

  /// When the last sample was measured.
  public var end: WallTime { time(count - 1) }

  func counts(_ axis: Axis) -> [Int32] {
    switch axis {
    case .x: x
    case .y: y
    case .z: z
    }
  }

  /// What one count is worth [1e-9 g]: a whole number by the contract, which gives the unit 9 decimals.
  var unitNanoG: Int { Int((unitG * 1e9).rounded()) }
}
