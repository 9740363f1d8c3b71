/// Whether the node is there, and what it is: stream `status`, retained.
public struct StatusMessage: Equatable, Sendable {
  /// Whether the node is there.
  public enum State: String, CaseIterable, Sendable {
    case online
    /// The node said good-bye.
    case stopped
    /// The broker says it for the node: the will.
    case lost
  }

  /// Whether the node is there.
  public var state: State
  /// The agent's version, as `judder-node --version` prints it.
  public var agent: String?
  /// The accelerometer's own name, for example `lis3dh`; absent without one.
  public var accelerometer: String?
  /// `iio`, `evdev`, `recording` or `simulated`; absent without an accelerometer.
  public var source: String?
  /// The sampling rate that was chosen and read back [Hz].
  public var rateHz: Double?
  /// The length of an acceleration window [s].
  public var windowS: Double?
  /// The shake detector's preset.
  public var preset: String?
  /// False: what is measured is not published, because the node was told so; absent without an accelerometer.
  public var isArmed: Bool?
  /// `host:port` of the gpsd that is asked; absent when location is off.
  public var gpsd: String?
  /// A live node says something at least this often [s].
  public var healthIntervalS: Double?

  /// What was set over the broker and holds in the place of the node's own configuration, as `KEY=VALUE`.
  public var set: [String] = []

  /// A status that says no more than this, as a will does.
  public init(_ state: State) {
    self.state = state
  }
}
