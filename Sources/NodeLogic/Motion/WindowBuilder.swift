public import Telemetry

/// Gathers samples into windows, and makes windows long while nothing moves.
///
/// **At rest.** A window that is due is kept open while its RMS is below twice the noise floor: it would say what the
/// one before said. The floor is the quietest stretch so far, and counts from 0.1 mg (finer is rounding) to 10 mg (more
/// is no sensor's noise but a machine that runs steadily, and that is worth a window). While a window is stretched, a
/// mean of the squares over a quarter of a second, and over at least eight samples, watches for motion. When it comes
/// above the same level, the quiet part is closed at once, and the motion starts a window of its own.
///
/// **Thinning out.** A window's mean of 1 s and more is what it says: a mean. Of shorter windows, `g` is a series that
/// people look at, and the mean of a short stretch leaves aliases of a fifth of what is quicker than the series. So `g`
/// is then the latest value of an `AntiAliasFilter`, which lags by some three windows. Nothing is filtered where each
/// sample is a window.
///
/// **Length.** A window has as many samples as fit best into `windowS`, at least one: it closes with the sample after
/// which the next is expected nearest to the end, and doesn't wait for that one.
public struct WindowBuilder: Equatable, Sendable {
  private static let quietestG = 0.0001
  private static let loudestG = 0.01
  private static let floorFactor = 2.0
  private static let watchS = 0.25
  /// One over the least number of samples that the watch is a mean of.
  private static let largestWatchWeight = 0.125

  /// As they were given; a change needs a new builder.
  public let settings: AccelerationSettings
  /// Whether clipping can be told: the sensor's full scale is known.
  public var isScaleKnown: Bool

  /// Somebody watches: batches of samples are answered beside the windows.
  public private(set) var isLive = false
  /// Every window is so many times longer than the settings say, up to an hour: what a data budget asks for; >= 1.
  public var stretch = 1.0

  /// To which windows are stretched at the most [s].
  static let longestS = 3600.0
  /// From this length on, a mean is a mean.
  private static let shortestMeanS = 1.0

  private var gravity: GravityFilter
  private var adaptive: AdaptiveFilter?
  private var thinning = AntiAliasFilter()
  private let hasMeasures: Bool
  private var measures: WindowMeasures?
  private var liveStream: LiveStream?
  private var noise = NoiseFloor()
  private var sums = WindowSums()
  private var lastTime: Instant?
  private var watch = 0.0
  private var watchSmoothing = Smoothing(timeS: Self.watchS)

  /// - Parameter isScaleKnown: the sensor says where its scale ends, so that clipped samples can be counted.
  public init(_ settings: AccelerationSettings = AccelerationSettings(), isScaleKnown: Bool = false) {
    self.settings = settings
    self.isScaleKnown = isScaleKnown
    gravity = GravityFilter(cornerHz: settings.cutoffHz)
    if settings.filter == .adaptive { adaptive = AdaptiveFilter(cornerHz: settings.cutoffHz) }
    measures = WindowMeasures(settings.measures)
    hasMeasures = measures != nil
  }

  /// New settings for the sensor of `former`, whose noise floor stays known where the cut-off is the same.
  init(_ settings: AccelerationSettings, after former: WindowBuilder) {
    self.init(settings, isScaleKnown: former.isScaleKnown)
    if settings.cutoffHz == former.settings.cutoffHz { noise = former.noise }
    stretch = former.stretch
    sums = WindowSums(after: former.sums)
    if let stream = former.liveStream {
      let asked = stream.rateHz == former.settings.liveHz ? nil : stream.rateHz
      _ = live(until: stream.until, rateHz: asked)
    }
  }

  /// The RMS of the acceleration without gravity in the quietest stretch so far [mg]; nil before the first.
  public var noiseMg: Double? { noise.rmsG.map { $0 * 1000 } }

  /// Takes the next sample and answers the windows that it completes: none, one, or two when a late sample closes the
  /// window before and is a window by itself.
  ///
  /// - Parameters:
  ///   - sample: its time must be later than that of the sample before.
  ///   - missed: how many samples are missing before this one; below 0 where it, and others before it, were told as
  ///     missing.
  ///   - periodS: the time between samples as measured [s]; nil while unknown.
  public mutating func feed(_ sample: Sample, missed: Int = 0, periodS: Double? = nil) -> [AccelerationWindow] {
    let step = SampleStep(seconds: lastTime.map { sample.at - $0 } ?? 0, missed: missed, periodS: periodS)
    lastTime = sample.at
    let isGravityKnown = gravity.gravity != nil
    let down = gravity.feed(sample.g, after: step.seconds)
    let square = isGravityKnown ? (sample.g - down).squaredLength : nil
    if let square {
      noise.feed(square, after: step.seconds)
      watch += min(watchSmoothing.weight(after: step.seconds), Self.largestWatchWeight) * (square - watch)
    }
    let filtered = filtered(sample.g, gravity: down, step)

    var complete: [AccelerationWindow] = []
    if let closing = closing(before: sample.at) { complete += finish(closing) }
    sums.add(sample, filtered: filtered, square: square, missed: missed)
    if hasMeasures {
      measures?.feed(sample.g, user: isGravityKnown ? sample.g - down : nil, square: square ?? 0, step)
    }
    if let periodS, let closing = closing(before: sample.at + 1.5 * periodS) { complete += finish(closing) }
    if isLive { feedLive(filtered, of: sample, step, &complete) }
    return complete
  }

