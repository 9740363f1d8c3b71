/// What the motion part of a node does.
public struct MotionSettings: Equatable, Sendable {
  /// The preset that `shake` started from; it decides which sampling rate is too slow.
  public var preset: ShakePreset
  public var shake: ShakeSettings
  public var impact = ImpactSettings()
  public var freeFall = FreeFallSettings()
  public var orientation = OrientationSettings()
  public var acceleration = AccelerationSettings()
  /// Nil: no waveforms.
  public var waveform: WaveformSettings?

  /// The preset's own values, and the defaults of everything else.
  public init(_ preset: ShakePreset = .handheld) {
    self.preset = preset
    shake = preset.settings
  }
}
