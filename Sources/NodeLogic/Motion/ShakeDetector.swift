public import Telemetry

/// Finds shakes in a stream of samples, one at a time, with a fixed small cost and memory.
///
/// 1. Gravity is taken off by a low-pass filter and the rest band limited: `HighPass`. Its length is `m`.
/// 2. An envelope follows `m` squared. A background follows the envelope, slowly up and faster down, and stands still
///    during a shake. The level `on` is the preset's, or a multiple of the background where that is more, so that a
///    walk or a ride raises it.
/// 3. Each axis counts its reversals at a share of `on`, and those that keep a rhythm: a step and a knock that rings go
///    to and fro too, but not evenly.
/// 4. A shake **begins** when the envelope is above `on` and an axis has its reversals; it starts with their first
///    swing. It **ends** after a quiet time. It is **cancelled** when it lasts too long, when samples are missing, and
///    on `stop`.
/// 5. After a shake nothing begins until it was quiet for a while: one event per bout of motion, not one per step.
///
/// The iPhone reports shakes in the same three phases; "too long" is ours, because Apple publishes no number. Why the
/// numbers are what they are: docs/decisions/007-shake-detector.md.
public struct ShakeDetector: Equatable, Sendable {
  private enum State: Equatable {
    case idle
    case active(began: Double)
    /// A shake is over, and the motion may go on.
    case latched
  }

  /// As they were given: a preset, perhaps with changes.
  public let settings: ShakeSettings
  /// The number of the newest shake; 0 before the first.
  public private(set) var lastID: Int
  /// Samples not used because their time did not rise.
  public private(set) var droppedOutOfOrder = 0
  /// Samples not used because they were not numbers, or numbers that no accelerometer gives.
  public private(set) var droppedNotFinite = 0

  /// Movements that did not become shakes. A detector that follows another counts on.
  public private(set) var nearMisses = HealthMessage.Accelerometer.NearMisses(weak: 0, fewReversals: 0, strongestG: nil)

  private var state = State.idle
  private var time: Double?

  // Restarted by an interruption.
  private var filter: HighPass
  private var energy = 0.0
  private var firstTime = 0.0

  /// Survives an interruption: the surroundings are still the same.
  private var background: Double?

  // The movement that may be, or is, a shake.
  private var start: Double?
  private var lastActive = -Double.infinity
  private var peakG = 0.0
  private var energyG2S = 0.0
  private var cavGS = 0.0
  private var x = ReversalCounter()
  private var y = ReversalCounter()
  private var z = ReversalCounter()
  private var attempt = ShakeAttempt()

  private var envelopeSmoothing: Smoothing
  private var risingSmoothing: Smoothing
  private var fallingSmoothing: Smoothing

  /// - Parameter previous: the detector that this one follows: its numbers and counts go on.
  public init(_ settings: ShakeSettings = ShakeSettings(), after previous: ShakeDetector? = nil) {
    self.settings = settings
    lastID = previous?.lastID ?? 0
    if let previous { nearMisses = previous.nearMisses }
    filter = HighPass(highPassHz: settings.highPassHz, lowPassHz: settings.lowPassHz)
    envelopeSmoothing = Smoothing(timeS: settings.envelopeS)
    risingSmoothing = Smoothing(timeS: settings.backgroundS)
    fallingSmoothing = Smoothing(timeS: settings.backgroundS / settings.backgroundFall)
  }

  /// A shake has begun and is not over.
  public var isActive: Bool {
    if case .active = state { true } else { false }
  }

  /// The newest band-limited acceleration without gravity [g].
  public var linear: Vector { filter.linear }

  /// How much is moving just now: the RMS of `linear` over the envelope's time [g].
  public var activityG: Double { energy.squareRoot() }

  /// The level that the activity must exceed for a shake to begin [g].
  public var levelG: Double { max(settings.onG, settings.snr * (background ?? 0).squareRoot()) }

  /// All samples not used.
  public var dropped: Int { droppedOutOfOrder + droppedNotFinite }

  /// Takes the next sample, and answers the phase that it decides, if any.
  ///
  /// At most one: a sample after a gap only starts the filters again, and a shake that ends cannot begin.
  public mutating func feed(_ sample: Sample) -> ShakeEvent? {
    guard sample.isUsable else {
      droppedNotFinite += 1
      return nil
    }
    let now = sample.at.seconds
    if let time, now <= time {
      droppedOutOfOrder += 1
      return nil
    }
    let stepS = now - (time ?? now)
    time = now
    var event: ShakeEvent?
    if stepS > settings.maxGapS {
      event = cutShort(at: now, .interrupted)
    }
    guard filter.gravity != nil else {
      filter.feed(sample.g, after: 0)
      firstTime = now
      return event
    }
    let before = filter.linear
    return move(filter.feed(sample.g, after: stepS), from: before, now, stepS)
  }

  /// Tells that samples were lost here. An active shake is cancelled as interrupted, and the filters start again.
  public mutating func interrupt(at now: Instant) -> ShakeEvent? {
    cutShort(at: now.seconds, .interrupted)
  }

  /// Tells that the sensor or the agent stops. An active shake is cancelled as stopped, and the filters start again.
  public mutating func stop(at now: Instant) -> ShakeEvent? {
    cutShort(at: now.seconds, .stopped)
  }
}

