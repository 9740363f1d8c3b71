public import Telemetry

/// From a sensor's reports to shakes, impacts, falls, orientation, windows, warnings and the sensor's health.
///
/// A value without a clock: the shell hands in each report with the time at which it came, calls `tick` at
/// `nextDeadline`, and carries out what is answered, in its order.
public struct MotionPipeline: Sendable {
  enum State: Equatable {
    /// No sensor has started.
    case waiting
    /// Started, and no sample yet.
    case starting
    case running
    case stalled
    case failed(reason: String)
    /// The sensor sleeps; single readings come now and then.
    case idle
  }

  /// A sample further ahead of its arrival than this is misdated [s]. To believe it would make every later one "old".
  private static let futureS = 1.0
  /// So long without a sample is a stall, or three periods where that is longer [s].
  private static let shortestStallS = 1.0

  public private(set) var settings: MotionSettings
  /// Whether what is measured is published: see `disarm`. Neither new settings nor a new sensor change it.
  public internal(set) var isArmed = true
  var description: AccelerometerDescription?
  var state = State.waiting
  var shake: ShakeDetector
  var impacts: ImpactDetector
  var falls: FreeFallDetector
  /// A hand's shake was active so recently that what swings still belongs to it.
  var shakenUntil = Instant.start
  var orientation: OrientationDetector
  var gravity: GravityFilter
  var windows: WindowBuilder
  var recorder: WaveformRecorder?
  var rest = Stillness(neededS: 1, quietG: MotionPipeline.restG)
  /// When the sensor fell asleep; nil while it is awake.
  var asleepSince: Instant?
  var rate = RateEstimator()
  /// Of a sensor that tells changes only, whose samples say nothing about its rate; nil of others.
  var frames: FrameRate?
  private var gate: ShakeGate
  /// When a sample that could be used came last, or the start.
  var lastHeard = Instant.start
  var lastSample: Instant?
  /// Readings of the sleeping sensor since one was told, and when that was.
  var readings = 0
  var lastReadingTold = Instant.start
  /// What the driver has told of, since the start.
  var faults = AccelerometerFaults()
  private var unusable = 0
  private var outOfOrder = 0

  /// Begins with no sample seen.
  public init(_ settings: MotionSettings = MotionSettings()) {
    self.settings = settings
    shake = ShakeDetector(settings.shake)
    gate = ShakeGate(settings.preset)
    impacts = ImpactDetector(settings.impact)
    falls = FreeFallDetector(settings.freeFall)
    orientation = OrientationDetector(settings.orientation)
    gravity = GravityFilter(cornerHz: settings.orientation.lowPassHz)
    windows = WindowBuilder(settings.acceleration)
    recorder = settings.waveform.map { WaveformRecorder($0) }
  }

  /// A shake has begun and is not over.
  public var isShaking: Bool { shake.isActive }

  /// The side that is up; `unknown` until the first was decided.
  public var face: Face { orientation.face }

  /// What it sees just now.
  public var glance: MotionGlance {
    MotionGlance(
      stage: shake.stage, activityG: shake.activityG, levelG: shake.levelG, reversals: shake.reversals,
      reversalsNeeded: shake.settings.reversals, face: orientation.face, rateHz: measuredHz)
  }

  /// Takes a report that came at `now`.
  public mutating func handle(_ report: AccelerometerReport, at now: Instant) -> [MotionOutput] {
    switch report {
    case .started(let description): return start(description, at: now)
    case .samples(let samples): return take(samples, at: now)
    case .gap: return noteGap(at: now)
    case .failed(let reason): return fail(reason, at: now)
    case .idle: return sleep(at: now)
    case .woken: return wake(at: now)
    case .faults(let more): return count(more)
    }
  }

  /// Somebody watches: samples are published beside the windows.
  public var isLive: Bool { windows.isLive }

  /// When the lease of whoever watches runs out; nil while nobody does.
  public var liveUntil: Instant? { windows.liveUntil }

  /// Publishes samples, in batches, until the lease runs out; extends a lease that runs, or ends it where `until` is
  /// not later than `now`.
  ///
  /// - Parameter rateHz: the highest rate of samples [Hz], > 0; nil: as configured.
  public mutating func live(until: Instant, at now: Instant, rateHz: Double? = nil) -> [MotionOutput] {
    guard until > now || windows.isLive else { return [] }
    return (windows.live(until: until, rateHz: rateHz) + windows.endLive(at: now)).map { .acceleration($0) }
  }

  /// Makes every window so many times longer than configured, up to an hour, to save data; >= 1.
  public mutating func setStretch(_ stretch: Double) { windows.stretch = stretch }

  /// When `tick` must be called at the latest; nil while nothing waits for time to pass.
  public var nextDeadline: Instant? { [silenceDeadline, windows.liveUntil].compactMap { $0 }.min() }

