public import Telemetry

/// What a person sees of a sensor and a node's logic at work: the newest reading, counts, the detector, what happened.
///
/// The whole logic of a node runs behind it, so that what is shown here is what would be published.
public struct TapState: Sendable {
  /// The sensor as it was found; nil before it was.
  public private(set) var sensor: AccelerometerDescription?
  /// Why it cannot be read; nil when it can.
  public private(set) var failure: String?
  /// The newest sample; nil before the first.
  public private(set) var last: Sample?
  /// When it came.
  public private(set) var lastHeard: Instant?
  public private(set) var samples = 0
  /// How many samples the timestamps say are missing.
  public private(set) var missed = 0
  /// How many touched the end of the sensor's scale.
  public private(set) var clipped = 0
  /// The newest event; nil before the first.
  public private(set) var event: TapEvent?
  /// How many there were of each stream; a shake counts once, though it has two phases.
  public private(set) var counts: [Stream: Int] = [:]
  /// The angle between z and up [deg]; nil before the first sample.
  public var tiltDeg: Double? { gravity.gravity.map { $0.angleDeg(to: Face.zUp.up) } }

  private var node: Node
  private var rate = RateEstimator()
  private var gravity: GravityFilter
  private var scale = TapScale()

  /// - Parameter clock: what the events' times are made with.
  public init(_ motion: MotionSettings, boot: BootID, clock: ClockState, at now: Instant) {
    var settings = NodeSettings()
    settings.motion = motion
    settings.location = nil
    settings.gpsd = nil
    node = Node(boot: boot, settings, clock: clock, at: now)
    gravity = GravityFilter(cornerHz: motion.orientation.lowPassHz)
    _ = node.handle(.link(isConnected: true), at: now)
  }

  /// The sensor sleeps until something moves it.
  public private(set) var isAsleep = false

  /// What the detector sees.
  public var glance: MotionGlance? { node.motionGlance }

  /// What the bars end with [g]: 2, 4, 8, ..., above all of the last seconds.
  public var scaleG: Double { scale.endG }

  /// When `tick` is due at the latest.
  public var nextDeadline: Instant { node.nextDeadline }

  /// Takes a report that came at `now`, and answers what happened.
  public mutating func handle(_ report: AccelerometerReport, at now: Instant) -> [TapEvent] {
    switch report {
    case .started(let description):
      sensor = description
      failure = nil
      isAsleep = false
      rate.reset()
    case .samples(let samples):
      failure = nil
      lastHeard = now
      for sample in samples { count(sample) }
    case .gap: gravity.reset()
    case .idle: isAsleep = true
    case .woken:
      isAsleep = false
      gravity.reset()
      rate.reset()
    case .faults: break
    case .failed(let reason): failure = reason
    }
    return carryOut(node.handle(.accelerometer(report), at: now), at: now)
  }

  /// Notices that samples stopped.
  public mutating func tick(at now: Instant) -> [TapEvent] { carryOut(node.handle(.tick, at: now), at: now) }

  /// The tool stops: an active shake is cancelled.
  public mutating func stop(at now: Instant) -> [TapEvent] { carryOut(node.handle(.stop, at: now), at: now) }

  private mutating func count(_ sample: Sample) {
    guard sample.isUsable else { return }
    let stepS = last.map { sample.at - $0.at } ?? 0
    guard stepS >= 0 else { return }
    samples += 1
    missed += rate.feed(sample.at.seconds)
    if sample.isClipped { clipped += 1 }
    gravity.feed(sample.g, after: stepS)
    scale.feed(sample)
    last = sample
  }

  private mutating func carryOut(_ effects: [NodeEffect], at now: Instant) -> [TapEvent] {
    var events: [TapEvent] = []
    var effects = effects[...]
    while let effect = effects.popFirst() {
      guard case .publish(let outgoing) = effect else { continue }
      if let event = TapEvent(outgoing.telegram, at: now) {
        self.event = event
        if event.isFirst { counts[outgoing.telegram.body.stream, default: 0] += 1 }
        events.append(event)
      }
      // Shown is delivered.
      if let token = outgoing.token { effects += node.handle(.delivered(token), at: now) }
    }
    return events
  }
}

/// The scale of the bars: up at once, down when nothing was that large for some seconds.
private struct TapScale: Sendable {
  private static let holdS = 5.0
  private static let smallestG = 2.0

  private var before = 0.0
  private var now = 0.0
  private var since = -Double.infinity

  mutating func feed(_ sample: Sample) {
    if sample.at.seconds - since > Self.holdS {
      before = now
      now = 0
      since = sample.at.seconds
    }
    now = max(now, sample.g.length)
  }

  var endG: Double {
    let largest = max(before, now)
    var end = Self.smallestG
    while end < largest, end < Sample.impossibleG { end *= 2 }
    return end
  }
}
