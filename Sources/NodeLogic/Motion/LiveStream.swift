internal import Telemetry

/// The samples themselves, for somebody who watches: thinned out without aliases, and many to a message.
///
/// It has a lease. When it has run out the stream ends by itself, as a sensor is let go of when the view that shows it
/// leaves the screen. Every n-th sample goes out, n being the least whole number with which the rate is not above the
/// one wanted, so that no value is made up between two samples. A batch is closed when it is full, and at a hole that
/// swallowed a value: so its values are evenly spaced.
struct LiveStream: Equatable, Sendable {
  /// The most values in a message.
  static let mostValues = 200
  /// A sensor runs some per cent off its nominal rate; that is no reason to halve the live one.
  private static let rateTolerance = 0.05
  /// So much above that may the rate wander, as a share of it, before a sample more is left out: a sensor just at the
  /// bound would have its batches cut over and over.
  private static let rateHysteresis = 0.02

  /// When the lease runs out.
  var until: Instant
  let rateHz: Double
  private let batchS: Double
  private var filter = AntiAliasFilter()
  private var batch = LiveBatch()
  /// Every so many samples one goes out; 0 while the sensor's rate is not known.
  private var factor = 0
  private var untilNext = 0
  private var last: (at: Instant, g: Vector)?

  /// - Parameters:
  ///   - rateHz: the highest rate wanted [Hz], > 0.
  ///   - batchS: the length of a message [s], > 0.
  init(until: Instant, rateHz: Double, batchS: Double) {
    self.until = until
    self.rateHz = rateHz
    self.batchS = batchS
  }

  /// Takes the next filtered sample, and adds the batches that it completes to `complete`.
  mutating func feed(
    _ g: Vector, of sample: Sample, _ step: SampleStep, filter word: AccelerationMessage.Filter,
    _ complete: inout [AccelerationWindow]
  ) {
    defer { last = (sample.at, g) }
    guard let periodS = step.periodS else { return }
    prepare(periodS, word, &complete)
    batch.note(sample, missed: step.missed)
    if step.missed >= factor || step.isBroken {
      complete += close(word)
      filter.feed(g, step)
      untilNext = 1
    } else {
      bridge(to: g, at: sample.at, step, word, &complete)
      filter.feed(g, SampleStep(seconds: periodS, periodS: periodS))
    }
    pick(at: sample.at, word, &complete)
  }

  /// Closes the batch that is open.
  mutating func close(_ word: AccelerationMessage.Filter) -> [AccelerationWindow] {
    // What was counted without a value in the batch is the next one's.
    guard let window = batch.window(word) else { return [] }
    batch.clear()
    return [window]
  }

  /// Forgets the past, because samples stopped.
  mutating func interrupt() {
    filter.reset()
    factor = 0
  }

  private mutating func prepare(
    _ periodS: Double, _ word: AccelerationMessage.Filter, _ complete: inout [AccelerationWindow]
  ) {
    let ratio = min(1 / (periodS * rateHz), 1_000_000)
    let fitting = leastFactor(ratio)
    if fitting < factor || leastFactor(ratio / (1 + Self.rateHysteresis)) > factor {
      complete += close(word)
      factor = fitting
      untilNext = 1
    }
    filter.prepare(periodS: periodS, outputS: Double(factor) * periodS)
    batch.periodS = Double(factor) * periodS
    batch.size = Int(min(max((batchS / batch.periodS).rounded(), 1), Double(Self.mostValues)))
  }

  /// The least number with which every so many samples are no more than wanted, of so many times more.
  private func leastFactor(_ ratio: Double) -> Int { max(1, Int((ratio - Self.rateTolerance).rounded(.up))) }

  /// Fills a hole that is shorter than the spacing of what goes out.
  private mutating func bridge(
    to g: Vector, at time: Instant, _ step: SampleStep, _ word: AccelerationMessage.Filter,
    _ complete: inout [AccelerationWindow]
  ) {
    guard step.missed > 0, let last else { return }
    let part = 1 / Double(step.missed + 1)
    for index in 1...step.missed {
      let share = Double(index) * part
      filter.feed(last.g + (g - last.g) * share, SampleStep(seconds: step.seconds * part, periodS: step.periodS))
      pick(at: last.at + (time - last.at) * share, word, &complete)
    }
  }

  private mutating func pick(
    at time: Instant, _ word: AccelerationMessage.Filter, _ complete: inout [AccelerationWindow]
  ) {
    untilNext -= 1
    guard untilNext <= 0, let value = filter.value else { return }
    untilNext = factor
    // What comes out now is what went in a while ago.
    if batch.append(value, at: time - filter.delayS) { complete += close(word) }
  }

  static func == (a: LiveStream, b: LiveStream) -> Bool {
    a.until == b.until && a.rateHz == b.rateHz && a.batchS == b.batchS && a.batch == b.batch && a.filter == b.filter
      && a.factor == b.factor && a.untilNext == b.untilNext && a.last?.at == b.last?.at && a.last?.g == b.last?.g
  }
}

/// Values on their way into one message.
private struct LiveBatch: Equatable {
  var size = LiveStream.mostValues
  /// From one value to the next, as planned [s].
  var periodS = 0.0
  private var values: [Vector] = []
  private var start = Instant.start
  private var end = Instant.start
  private var count = 0
  /// A batch ends at a hole, and says so.
  private var missed = MissedCount(patience: 0)
  private var clipped = 0

  init() {
    values.reserveCapacity(LiveStream.mostValues)
  }

  mutating func note(_ sample: Sample, missed: Int) {
    if !sample.isRepeat { count += 1 }
    self.missed.add(missed)
    if sample.isClipped { clipped += 1 }
  }

  /// Answers whether the batch is full.
  mutating func append(_ value: Vector, at time: Instant) -> Bool {
    if values.isEmpty { start = time }
    end = time
    values.append(value)
    return values.count >= size
  }

  mutating func clear() {
    values.removeAll(keepingCapacity: true)
    (count, clipped) = (0, 0)
    missed.next()
  }

  func window(_ filter: AccelerationMessage.Filter) -> AccelerationWindow? {
    guard !values.isEmpty else { return nil }
    let mean = values.reduce(Vector.zero, +) * (1 / Double(values.count))
    var window = AccelerationWindow(
      start: start, end: end, closing: .live, filter: filter, meanG: mean, count: count,
      missed: missed.told)
    window.clipped = clipped
    window.samples = values
    window.samplePeriodS = values.count > 1 ? (end - start) / Double(values.count - 1) : periodS
    return window
  }
}
