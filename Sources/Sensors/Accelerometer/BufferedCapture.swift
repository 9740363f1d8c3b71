internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry

/// Reads whole scans from a device's buffer.
final class BufferedCapture: IIOCapture {
  var description: AccelerometerDescription
  var sensor: IIOSensor
  var check: ScanCheck
  private var buffer: RunningBuffer
  private var timeline: ScanTimeline
  private var watchdog: StallWatchdog
  private let clock: MonotonicClock
  private let note: AccelerometerNote
  private var bytes: [UInt8]
  /// The times of the scans in `bytes`; kept for its room.
  private var instants: [Instant] = []
  /// Bytes of a scan whose rest has not come yet.
  private var held = 0
  private var pace = ReadPace()
  private var passingFaults = 0
  private var stale = 0
  private var isOpen = true

  /// What is read at once at the most.
  private static let mostBytes = 1 << 20
  /// Shorter holes are no gap, since the samples' times show them, and to lose a few samples ends nothing: the least
  /// that a shake's settings let interrupt it (`max_gap_s`). What is longer they judge for themselves [s].
  private static let shortestGapS = 0.25
  /// Between two tries after a read that failed.
  private static let retryS = 0.1

  init(sensor: IIOSensor, buffer: RunningBuffer, clock: MonotonicClock, note: @escaping AccelerometerNote) {
    self.sensor = sensor
    self.buffer = buffer
    self.clock = clock
    self.note = note
    check = ScanCheck(sensor.scale)
    timeline = ScanTimeline(rateHz: buffer.rateHz, enabledAt: buffer.enabledAt)
    watchdog = StallWatchdog(rateHz: buffer.rateHz, batch: buffer.watermark, from: buffer.enabledAt)
    let scans = min(max(64, buffer.watermark * 4), max(1, BufferedCapture.mostBytes / buffer.layout.size))
    bytes = [UInt8](repeating: 0, count: buffer.layout.size * scans)
    description = sensor.description(rateHz: buffer.rateHz, capture: .buffered)
  }

  deinit { close() }

  var descriptor: Int32? { isOpen && pace.resumeAt == nil ? buffer.descriptor : nil }

  var nextDeadline: Instant? {
    guard isOpen else { return nil }
    return pace.resumeAt.map { min($0, watchdog.deadline) } ?? watchdog.deadline
  }

  func collect(at now: Instant) -> CaptureResult {
    guard isOpen else { return CaptureResult(state: .gone("closed")) }
    if let resumeAt = pace.resumeAt, now < resumeAt { return CaptureResult() }
    var result = CaptureResult()
    var scans = 0
    // Bounded: a device that writes faster than this reads must not keep the thread here.
    for _ in 0..<8 {
      let count = bytes.withUnsafeMutableBytes { bytes in
        let free = UnsafeMutableRawBufferPointer(rebasing: bytes[held...])
        return read(buffer.descriptor, free.baseAddress, free.count)
      }
      if count <= 0 {
        let name = "\(sensor.device.name) (\(sensor.device.identifier))"
        result.takeFailure(count == 0 ? nil : errno, of: name, counting: &passingFaults)
        break
      }
      passingFaults = 0
      let filled = held + count
      let whole = filled / buffer.layout.size
      decode(whole, read: clock.now(), &result)
      scans += whole
      keep(from: whole * buffer.layout.size, upTo: filled)
      if filled < bytes.count { break }
    }
    pace.read(scans, watermark: buffer.watermark, rateHz: buffer.rateHz, at: now)
    if passingFaults > 0 { pace.rest(until: now + BufferedCapture.retryS) }
    if result.state == .running, let why = watchdog.verdict(at: now) { result.state = .stalled(why) }
    return result
  }

  /// Turns the buffer off and on, for a device that has fallen silent.
  func restart(at now: Instant) throws(SystemFailure) {
    buffer = try buffer.restart(at: now)
    timeline.interrupt()
    watchdog = StallWatchdog(rateHz: buffer.rateHz, batch: buffer.watermark, from: now)
    held = 0
    passingFaults = 0
    refresh()
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    buffer.close()
  }

  /// Decodes the first `count` scans.
  private func decode(_ count: Int, read: Instant, _ result: inout CaptureResult) {
    guard count > 0 else { return }
    let batch = place(count, read: read)
    stale += batch.stale
    var samples: [Sample] = []
    samples.reserveCapacity(count)
    bytes.withUnsafeBytes { bytes in
      for index in batch.stale..<count {
        if index == batch.gapBefore, batch.gapS > BufferedCapture.shortestGapS { result.interrupt(&samples) }
        guard let scan = buffer.layout.decode(bytes, at: index * buffer.layout.size) else { continue }
        let sample = sensor.scale.sample(scan, at: instants[index])
        let verdict = result.admit(scan, sample, &check)
        if verdict == .good {
          samples.append(sample)
        } else {
          result.interrupt(&samples)
          watchdog.saw(verdict)
        }
      }
    }
    guard !samples.isEmpty else { return }
    result.reports.append(.samples(samples))
    watchdog.saw(count, at: read)
    if stale > 0 {
      note("stale", .info, "\(sensor.device.name): dropped \(stale) scans from before the buffer was enabled")
      stale = 0
    }
  }

  /// Fills `instants` with the times of the first `count` scans.
  private func place(_ count: Int, read: Instant) -> ScanTimeline.Batch {
    let layout = buffer.layout
    instants.removeAll(keepingCapacity: true)
    guard layout.hasTimestamp else {
      let (first, step) = timeline.spread(count, read: read)
      for index in 0..<count { instants.append(first + Double(index) * step) }
      return ScanTimeline.Batch()
    }
    bytes.withUnsafeBytes { bytes in
      for index in 0..<count {
        let stamp = layout.decode(bytes, at: index * layout.size)?.timestampNs ?? 0
        instants.append(clock.instant(monotonicNanoseconds: stamp))
      }
    }
    return timeline.place(&instants, read: read)
  }

  /// Moves the beginning of a scan to the front, where its rest will follow it.
  private func keep(from start: Int, upTo end: Int) {
    held = end - start
    guard start > 0, held > 0 else { return }
    bytes.withUnsafeMutableBytes { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start..<end]))
    }
  }
}
