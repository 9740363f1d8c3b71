public import Telemetry

/// A whole node with a made-up accelerometer and receiver: a real `Node`, fed with what a script lets it go through.
///
/// Moments are those of the process that plays it; the node itself counts from its own start, as a machine does.
public struct ScriptedNode: Sendable {
  /// What does not change over its restarts.
  public struct Settings: Sendable {
    /// What its configuration decides.
    public var node: NodeSettings
    /// Samples per second [Hz], 1...1000.
    public var rateHz: Double
    /// Where it lives.
    public var home: Coordinate
    public var seed: UInt64

    public init(node: NodeSettings, rateHz: Double, home: Coordinate, seed: UInt64) {
      self.node = node
      self.rateHz = rateHz
      self.home = home
      self.seed = seed
    }
  }

  /// What nobody asked for in so long is not made up afterwards [s].
  static let patienceS = 2.0
  /// One shake of a burst takes so long [s]: any preset takes it for a shake.
  static let burstShakeS = 0.8

  private let settings: Settings
  private var motion: ScriptedMotion
  private var receiver: ScriptedReceiver
  private var setting = ScriptedClock.right
  private var world: ClockState
  private var node: Node
  private var bornAt: Instant

  /// - Parameters:
  ///   - boot: the name of its first run.
  ///   - clock: what time it is.
  public init(_ settings: Settings, boot: BootID, clock: ClockState, at now: Instant) {
    self.settings = settings
    motion = ScriptedMotion(rateHz: settings.rateHz, seed: settings.seed, start: now)
    receiver = ScriptedReceiver(home: settings.home, seed: ~settings.seed, start: now)
    world = clock
    bornAt = now
    node = Node(boot: boot, settings.node, clock: clock)
  }

  /// Events that are under way, or about to be.
  public var imminentEvents: Int { node.imminentEvents }
  /// Events whose duty has not ended.
  public var pendingEvents: Int { node.pendingEvents }

  /// Starts a new run, with nothing left of the one before: there is no disk.
  public mutating func start(boot: BootID, at now: Instant) -> [NodeEffect] {
    bornAt = now
    node = Node(boot: boot, settings.node, clock: localClock)
    motion.skip(to: now)
    receiver.skip(to: now)
    let sensor = AccelerometerDescription(
      name: "scripted", source: .simulated, rateHz: motion.rateHz, capture: .generated)
    return handle(.accelerometer(.started(sensor)), at: now) + tell(receiver.greeting(), at: now)
  }

  /// Hands an input to the node.
  public mutating func handle(_ input: NodeInput, at now: Instant) -> [NodeEffect] {
    node.handle(input, at: local(now))
  }

  /// Tells the time anew.
  public mutating func setClock(_ clock: ClockState, at now: Instant) -> [NodeEffect] {
    world = clock
    return handle(.clock(localClock), at: now)
  }

  /// Lets time pass: samples and fixes that are due, and the node's own timers.
  public mutating func advance(to now: Instant) -> [NodeEffect] {
    var effects: [NodeEffect] = []
    if now - receiver.nextAt > Self.patienceS { receiver.skip(to: now) }
    while receiver.nextAt <= now { effects += tell(receiver.next(wall: world.wall(at: receiver.nextAt)), at: now) }
    if now - motion.nextAt > Self.patienceS {
      motion.skip(to: now)
      effects += handle(.accelerometer(.gap), at: now)
    }
    var samples: [Sample] = []
    while motion.nextAt <= now {
      var sample = motion.next()
      sample.at = local(sample.at)
      samples.append(sample)
    }
    if !samples.isEmpty { effects += handle(.accelerometer(.samples(samples)), at: now) }
    if local(now) >= node.nextDeadline { effects += handle(.tick, at: now) }
    return effects
  }

  /// Goes through something.
  public mutating func obey(_ order: ScriptedOrder, at now: Instant) -> [NodeEffect] {
    switch order {
    case .shake(let peakG, let forS): motion.shake(peakG: peakG, forS: forS, from: now)
    case .burst(let count, let withinS, let peakG):
      for index in 0..<count {
        let later = withinS * Double(index) / Double(count)
        motion.shake(peakG: peakG, forS: min(Self.burstShakeS, withinS / Double(count)), from: now + later)
      }
    case .strike(let peakG): motion.strike(peakG: peakG, at: now)
    case .loseFix(let reason): return tell(receiver.lose(reason), at: now)
    case .regainFix: return tell(receiver.regain(), at: now)
    case .move(let eastM, let northM, let speedMPS):
      receiver.move(eastM: eastM, northM: northM, speedMPS: speedMPS, at: now)
    case .teleport(let eastM, let northM): receiver.teleport(eastM: eastM, northM: northM)
    case .tip(let face): motion.tip(to: face, at: now)
    case .clock(let clock):
      setting = clock
      return handle(.clock(localClock), at: now)
    }
    return []
  }

  private mutating func tell(_ inputs: [GpsdInput], at now: Instant) -> [NodeEffect] {
    guard settings.node.location != nil else { return [] }
    return inputs.flatMap { handle(.gpsd($0), at: now) }
  }

  /// On the node's own clock, which began at its start.
  private func local(_ moment: Instant) -> Instant { .start + (moment - bornAt) }

  private var localClock: ClockState {
    let right = world.wall(at: bornAt)
    return switch setting {
    case .right: ClockState(wallAtStart: right, quality: world.quality)
    case .of1970: ClockState(wallAtStart: WallTime(seconds: 0), quality: .none)
    case .off(let seconds): ClockState(wallAtStart: right + seconds, quality: .rtc)
    }
  }
}