  private var silenceDeadline: Instant? {
    switch state {
    case .starting, .running: lastHeard + stallS
    case .stalled: shake.isActive ? lastHeard + interruptionS : nil
    case .waiting, .failed, .idle: nil
    }
  }

  /// Does what is due by time: notices that samples stopped. Harmless at any other moment.
  public mutating func tick(at now: Instant) -> [MotionOutput] {
    var outputs = windows.endLive(at: now).map { MotionOutput.acceleration($0) }
    if state == .running || state == .starting, now >= lastHeard + stallS {
      if state == .running { rate.noteGap() }
      state = .stalled
      outputs.append(.warning(.stalled(ageS: now - lastHeard)))
      interruptShocks(at: now, &outputs)
      closeWindow(.silence, &outputs)
    }
    if state == .stalled, shake.isActive, now >= lastHeard + interruptionS, let event = shake.interrupt(at: now) {
      tell(event, &outputs)
    }
    return outputs
  }

  /// The agent stops: an active shake is cancelled, the open window closed.
  public mutating func stop(at now: Instant) -> [MotionOutput] {
    var outputs: [MotionOutput] = []
    if let event = shake.stop(at: now) { tell(event, &outputs) }
    interruptShocks(at: now, &outputs)
    closeWindow(.stopped, &outputs)
    state = .waiting
    return outputs
  }

  /// Takes new settings. An active shake is cancelled and the open window closed; what is known of the sensor, the
  /// side that is up and the numbering of shakes stay.
  public mutating func reconfigure(_ settings: MotionSettings, at now: Instant) -> [MotionOutput] {
    guard settings != self.settings else { return [] }
    var outputs = interrupt(at: now)
    self.settings = settings
    shake = ShakeDetector(settings.shake, after: shake)
    impacts = ImpactDetector(settings.impact, after: impacts)
    falls = FreeFallDetector(settings.freeFall, after: falls.lastID)
    judgeRange(&outputs)
    orientation = OrientationDetector(settings.orientation, face: orientation.face)
    gravity = GravityFilter(cornerHz: settings.orientation.lowPassHz)
    windows = WindowBuilder(settings.acceleration, after: windows)
    recorder = settings.waveform.map { WaveformRecorder($0, after: recorder) }
    startRecorder()
    gate = ShakeGate(settings.preset)
    return outputs
  }

  /// What health messages say about the sensor at `now`.
  public func health(at now: Instant) -> HealthMessage.Accelerometer {
    var health = HealthMessage.Accelerometer(state: .starting, gaps: rate.gaps, dropped: unusable + outOfOrder)
    switch state {
    case .waiting: health.state = .starting
    case .starting: health.state = isArmed ? .starting : .disarmed
    case .running:
      health.state = isArmed ? .running : .disarmed
      health.error = refusal
    case .stalled:
      health.state = .stalled
      health.error = "no sample for \(tenths(now - lastHeard)) s"
    case .failed(let reason):
      health.state = .failed
      health.error = reason
    case .idle: health.state = .idle
    }
    health.rateHz = state == .idle ? nil : measuredHz
    health.ageS = lastSample.map { max(0, now - $0) }
    health.noiseMg = windows.noiseMg
    if !gate.isClosed { health.nearMisses = shake.nearMisses }
    health.polling = description?.capture.reason
    health.faults = faults.isEmpty ? nil : faults
    return health
  }
}

// MARK: - Reports

extension MotionPipeline {
  private mutating func start(_ description: AccelerometerDescription, at now: Instant) -> [MotionOutput] {
    var outputs = interrupt(at: now)
    self.description = description
    judgeRange(&outputs)
    windows.reset()
    windows.isScaleKnown = description.fullScaleG != nil
    startRecorder()
    resetRate()
    gate = ShakeGate(settings.preset)
    state = .starting
    lastHeard = now
    return outputs
  }

  private mutating func take(_ samples: [Sample], at now: Instant) -> [MotionOutput] {
    var outputs: [MotionOutput] = []
    for sample in samples {
      take(sample, at: now, &outputs)
    }
    return outputs
  }

  /// Notes that the sensor gives samples that can be used.
  private mutating func hear(at now: Instant, _ outputs: inout [MotionOutput]) {
    if state == .stalled || isFailed {
      outputs.append(.warning(.recovered(afterS: now - (lastSample ?? lastHeard))))
    }
    state = .running
    lastHeard = now
  }

