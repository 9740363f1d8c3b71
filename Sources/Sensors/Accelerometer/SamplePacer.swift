internal import NodeLogic
internal import Telemetry

/// Gives generated samples out at the pace of their own times, a batch at a time as a sensor's buffer would.
struct SamplePacer {
  /// The time between two batches at the least; it bounds latency and wake-ups alike [s].
  static let batchS = 0.2
  /// After a pause longer than this (the machine slept) samples are not made up for [s].
  static let greatestLagS = 5.0

  /// Samples given out together at the most, so that no recording can hold the loop.
  static let mostSamples = 50_000

  private(set) var nextDeadline = Instant.start
  /// The instant of the generator's time 0.
  private var base: Instant?
  private var pending: Sample?

  /// Takes all samples up to `now`.
  ///
  /// - Parameter next: makes the next sample; its time counts from the generator's beginning and rises.
  mutating func take(at now: Instant, next: () -> Sample) -> [AccelerometerReport] {
    var base = self.base ?? now
    var reports: [AccelerometerReport] = []
    var samples: [Sample] = []
    while true {
      var sample = pending ?? next()
      pending = nil
      if base + sample.at.seconds < now - SamplePacer.greatestLagS {
        base = now - sample.at.seconds
        reports.append(.gap)
      }
      guard base + sample.at.seconds <= now else {
        pending = sample
        nextDeadline = max(base + sample.at.seconds, now + SamplePacer.batchS)
        break
      }
      sample.at = base + sample.at.seconds
      samples.append(sample)
      guard samples.count < SamplePacer.mostSamples else {
        nextDeadline = now + SamplePacer.batchS
        break
      }
    }
    self.base = base
    return samples.isEmpty ? reports : reports + [.samples(samples)]
  }
}
