public import Telemetry

/// Finds impacts in a stream of samples, one at a time, with a fixed memory.
///
/// 1. Gravity is taken off by a low-pass filter that stands still while the rest is above the threshold, so that a long
///    pulse does not eat itself. Nothing limits the band: the filter of a shake would take most of a knock.
/// 2. What is above the threshold, and its rise before that, is cut into pulses (`PulseTracker`). A pulse that is too
///    short or changes the velocity too little is none. One of more than a quarter of a second is none either: there,
///    something leaned or turned, and gravity is learnt anew.
/// 3. Pulses that follow each other within `mergeS` are one impact, told by its strongest pulse: a case that rings and
///    a node that bounces are told once. After two seconds without a pause it is told all the same.
/// 4. More than `perMinute` a minute are counted, not told: a rattling pallet must not cost what a hundred falls cost.
///
/// **Impacts and shakes.** The swings of a hand may exceed the threshold when it shakes violently. A pulse that comes
/// while a hand shakes, or in the same bout, is taken for a swing unless it is a knock: shorter than 20 ms, which is
/// half a swing at 25 Hz (where samples are far apart, three periods, to 40 ms). What a person shakes so
/// against a table is told as both.
public struct ImpactDetector: Equatable, Sendable {
  private static let gravityHz = 0.7
  /// Samples further apart do not belong together [s]: a sensor below 4 Hz shows no impacts.
  private static let maxGapS = 0.25
  private static let longestBoutS = 2.0
  private static let knockS = 0.02
  private static let longestKnockS = 0.04

  /// As they were given.
  public let settings: ImpactSettings
  /// The number of the newest impact, told or held back; 0 before the first.
  public private(set) var lastID: Int
  /// Impacts since the start that were held back: more than `perMinute` a minute.
  public private(set) var heldBack = 0
  /// Bouts above the threshold that were swings of a shake.
  public private(set) var swings = 0

  private var gravity = GravityFilter(cornerHz: Self.gravityHz)
  private var pulses: PulseTracker
  private var time: Double?
  private var bout: Bout?
  private var heldBackSinceTold = 0
  /// What `perMinute` allows just now, and since when [s].
  private var allowed: Double
  private var allowedSince: Double?

  /// Pulses that are one impact.
  private struct Bout: Equatable {
    var start: Double
    var lastLoud: Double
    var strongest: ShockPulse?
    var isShaken = false
  }

  /// - Parameter lastID: the number of the last impact before; the first is numbered one more.
  public init(_ settings: ImpactSettings = ImpactSettings(), after lastID: Int = 0) {
    self.settings = settings
    self.lastID = lastID
    pulses = PulseTracker(thresholdG: settings.thresholdG)
    allowed = Double(settings.perMinute)
  }

  /// New settings after those of `former`, whose numbers and counts go on.
  init(_ settings: ImpactSettings, after former: ImpactDetector) {
    self.init(settings, after: former.lastID)
    heldBack = former.heldBack
    heldBackSinceTold = former.heldBackSinceTold
    swings = former.swings
    allowed = min(allowed, former.allowed)
    allowedSince = former.allowedSince
  }

  /// Something is above the threshold, or was a moment ago.
  public var isActive: Bool { bout != nil }

