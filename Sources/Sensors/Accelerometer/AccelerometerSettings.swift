public import NodeLogic

/// Which accelerometer to read, and how: the `[accelerometer]` table of node.toml.
public struct AccelerometerSettings: Equatable, Sendable {
  /// Where samples come from.
  public enum Source: String, CaseIterable, Sendable {
    case iio, evdev, recording, simulated, none
  }

  public var source: Source = .iio
  /// An IIO device by name, label, `iio:deviceN` or path, or an input device by name, place, `eventN` or path. Needed
  /// when there is more than one accelerometer, or an input device is not declared one.
  public var device: String?
  /// The rate wanted [Hz]; > 0. The lowest available one that is not below it is chosen.
  public var rateHz = 100.0
  /// Where IIO devices are listed.
  public var sysfsRoot = "/sys/bus/iio/devices"
  /// Where input devices are listed.
  public var inputRoot = "/sys/class/input"
  /// How many counts of an input device are 1 g, > 0; nil: as the device says.
  public var evdevUnitsPerG: Double?
  /// Where character devices are.
  public var devRoot = "/dev"
  /// In place of the driver's mount matrix.
  public var mountMatrix: MountMatrix?
  /// What a calibration found; a recording and a simulation are taken as they are, as they are without mount matrix.
  public var correction = AxisCorrection.none
  /// CSV with t [s], x, y, z [g]; needed for `recording`.
  public var recordingFile: String?
  /// What the simulated node goes through.
  public var scenario = MotionScenario.parked
  /// The simulation's seed: the same seed gives the same samples.
  public var seed: UInt64 = 1
  /// The time between two readings where attributes are polled [s]; nil: 1 / `rateHz`.
  public var updateIntervalS: Double?

  /// Sleep while nothing moves, until the chip's own motion event.
  public var wake = false
  /// What the chip takes for motion [g], > 0; nil: as its driver has it.
  public var wakeThresholdG: Double?
  /// How long it must be quiet before the sensor sleeps [s].
  public var idleAfterS = 60.0
  /// How often a sleeping sensor is read [s].
  public var idleReadingS = 300.0

  public init() {}
}
