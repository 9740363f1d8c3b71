internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry

/// Reads an input device's events and makes an even stream of samples of them.
///
/// An input device tells changes only, and the kernel holds small ones back. Between two frames the last one is
/// repeated, at the rate that was asked for, for as long as the device is there: a filter that hears nothing at rest
/// would take the pause for a loss. A device that leaves says ENODEV. One that is still and one that hangs look alike,
/// unless the kernel holds nothing back (its fuzz is 0): then one whose noise was seen and has ceased counts as frozen.
final class EvdevCapture: Capture {
  let description: AccelerometerDescription
  var check: ScanCheck
  private let sensor: EvdevSensor
  private let clock: MonotonicClock
  private var frames: InputFrames
  private var held: HeldState
  private var bytes: [UInt8]
  /// Bytes of an event whose rest has not come yet; the kernel gives whole ones.
  private var part = 0
  private var samples: [Sample] = []
  private var faults = 0
  /// Since when the device says 0, 0, 0: nothing is repeated meanwhile.
  private var zerosSince: Instant?
  /// A frame has come.
  private var hasHeard = false
  private var resumeAt: Instant?
  private var deadline: Instant
  private var pauseS = 0.05
  private let openedAt: Instant
  private var isOpen = true

  /// A reader without events looks so often whether the device is still there, and repeats the last frame [s].
  private static let restS = 0.2
  /// A device that has never told anything is given up after this [s].
  private static let patienceS = 5.0
  /// What is not repeated any more after a pause of this length: the thread was held up [s].
  private static let mostHeldS = 5.0
  private static let eventBytes = InputEvent.size()

  /// - Parameter rateHz: at which samples are made.
  init(sensor: EvdevSensor, rateHz: Double, wake: AccelerometerDescription.Wake, clock: MonotonicClock) {
    self.sensor = sensor
    self.clock = clock
    check = ScanCheck(sensor.scale, showsNoise: !sensor.isFuzzy)
    frames = InputFrames(state: sensor.state)
    held = HeldState(rateHz: rateHz)
    bytes = [UInt8](repeating: 0, count: EvdevCapture.eventBytes * 256)
    let now = clock.now()
    openedAt = now
    deadline = now
    // A driver that has measured nothing yet says 0, 0, 0.
    if sensor.state.isSomething { held.set(sensor.state, at: now) }
    let how =
      "an input device tells changes only; in between the last values are repeated at \(decimal(rateHz)) Hz"
      + (sensor.isMonotonic ? "" : ", and its times are those of arrival")
    var description = AccelerometerDescription(
      name: sensor.device.name, source: .evdev, rateHz: rateHz, capture: .held(why: how),
      fullScaleG: sensor.scale.fullScaleG)
    description.wake = wake
    self.description = description
  }

  deinit { close() }

  var descriptor: Int32? { isOpen && resumeAt == nil ? sensor.descriptor : nil }
  var nextDeadline: Instant? { isOpen ? resumeAt ?? deadline : nil }

  func collect(at now: Instant) -> CaptureResult {
    guard isOpen else { return CaptureResult(state: .gone("closed")) }
    if let resumeAt, now < resumeAt { return CaptureResult() }
    var result = CaptureResult()
    // Whatever the kernel stamped before this moment can be read.
    let until = clock.now()
    if zerosSince == nil, held.skip(to: until - EvdevCapture.mostHeldS) { result.interrupt(&samples) }
    let count = drain(&result)
    hold(until: until, &result)
    if !samples.isEmpty { result.reports.append(.samples(samples)) }
    samples.removeAll(keepingCapacity: true)
    // The kernel keeps 16 frames for a reader: one that wakes for each would wake 100 times a second and more.
    resumeAt = count > 0 || faults > 0 ? until + pauseS : nil
    deadline = until + EvdevCapture.restS
    if result.state == .running, let zerosSince, until - zerosSince >= EvdevCapture.patienceS {
      result.state = .stalled("\(name): nothing but 0, 0, 0 for \(decimal((until - zerosSince).rounded())) s")
    }
    if result.state == .running, held.state == nil, until - openedAt > EvdevCapture.patienceS {
      result.faults.zeros += 1
      result.state = .stalled("\(name): no event since it was opened, and its state is 0, 0, 0")
    }
    return result
  }

