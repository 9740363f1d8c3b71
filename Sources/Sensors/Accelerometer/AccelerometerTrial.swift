internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry

/// What a source gave during a trial.
struct AccelerometerTrial {
  var description: AccelerometerDescription?
  var failure: String?
  var samples: [Sample] = []

  /// Takes samples until there are enough for a mean, or time is up.
  static func run(_ source: any AccelerometerSource, clock: MonotonicClock, seconds: Double) -> AccelerometerTrial {
    var trial = AccelerometerTrial()
    let end = clock.now() + seconds
    while trial.samples.count < 20, clock.now() < end {
      for report in source.handle(at: clock.now()) {
        switch report {
        case .started(let description): trial.description = description
        case .samples(let samples): trial.samples += samples
        case .failed(let reason): trial.failure = reason
        case .gap, .idle, .woken, .faults: break
        }
      }
      if trial.failure != nil && trial.samples.isEmpty { break }
      let deadline = min(end, source.nextDeadline ?? end)
      var polled = [pollfd]()
      if let descriptor = source.descriptor { polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
      poll(&polled, nfds_t(polled.count), Int32(max(0, min(1000, ((deadline - clock.now()) * 1000).rounded(.up)))))
    }
    return trial
  }

  func findings(seconds: Double) -> [AccelerometerFinding] {
    guard let description, !samples.isEmpty else {
      let why = failure ?? "no sample within \(decimal(seconds)) s"
      return [AccelerometerFinding(.problem, why)]
    }
    let isHardware = description.source == .iio || description.source == .evdev
    return [capture(description)] + sleep(description) + (isHardware ? [magnitude()] : [])
  }

  private func sleep(_ description: AccelerometerDescription) -> [AccelerometerFinding] {
    switch description.wake {
    case .off: []
    case .on(let event): [AccelerometerFinding(.good, "sleeps when quiet, until \(event)")]
    case .refused(let why): [AccelerometerFinding(.warning, "cannot sleep: \(why)")]
    }
  }

  private func capture(_ description: AccelerometerDescription) -> AccelerometerFinding {
    let rate = "\(decimal((description.rateHz * 100).rounded() / 100)) Hz"
    switch description.capture {
    case .buffered: return AccelerometerFinding(.good, "buffered at \(rate)")
    case .generated: return AccelerometerFinding(.good, "\(description.name) at \(rate)")
    case .held(let why): return AccelerometerFinding(.good, "held at \(rate): \(why)")
    case .polled(let why): return AccelerometerFinding(.warning, "polled at \(rate): \(why)")
    }
  }

  /// At rest a right sensor measures one g and nothing else; 8.5 to 11 m/s^2 leaves room for its errors.
  private func magnitude() -> AccelerometerFinding {
    let sum = samples.reduce(Vector.zero) { $0 + $1.g }
    let mean = sum * (1 / Double(samples.count))
    let metres = mean.length * standardGravity
    let values = [mean.x, mean.y, mean.z].map { decimal(($0 * 1000).rounded() / 1000) }.joined(separator: ", ")
    let text = "reads \(values) g: \(decimal((metres * 100).rounded() / 100)) m/s^2"
    guard RestMagnitude.plausible.contains(metres) else {
      return AccelerometerFinding(
        .warning, "\(text), which is not gravity",
        remedy: "keep it still and check again; else the driver's scale or the mount matrix is wrong")
    }
    return AccelerometerFinding(.good, text)
  }
}