  private mutating func take(_ sample: Sample, at now: Instant, _ outputs: inout [MotionOutput]) {
    guard sample.isUsable, sample.at <= now + Self.futureS else {
      unusable += 1
      if unusable.isDoubling { outputs.append(.warning(.unusable(unusable))) }
      return
    }
    if let lastSample, sample.at <= lastSample {
      outOfOrder += 1
      if outOfOrder.isDoubling { outputs.append(.warning(.outOfOrder(outOfOrder))) }
      return
    }
    guard state != .idle else { return takeAsleep(sample, at: now, &outputs) }
    if state != .running || lastHeard != now { hear(at: now, &outputs) }
    let stepS = lastSample.map { sample.at - $0 } ?? 0
    lastSample = sample.at
    let missed = rate.feed(sample.at.seconds)
    frames?.feed(sample)
    _ = rest.feed(sample)
    judgeRate(at: sample.at, &outputs)
    guard isArmed else { return }
    let event = gate.isClosed ? nil : shake.feed(sample)
    if let event { outputs.append(.shake(event)) }
    recorder?.feed(sample, periodS: rate.periodS, event, &outputs)
    feedShocks(sample, &outputs)
    if stepS >= Self.shortestStallS { orientation.interrupt() }
    let down = gravity.feed(sample.g, after: stepS)
    if let change = orientation.feed(gravity: down, at: sample.at, isShaking: shake.isActive) {
      outputs.append(.orientation(change))
    }
    for var window in windows.feed(sample, missed: missed, periodS: rate.periodS) {
      if let frames, window.closing != .live { window.rateHz = frames.rateHz }
      outputs.append(.acceleration(window))
    }
  }

  private mutating func noteGap(at now: Instant) -> [MotionOutput] {
    rate.noteGap()
    var outputs: [MotionOutput] = []
    if let event = shake.interrupt(at: now) { tell(event, &outputs) }
    interruptShocks(at: now, &outputs)
    gravity.reset()
    orientation.interrupt()
    if rate.gaps.isDoubling { outputs.append(.warning(.gaps(rate.gaps))) }
    return outputs
  }

  private mutating func fail(_ reason: String, at now: Instant) -> [MotionOutput] {
    guard state != .failed(reason: reason) else { return [] }
    if state == .running { rate.noteGap() }
    state = .failed(reason: reason)
    return interrupt(at: now) + [.warning(.failed(reason: reason))]
  }
}

// MARK: - Parts

extension MotionPipeline {
  private var isFailed: Bool {
    if case .failed = state { true } else { false }
  }

  private var stallS: Double {
    let nominal = description.flatMap { $0.rateHz > 0 ? 1 / $0.rateHz : nil }
    return max(3 * (rate.periodS ?? nominal ?? 0), Self.shortestStallS)
  }

  /// So long without a sample interrupts a shake, as a hole between two samples does [s].
  private var interruptionS: Double { max(stallS, settings.shake.maxGapS) }

  /// Ends what is going on, because the samples before and after do not belong together.
  mutating func interrupt(at now: Instant) -> [MotionOutput] {
    var outputs: [MotionOutput] = []
    if let event = shake.interrupt(at: now) { tell(event, &outputs) }
    interruptShocks(at: now, &outputs)
    rest.interrupt()
    asleepSince = nil
    closeWindow(.interrupted, &outputs)
    gravity.reset()
    orientation.interrupt()
    return outputs
  }

  /// Tells of a shake that ends without a sample.
  mutating func tell(_ event: ShakeEvent, _ outputs: inout [MotionOutput]) {
    outputs.append(.shake(event))
    recorder?.end(event, &outputs)
  }

  mutating func startRecorder() {
    guard let description else { return }
    recorder?.start(rateHz: description.rateHz, fullScaleG: description.fullScaleG)
  }

  mutating func closeWindow(_ closing: AccelerationWindow.Closing, _ outputs: inout [MotionOutput]) {
    outputs += windows.close(closing).map { .acceleration($0) }
    windows.interrupt()
  }

  /// Says when the rate falls below what the preset needs, and when it is enough again. A shake that is active then is
  /// cut short, if the preset looks for none at such a rate.
  private mutating func judgeRate(at now: Instant, _ outputs: inout [MotionOutput]) {
    switch gate.judge(frames?.estimate ?? rate) {
    case nil: return
    case .fastEnough(let rateHz): outputs.append(.warning(.fastEnough(rateHz: rateHz)))
    case .tooSlow(let rateHz):
      outputs.append(.warning(.tooSlow(rateHz: rateHz, preset: settings.preset)))
      if gate.isClosed, let event = shake.interrupt(at: now) { tell(event, &outputs) }
    }
  }

  /// Why no shakes are looked for; nil where they are.
  private var refusal: String? {
    guard gate.isClosed, let rateHz = measuredHz else { return nil }
    return MotionWarning.tooSlow(rateHz: rateHz, preset: settings.preset).description
  }
}

extension Int {
  /// A power of two: a warning at each of these is rare, however fast the count rises.
  var isDoubling: Bool { self > 0 && self & (self - 1) == 0 }
}