extension ShakeDetector {
  /// Carries the envelope and the background on, then judges.
  private mutating func move(_ linear: Vector, from before: Vector, _ now: Double, _ stepS: Double) -> ShakeEvent? {
    let square = linear.squaredLength
    energy += envelopeSmoothing.weight(after: stepS) * (square - energy)
    let isWarm = now - firstTime >= settings.warmUpS
    guard let surroundings = background else {
      // The first envelope after the filters have settled is the background.
      if isWarm { background = energy }
      return nil
    }
    if !isActive {
      let weight =
        energy > surroundings ? risingSmoothing.weight(after: stepS) : fallingSmoothing.weight(after: stepS)
      background = surroundings + weight * (energy - surroundings)
    }
    guard isWarm else { return nil }
    count(linear, from: before, now, stepS)
    measure(length: square.squareRoot(), square: square, now, stepS)
    return decide(now)
  }

  /// Counts reversals.
  private mutating func count(_ linear: Vector, from before: Vector, _ now: Double, _ stepS: Double) {
    let level = settings.levelRatio * levelG
    let (gapS, ratio) = (settings.reversalGapS, settings.rhythm)
    x.feed(linear.x, before: before.x, level: level, at: now, stepS: stepS, gapS: gapS, ratio: ratio)
    y.feed(linear.y, before: before.y, level: level, at: now, stepS: stepS, gapS: gapS, ratio: ratio)
    z.feed(linear.z, before: before.z, level: level, at: now, stepS: stepS, gapS: gapS, ratio: ratio)
  }

  /// Adds up the movement.
  private mutating func measure(length: Double, square: Double, _ now: Double, _ stepS: Double) {
    let level = settings.levelRatio * levelG
    if length > level {
      if start == nil { start = now }
      lastActive = now
    }
    guard start != nil else { return }
    peakG = max(peakG, length)
    energyG2S += square * stepS
    cavGS += length * stepS
  }

  /// The state machine.
  private mutating func decide(_ now: Double) -> ShakeEvent? {
    let quietS = now - lastActive
    switch state {
    case .idle:
      guard start != nil else { return nil }
      if quietS > settings.holdS {
        attempt.count(in: &nearMisses)
        clear()
        return nil
      }
      let level = levelG
      let busiest = busiestAxis.counter
      let isStrong = energy > level * level
      let swings = busiest.count >= settings.reversals && isRhythmic
      attempt.note(energy: energy, isStrong: isStrong, swings: swings)
      guard isStrong, swings else { return nil }
      state = .active(began: now)
      // The shake starts with the first swing of the chain, not with the slow reach before it.
      if busiest.count > 0 { start = busiest.first }
      lastID += 1
      return event(.began, at: now)
    case .active(let began):
      let isOver = quietS > settings.holdS
      let from = settings.countsFromBegan ? began : start ?? began
      guard isOver || lastActive - from > settings.maxS else { return nil }
      state = .latched
      return isOver ? event(.ended, at: now) : event(.cancelled, at: now, .tooLong)
    case .latched:
      guard quietS > settings.rearmS else { return nil }
      state = .idle
      clear()
      return nil
    }
  }

  private mutating func cutShort(at now: Double, _ reason: ShakeMessage.Reason) -> ShakeEvent? {
    let event = isActive ? event(.cancelled, at: now, reason) : nil
    state = .idle
    filter.reset()
    energy = 0
    clear()
    return event
  }

  private mutating func clear() {
    start = nil
    lastActive = -.infinity
    peakG = 0
    energyG2S = 0
    cavGS = 0
    x = ReversalCounter()
    y = ReversalCounter()
    z = ReversalCounter()
    attempt = ShakeAttempt()
  }

  /// Whether some axis swings in the rhythm that a shake needs.
  private var isRhythmic: Bool {
    guard settings.rhythm > 0, settings.reversals > 0 else { return true }
    let (reversals, overS) = (settings.reversals, settings.rhythmS)
    return x.isRhythmic(reversals, overS: overS) || y.isRhythmic(reversals, overS: overS)
      || z.isRhythmic(reversals, overS: overS)
  }

  /// The axis with the most reversals; the first of equals.
  private var busiestAxis: (axis: Axis, counter: ReversalCounter) {
    if x.count >= y.count, x.count >= z.count { return (.x, x) }
    return y.count >= z.count ? (.y, y) : (.z, z)
  }

  private func event(_ phase: ShakeMessage.Phase, at now: Double, _ reason: ShakeMessage.Reason? = nil) -> ShakeEvent {
    let (axis, counter) = busiestAxis
    return ShakeEvent(
      id: lastID, phase: phase, reason: reason, at: Instant(seconds: now), start: Instant(seconds: start ?? now),
      end: Instant(seconds: max(lastActive, start ?? now)), peakG: peakG, energyG2S: energyG2S, cavGS: cavGS,
      frequencyHz: counter.frequencyHz, reversals: counter.count, axis: axis)
  }
}

// MARK: - For people who watch

extension ShakeDetector {
  /// Where the detector is, in a word.
  public enum Stage: String, CaseIterable, Sendable {
    /// The filters have not settled; nothing can begin.
    case warmingUp = "warming_up"
    case idle
    /// A shake has begun and is not over.
    case shaking
    /// A shake is over, and nothing begins before it was quiet for a while.
    case latched
  }

  /// Where it is after the last sample.
  public var stage: Stage {
    switch state {
    case .active: .shaking
    case .latched: .latched
    case .idle:
      filter.gravity != nil && background != nil && (time ?? 0) - firstTime >= settings.warmUpS ? .idle : .warmingUp
    }
  }

  /// Changes of direction on the busiest axis, so far.
  public var reversals: Int { busiestAxis.counter.count }
}
