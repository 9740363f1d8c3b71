internal import Telemetry

// What the driver tells besides samples: sleep, waking, faults.

extension MotionPipeline {
  /// The sensor sleeps until its chip notices motion. It was quiet for long, so that no shake is active; one that is
  /// all the same cannot be followed to its end.
  mutating func sleep(at now: Instant) -> [MotionOutput] {
    var outputs: [MotionOutput] = []
    if let event = shake.interrupt(at: now) { tell(event, &outputs) }
    interruptShocks(at: now, &outputs)
    closeWindow(.rest, &outputs)
    state = .idle
    // The driver let it sleep because nothing had moved.
    asleepSince = rest.since ?? now
    readings = 0
    lastReadingTold = now
    return outputs
  }

  /// Samples are about to come again. They do not belong together with those before the sleep.
  mutating func wake(at now: Instant) -> [MotionOutput] {
    guard state == .idle else { return [] }
    let outputs = interrupt(at: now)
    resetRate()
    state = .starting
    lastHeard = now
    return outputs
  }

  /// Why no samples come, and none will by waiting for them; nil where they do, or are about to.
  func silence(at now: Instant) -> String? {
    switch state {
    case .failed(let reason): reason
    case .stalled: "none for \(tenths(now - lastHeard)) s"
    case .waiting, .starting, .running, .idle: nil
    }
  }

  /// The rate at which the sensor measures [Hz]; nil while that is not known.
  var measuredHz: Double? { frames == nil ? rate.rateHz : frames?.rateHz }

  mutating func resetRate() {
    rate.reset()
    if case .held = description?.capture { frames = FrameRate() } else { frames = nil }
  }

  /// A single reading of a sleeping sensor: no filter can follow it, but it tells which side is up, and is a window by
  /// itself. Where a data budget makes windows so many times longer, one of so many readings is told, and one an hour.
  mutating func takeAsleep(_ sample: Sample, at now: Instant, _ outputs: inout [MotionOutput]) {
    lastSample = sample.at
    lastHeard = now
    guard isArmed else { return }
    if let change = orientation.feed(gravity: sample.g, at: sample.at) { outputs.append(.orientation(change)) }
    readings += 1
    guard Double(readings) >= windows.stretch || sample.at - lastReadingTold >= WindowBuilder.longestS else { return }
    readings = 0
    lastReadingTold = sample.at
    windows.interrupt()
    outputs += windows.feed(sample).map { .acceleration($0) }
    closeWindow(.rest, &outputs)
  }

  /// Counts what went wrong, and warns at each doubling of a count.
  mutating func count(_ more: AccelerometerFaults) -> [MotionOutput] {
    let before = faults
    faults += more
    return AccelerometerFaults.Kind.allCases.compactMap { kind in
      let isDoubled = faults[kind].doublings > before[kind].doublings
      return isDoubled ? .warning(.faulty(kind, count: faults[kind])) : nil
    }
  }
}

extension AccelerometerDescription.Capture {
  /// Why the kernel's buffer is not used; nil when it is, or there is none to be used.
  var reason: String? {
    switch self {
    case .polled(let why), .held(let why): why
    case .buffered, .generated: nil
    }
  }
}

extension Int {
  /// How many powers of two are at most this count.
  fileprivate var doublings: Int { self > 0 ? Int.bitWidth - leadingZeroBitCount : 0 }
}