  /// Takes the next sample, and answers the impact that it decides, if any.
  ///
  /// - Parameters:
  ///   - sample: one whose time does not rise is not used.
  ///   - isShaking: a hand shakes.
  public mutating func feed(_ sample: Sample, isShaking: Bool = false) -> ImpactEvent? {
    let now = sample.at.seconds
    if let time, now <= time { return nil }
    let stepS = now - (time ?? now)
    time = now
    let interrupted = stepS > Self.maxGapS ? cutShort(at: now) : nil
    guard let down = gravity.gravity else {
      gravity.feed(sample.g, after: 0)
      return interrupted
    }
    let linear = sample.g - down
    if bout == nil, linear.squaredLength <= settings.thresholdG * settings.thresholdG {
      // Nearly every sample of a node's life.
      gravity.feed(sample.g, after: stepS)
      pulses.remember(linear, at: now)
      return interrupted
    }
    let lengthG = linear.length
    if lengthG <= settings.thresholdG { gravity.feed(sample.g, after: stepS) }
    switch pulses.feed(linear, lengthG: lengthG, at: now, isClipped: sample.isClipped) {
    case .over(let pulse): note(pulse)
    case .tooLong: begin(anewFrom: sample.g)
    case nil: break
    }
    return judge(lengthG, at: now, isShaking: isShaking)
  }

  /// Tells that samples are missing here, or that nobody will look any more: answers the impact whose pulses are over.
  public mutating func interrupt(at now: Instant) -> ImpactEvent? {
    cutShort(at: now.seconds)
  }
}

extension ImpactDetector {
  private mutating func note(_ pulse: ShockPulse) {
    guard pulse.durationS >= settings.minDurationS, pulse.dvMps >= settings.minDVMps else { return }
    if let strongest = bout?.strongest, strongest.peakG >= pulse.peakG { return }
    bout?.strongest = pulse
  }

  private mutating func begin(anewFrom g: Vector) {
    pulses.reset()
    gravity.reset()
    gravity.feed(g, after: 0)
  }

  /// Keeps the bout, and ends it when it was quiet for long enough.
  private mutating func judge(_ lengthG: Double, at now: Double, isShaking: Bool) -> ImpactEvent? {
    if lengthG > settings.thresholdG {
      if bout == nil { bout = Bout(start: now, lastLoud: now) }
      bout?.lastLoud = now
    }
    guard var current = bout else { return nil }
    current.isShaken = current.isShaken || isShaking
    bout = current
    guard !pulses.isOpen, now - current.lastLoud > settings.mergeS || now - current.start > Self.longestBoutS else {
      return nil
    }
    return decide(at: now)
  }

  private mutating func cutShort(at now: Double) -> ImpactEvent? {
    let event = decide(at: now)
    pulses.reset()
    gravity.reset()
    return event
  }

  /// Ends the bout: an impact, or not.
  private mutating func decide(at now: Double) -> ImpactEvent? {
    guard let ended = bout else { return nil }
    bout = nil
    guard let pulse = ended.strongest else { return nil }
    if ended.isShaken, !isKnock(pulse) {
      swings += 1
      return nil
    }
    lastID += 1
    guard isAllowed(at: now) else {
      heldBack += 1
      heldBackSinceTold += 1
      return nil
    }
    defer { heldBackSinceTold = 0 }
    return ImpactEvent(
      id: lastID, at: Instant(seconds: now), start: Instant(seconds: pulse.start), peakG: pulse.peakG,
      durationS: pulse.durationS, dvMps: pulse.dvMps, axis: pulse.peak.mainAxis, isClipped: pulse.isClipped,
      heldBack: heldBackSinceTold)
  }

  private func isKnock(_ pulse: ShockPulse) -> Bool {
    pulse.durationS <= min(max(Self.knockS, 3 * pulse.spacingS), Self.longestKnockS)
  }

  /// Takes one from what the minute allows, if there is one: `perMinute` at once, and as many again each minute.
  private mutating func isAllowed(at now: Double) -> Bool {
    let most = Double(settings.perMinute)
    let passed = max(0, now - (allowedSince ?? now))
    allowed = min(most, allowed + passed * most / 60)
    allowedSince = now
    guard allowed >= 1 else { return false }
    allowed -= 1
    return true
  }
}

extension Vector {
  /// The axis with the largest component; the first of equals.
  var mainAxis: Axis {
    if x.magnitude >= y.magnitude, x.magnitude >= z.magnitude { return .x }
    return y.magnitude >= z.magnitude ? .y : .z
  }
}
