internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry

/// Waits by a sleeping sensor: for its motion event, and for the next single reading.
final class SleepWatch {
  /// What came of a look.
  enum Outcome: Equatable {
    case asleep
    /// The event came; when it was stamped.
    case woken(at: Instant)
    /// A reading shows that it was moved, and no event came.
    case movedUnnoticed
    case gone(String)
  }

  let sensor: IIOSensor
  private let trigger: WakeTrigger
  private let clock: MonotonicClock
  private let since: Instant
  private let intervalS: Double
  /// What was quiet before.
  private let quiet: QuietWatch
  private(set) var descriptor: Int32
  private(set) var nextDeadline: Instant
  private var faults = 0
  private var isOpen = true

  /// Bytes of `struct iio_event_data`: the event's code, and its time [ns].
  private static let eventBytes = 16
  /// An event's time is believed when it is no older than the sleep, within this [s].
  private static let slackS = 0.1
  /// Between two tries after a reading that failed [s].
  private static let retryS = 1.0

  /// - Parameters:
  ///   - descriptor: of the armed trigger.
  ///   - intervalS: between two readings.
  init(
    sensor: IIOSensor, trigger: WakeTrigger, descriptor: Int32, quiet: QuietWatch, intervalS: Double,
    clock: MonotonicClock
  ) {
    self.sensor = sensor
    self.trigger = trigger
    self.descriptor = descriptor
    self.quiet = quiet
    self.intervalS = max(1, intervalS)
    self.clock = clock
    since = clock.now()
    nextDeadline = since + self.intervalS
  }

  deinit { close() }

  /// How long it has slept at `now` [s].
  func age(at now: Instant) -> Double { now - since }

  /// Takes what there is.
  func look(at now: Instant, check: inout ScanCheck, _ result: inout CaptureResult) -> Outcome {
    guard isOpen else { return .gone("closed") }
    let outcome = readEvents(at: now)
    guard outcome == .asleep, now >= nextDeadline else { return outcome }
    nextDeadline = now + intervalS
    return takeReading(&check, &result)
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    trigger.disarm(descriptor)
  }

  private func readEvents(at now: Instant) -> Outcome {
    var first: Int64?
    var event: (code: UInt64, stamp: Int64) = (0, 0)
    // Bounded: an event that fires all the time must not keep the thread here.
    for _ in 0..<64 {
      let count = withUnsafeMutableBytes(of: &event) { read(descriptor, $0.baseAddress, SleepWatch.eventBytes) }
      guard count >= SleepWatch.eventBytes else {
        if count == 0 { return .gone("\(sensor.device.name): the events ended") }
        guard count < 0, errno != EAGAIN, errno != EINTR else { break }
        return .gone(
          SystemFailure(operation: "read events of", path: sensor.device.name, code: errno).description)
      }
      if first == nil { first = Int64(littleEndian: event.stamp) }
    }
    guard let first else { return .asleep }
    let stamped = clock.instant(monotonicNanoseconds: first)
    let isPlausible = stamped >= since - SleepWatch.slackS && stamped <= now + SleepWatch.slackS
    return .woken(at: isPlausible ? stamped : now)
  }

  private func takeReading(_ check: inout ScanCheck, _ result: inout CaptureResult) -> Outcome {
    let began = clock.now()
    do {
      var attributes = try RawAttributes(folder: sensor.device.folder)
      defer { attributes.close() }
      let raw = try attributes.readAll(began, clock)
      let sample = sensor.scale.sample(raw, at: began + (clock.now() - began) / 2)
      // No gap: a single reading has nothing before it that it could interrupt.
      switch result.admit(raw, sample, &check) {
      case .good: faults = 0
      case .zeros: return fault(.zeros)
      case .outOfRange: return fault(.outOfRange)
      }
      result.reports.append(.samples([sample]))
      return quiet.wasMoved(to: sample.g) ? .movedUnnoticed : .asleep
    } catch {
      result.faults.retried += 1
      return fault((error as? PollFault) ?? (error as? SystemFailure).map { PollFault.system($0) })
    }

    func fault(_ fault: PollFault?) -> Outcome {
      faults += 1
      nextDeadline = clock.now() + SleepWatch.retryS
      guard let fault, !fault.isRemoval, fault.isPassing, faults <= 3 else {
        let often = faults > 1 ? ", \(faults) times in a row" : ""
        return .gone("\(sensor.device.name): \(fault?.description ?? "it cannot be read")\(often)")
      }
      return .asleep
    }
  }
}