  func refresh() {}

  func close() {
    guard isOpen else { return }
    isOpen = false
    Glibc.close(sensor.descriptor)
  }

  private var name: String { "\(sensor.device.name) (\(sensor.device.identifier))" }

  /// Reads all events that wait; answers how many there were.
  private func drain(_ result: inout CaptureResult) -> Int {
    var events = 0
    // Bounded: a device that writes faster than this reads must not keep the thread here.
    for _ in 0..<8 {
      let count = bytes.withUnsafeMutableBytes { bytes in
        let free = UnsafeMutableRawBufferPointer(rebasing: bytes[part...])
        return read(sensor.descriptor, free.baseAddress, free.count)
      }
      if count <= 0 {
        result.takeFailure(count == 0 ? nil : errno, of: name, counting: &faults)
        break
      }
      faults = 0
      let filled = part + count
      let whole = filled / EvdevCapture.eventBytes
      decode(whole, read: clock.now(), &result)
      events += whole
      part = filled - whole * EvdevCapture.eventBytes
      if part > 0 { bytes.replaceSubrange(0..<part, with: bytes[(filled - part)..<filled]) }
      if filled < bytes.count { break }
    }
    return events
  }

  private func decode(_ count: Int, read: Instant, _ result: inout CaptureResult) {
    for index in 0..<count {
      let event = bytes.withUnsafeBytes { InputEvent($0, at: index * EvdevCapture.eventBytes) }
      switch frames.feed(event) {
      case .nothing: break
      case .frame(let state, let timeNs):
        hasHeard = true
        let time = sensor.isMonotonic ? clock.instant(monotonicNanoseconds: timeNs) : read
        // Never ahead of what is known, nor behind what was said already.
        let at = min(time, read)
        hold(until: at, &result)
        set(state, at: at, &result)
      case .lost: recover(at: read, &result)
      }
    }
  }

  /// The kernel had no room for events: the state is asked for, and what it was in between is not known.
  private func recover(at now: Instant, _ result: inout CaptureResult) {
    // The choice of its clock makes the kernel drop what waits; nothing is lost with that.
    let isLoss = hasHeard && held.state != nil
    if isLoss { pauseS = pauseS > 0.002 ? pauseS / 2 : 0 }
    do throws(SensorFault) {
      let state = try sensor.ask()
      frames.set(state)
      hold(until: now, &result)
      if isLoss { result.interrupt(&samples) }
      set(state, at: now, &result)
    } catch {
      result.state = .gone(error.description)
    }
  }

  /// Takes the state that was told of. All zeros is what a silent chip answers, and no reason to go on repeating what
  /// it said before.
  private func set(_ state: RawScan, at now: Instant, _ result: inout CaptureResult) {
    if state.isSomething {
      if zerosSince != nil { _ = held.skip(to: now) }
      zerosSince = nil
      return held.set(state, at: now)
    }
    // Before its first state the device has `patienceS` anyway.
    guard held.state != nil else { return }
    result.faults.zeros += 1
    if zerosSince == nil {
      zerosSince = now
      result.interrupt(&samples)
    }
  }

  /// Repeats the present state up to `end`.
  private func hold(until end: Instant, _ result: inout CaptureResult) {
    guard zerosSince == nil else { return }
    while let (scan, at) = held.take(before: end) {
      var sample = sensor.scale.sample(scan, at: at)
      sample.isRepeat = held.isRepeat
      switch result.admit(scan, sample, &check) {
      case .good: samples.append(sample)
      case .zeros, .outOfRange: result.interrupt(&samples)
      }
    }
  }
}

extension RawScan {
  /// Not 0, 0, 0.
  fileprivate var isSomething: Bool { x != 0 || y != 0 || z != 0 }
}
