/// What a node is asked to do: topic `<prefix>/<node>/command`, never retained.
public struct CommandMessage: Equatable, Sendable {
  /// What a node can be asked.
  public enum Verb: String, CaseIterable, Sendable {
    /// Publish again what it measures.
    case arm
    /// Lie still, and say what the sensor shows meanwhile.
    case calibrate
    /// Measure on, and publish nothing of it.
    case disarm
    /// Publish the samples themselves for a while.
    case live
    /// Publish the location now.
    case locate
    /// Give a key of the configuration another value.
    case set
  }

  /// With `set`: which key, and what it is to be.
  public struct Setting: Equatable, Sendable {
    /// Section and name, for example `shake.on_g`; 1 to 128 bytes.
    public var key: String
    /// Nil: what the node's own configuration says holds again.
    public var value: SettingValue?

    /// The key with its new value.
    public init(_ key: String, _ value: SettingValue?) { (self.key, self.value) = (key, value) }
  }

  /// Chosen by whoever asks; the reply repeats it. 1 to 64 bytes.
  public var id: String
  public var verb: Verb
  /// With `live` and `calibrate`: for how long [s]; 0 ends `live`.
  public var forS: Double?
  /// With `set`.
  public var setting: Setting?
  /// The node refuses it after this time, when it knows the time.
  public var expires: WallTime?
  /// Who asks, for the node's log; nothing vouches for it.
  public var author: String?

  /// A request with this id.
  public init(id: String, _ verb: Verb, forS: Double? = nil, setting: Setting? = nil, expires: WallTime? = nil) {
    self.id = id
    self.verb = verb
    self.forS = forS
    self.setting = setting
    self.expires = expires
  }
}

/// A value of a node's configuration, as messages carry it.
public enum SettingValue: Equatable, Sendable {
  case number(Double)
  case text(String)
  case flag(Bool)
}

/// What became of a command: stream `reply`.
public struct ReplyMessage: Equatable, Sendable {
  /// With a `set` that was done: what it changed.
  public struct Change: Equatable, Sendable {
    /// As in the command.
    public var key: String
    /// What held until now; nil where nothing was set and the value comes from elsewhere, for example from a preset.
    public var before: SettingValue?
    /// What holds from now on; nil as `before`.
    public var after: SettingValue?
    /// It is on the node's disk, and holds after a restart too.
    public var isKept: Bool

    /// One key's change.
    public init(_ key: String, from before: SettingValue?, to after: SettingValue?, isKept: Bool) {
      (self.key, self.before, self.after, self.isKept) = (key, before, after, isKept)
    }
  }

  /// The command's own; absent where it had none that could be read.
  public var id: String?
  /// As it was asked for; absent where it could not be read.
  public var verb: CommandMessage.Verb?
  /// It was done.
  public var isDone: Bool
  /// Why it was not done.
  public var reason: String?
  /// With `live`: when it ends by itself.
  public var until: WallTime?
  /// With `set`, when it was done.
  public var change: Change?
  /// With `calibrate`, when it was done.
  public var rest: RestFigures?
  /// What follows for people, one sentence.
  public var note: String?

  /// An answer to the command of this id.
  public init(id: String?, _ verb: CommandMessage.Verb?, isDone: Bool, reason: String? = nil, until: WallTime? = nil) {
    self.id = id
    self.verb = verb
    self.isDone = isDone
    self.reason = reason
    self.until = until
  }
}

/// What a sensor showed while its node lay still, along the node's axes.
public struct RestFigures: Equatable, Sendable {
  /// From the first sample to the last [s].
  public var durationS: Double
  public var samples: Int
  /// How many samples the timestamps say are missing.
  public var missed = 0
  /// How many touched the end of the scale; nil where the sensor does not say where that is.
  public var clipped: Int?
  /// Measured [Hz].
  public var rateHz: Double
  /// The mean [g]; its length is 1 where the sensor is right.
  public var meanG: Vector
  /// The side that is up; absent when none is.
  public var face: Face?
  /// The angle between the axis that is up and up itself [deg].
  public var tiltDeg: Double?
  /// RMS of the noise on each axis, quicker than about 1 s [mg].
  public var noiseMg: Vector
  /// RMS of the length without gravity, 0.7 to 12 Hz [mg]: what the shake detector sees of the noise.
  public var inBandMg: Double

  /// The figures that there always are.
  public init(durationS: Double, samples: Int, rateHz: Double, meanG: Vector, noiseMg: Vector, inBandMg: Double) {
    self.durationS = durationS
    self.samples = samples
    self.rateHz = rateHz
    self.meanG = meanG
    self.noiseMg = noiseMg
    self.inBandMg = inBandMg
  }
}
