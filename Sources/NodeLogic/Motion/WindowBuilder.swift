internal import Telemetry

/// Gathers samples into windows, and makes windows long while nothing moves.
///
/// **At rest.** A window that is due is kept open while its RMS is below twice the noise floor: it would say what the
/// one before said. The floor is the quietest stretch so far, and counts from 0.1 mg (finer is rounding) to 10 mg (more
/// is no sensor's noise but a machine that runs steadily, and that is worth a window). While a window is stretched, a
/// mean of the squares over a quarter of a second, and over at least eight samples, watches for motion. When it comes
/// above the same level, the quiet part is closed at once, and the motion starts a window of its own.
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

  private var gravity: GravityFilter
  private var noise = NoiseFloor()
  private var sums: WindowSums?
  private var lastTime: Instant?
  private var watch = 0.0
  private var watchSmoothing = Smoothing(timeS: Self.watchS)

  /// - Parameter isScaleKnown: the sensor says where its scale ends, so that clipped samples can be counted.
  public init(_ settings: AccelerationSettings = AccelerationSettings(), isScaleKnown: Bool = false) {
    self.settings = settings
    self.isScaleKnown = isScaleKnown
    gravity = GravityFilter(cornerHz: settings.cutoffHz)
  }

  /// New settings for the sensor of `former`, whose noise floor stays known where the cut-off is the same.
  init(_ settings: AccelerationSettings, after former: WindowBuilder) {
    self.init(settings, isScaleKnown: former.isScaleKnown)
    if settings.cutoffHz == former.settings.cutoffHz { noise = former.noise }
  }

  /// The RMS of the acceleration without gravity in the quietest stretch so far [mg]; nil before the first.
  public var noiseMg: Double? { noise.rmsG.map { $0 * 1000 } }

  /// Takes the next sample and answers the windows that it completes: none, one, or two when a late sample closes the
  /// window before and is a window by itself.
  ///
  /// - Parameters:
  ///   - sample: its time must be later than that of the sample before.
  ///   - missed: how many samples are missing before this one.
  ///   - periodS: the time between samples as measured [s]; nil while unknown.
  public mutating func feed(_ sample: Sample, missed: Int = 0, periodS: Double? = nil) -> [AccelerationWindow] {
    let stepS = lastTime.map { sample.at - $0 } ?? 0
    lastTime = sample.at
    let isGravityKnown = gravity.gravity != nil
    let down = gravity.feed(sample.g, after: stepS)
    let square = isGravityKnown ? (sample.g - down).squaredLength : nil
    if let square {
      noise.feed(square, after: stepS)
      watch += min(watchSmoothing.weight(after: stepS), Self.largestWatchWeight) * (square - watch)
    }

    var complete: [AccelerationWindow] = []
    if let closing = closing(before: sample.at) { complete += close(closing) }
    var open = sums ?? WindowSums(from: sample)
    open.add(sample, gravity: down, square: square, missed: missed)
    sums = open
    if let periodS, let closing = closing(before: sample.at + 1.5 * periodS) { complete += close(closing) }
    return complete
  }

  /// Closes the open window, if it has samples, whatever its length.
  public mutating func close(_ closing: AccelerationWindow.Closing) -> [AccelerationWindow] {
    guard let open = sums else { return [] }
    sums = nil
    return [open.window(settings.filter, closing: closing, isScaleKnown: isScaleKnown)]
  }

  /// Tells that samples stopped here: the next sample is gravity again. The noise floor stays.
  public mutating func interrupt() {
    gravity.reset()
    lastTime = nil
    watch = 0
  }

  /// Forgets the noise floor too, for another sensor.
  public mutating func reset() {
    interrupt()
    noise = NoiseFloor()
    sums = nil
  }

  /// Whether, and why, the open window ends before a sample at `next`; decides that it is stretched instead.
  private mutating func closing(before next: Instant) -> AccelerationWindow.Closing? {
    guard let open = sums else { return nil }
    let lengthS = next - open.start
    guard lengthS >= settings.windowS else { return nil }
    guard isResting(open) else { return open.isStretched ? .motion : .full }
    sums?.isStretched = true
    return lengthS >= max(settings.restWindowS, settings.windowS) ? .rest : nil
  }

  private func isResting(_ open: WindowSums) -> Bool {
    guard settings.restWindowS > settings.windowS, let floor = noise.rmsG, floor <= Self.loudestG,
      let rms = open.rmsG
    else { return false }
    let level = Self.floorFactor * max(floor, Self.quietestG)
    return watch < level * level && (open.isStretched || rms < level)
  }
}

extension Vector {
  var squaredLength: Double { x * x + y * y + z * z }
}
