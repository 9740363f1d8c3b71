internal import Telemetry

/// Keeps a reader from waking for every scan where the kernel does not do that for it: some buffers have no watermark,
/// and some ignore it. Then the buffer is looked at by time, as often as the watermark would have it.
struct ReadPace: Equatable, Sendable {
  /// Until when not to look; nil: wait for the descriptor.
  private(set) var resumeAt: Instant?
  private var shortReads = 0
  private var isTimed = false

  /// Waits a little after a read that failed, so that another try means something.
  mutating func rest(until moment: Instant) { resumeAt = moment }

  /// Reports that `scans` were read.
  mutating func read(_ scans: Int, watermark: Int, rateHz: Double, at now: Instant) {
    let batch = max(watermark, Int(rateHz / IIOBuffer.wakeUpsPerSecond))
    if !isTimed {
      resumeAt = nil
      guard scans > 0 else { return }
      shortReads = scans * 2 < batch ? shortReads + 1 : 0
      isTimed = shortReads >= 3
    }
    if isTimed { resumeAt = now + Double(batch) / rateHz }
  }
}