  /// Closes what is open, if it has samples, whatever its length: the window, and the batch of live samples.
  public mutating func close(_ closing: AccelerationWindow.Closing) -> [AccelerationWindow] {
    sums.settle()
    return finish(closing) + (liveStream?.close(settings.filter) ?? [])
  }

  /// Tells that samples stopped here: the next sample is gravity again. The noise floor stays.
  public mutating func interrupt() {
    gravity.reset()
    adaptive?.reset()
    thinning.reset()
    liveStream?.interrupt()
    lastTime = nil
    watch = 0
  }

  /// Forgets the noise floor too, for another sensor.
  public mutating func reset() {
    interrupt()
    noise = NoiseFloor()
    sums = WindowSums()
    measures = WindowMeasures(settings.measures)
  }
}

// MARK: - Live samples

extension WindowBuilder {
  /// When the lease runs out; nil while nobody watches.
  public var liveUntil: Instant? { liveStream?.until }

  /// Answers batches of samples from now on, until the lease runs out; moves the end of a lease that runs. Another rate
  /// closes the batch that is open, which is answered.
  ///
  /// - Parameter rateHz: the highest rate of samples [Hz], > 0; nil: `AccelerationSettings.liveHz`, or that of the
  ///   lease that runs.
  public mutating func live(until: Instant, rateHz: Double? = nil) -> [AccelerationWindow] {
    let wanted = rateHz ?? liveStream?.rateHz ?? settings.liveHz
    var complete: [AccelerationWindow] = []
    if wanted != liveStream?.rateHz {
      complete = liveStream?.close(settings.filter) ?? []
      liveStream = LiveStream(until: until, rateHz: wanted, batchS: settings.liveBatchS)
    }
    liveStream?.until = until
    isLive = true
    return complete
  }

  /// Ends the lease if it has run out at `now`, and answers the batch that is open.
  public mutating func endLive(at now: Instant) -> [AccelerationWindow] {
    guard let until = liveStream?.until, now >= until else { return [] }
    defer {
      liveStream = nil
      isLive = false
    }
    return liveStream?.close(settings.filter) ?? []
  }

  private mutating func feedLive(
    _ filtered: Vector, of sample: Sample, _ step: SampleStep, _ complete: inout [AccelerationWindow]
  ) {
    complete += endLive(at: sample.at)
    liveStream?.feed(filtered, of: sample, step, filter: settings.filter, &complete)
  }
}

// MARK: - Parts

extension WindowBuilder {
  private var windowS: Double { min(settings.windowS * stretch, max(Self.longestS, settings.windowS)) }

  private var restWindowS: Double { min(settings.restWindowS * stretch, max(Self.longestS, settings.restWindowS)) }

  /// What is published of the sample, before it is thinned out [g].
  private mutating func filtered(_ g: Vector, gravity: Vector, _ step: SampleStep) -> Vector {
    let filtered =
      switch settings.filter {
      case .raw: g
      case .gravity: gravity
      case .user: g - gravity
      case .adaptive: adaptive?.feed(g, after: step.seconds) ?? g
      }
    if let periodS = step.periodS, windowS < Self.shortestMeanS {
      // As many samples as fit best, which is how windows are closed.
      let count = max((windowS / periodS - 0.5).rounded(.up), 1)
      thinning.prepare(periodS: periodS, outputS: count * periodS)
      thinning.feed(filtered, step)
    } else {
      // What it knows grows old: a data budget may make windows short again at any time.
      thinning.reset()
    }
    return filtered
  }

  private mutating func finish(_ closing: AccelerationWindow.Closing) -> [AccelerationWindow] {
    guard !sums.isEmpty else { return [] }
    let open = sums
    sums = WindowSums(after: open)
    var window = open.window(settings.filter, closing: closing, isScaleKnown: isScaleKnown)
    if closing == .full, windowS < Self.shortestMeanS, let latest = thinning.value { window.meanG = latest }
    if let extra = measures?.finish(rmsG: open.rmsG, peakG: open.peakG) { window.measures = extra }
    return [window]
  }

  /// Whether, and why, the open window ends before a sample at `next`; decides that it is stretched instead.
  private mutating func closing(before next: Instant) -> AccelerationWindow.Closing? {
    let lengthS = next - sums.start
    guard lengthS >= windowS, !sums.isEmpty else { return nil }
    guard isResting else { return sums.isStretched ? .motion : .full }
    sums.isStretched = true
    return lengthS >= max(restWindowS, windowS) ? .rest : nil
  }

  private var isResting: Bool {
    guard restWindowS > windowS, let floor = noise.rmsG, floor <= Self.loudestG, let rms = sums.rmsG
    else { return false }
    let level = Self.floorFactor * max(floor, Self.quietestG)
    return watch < level * level && (sums.isStretched || rms < level)
  }
}
