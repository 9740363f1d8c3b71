import Daemon
import Foundation
import NodeLogic
import Rig
import Sensors
import Telemetry

/// Drives a source as the node's loop does, and keeps what it reports.
final class SourceDriver {
  let source: any AccelerometerSource
  let clock: MonotonicClock
  private(set) var reports: [AccelerometerReport] = []
  /// How often it had to be woken.
  private(set) var wakeUps = 0

  init(_ source: any AccelerometerSource, clock: MonotonicClock) {
    self.source = source
    self.clock = clock
  }

  /// Runs until `condition` holds; false when it does not within `seconds`.
  @discardableResult
  func run(seconds: Double, until condition: (SourceDriver) -> Bool = { _ in false }) -> Bool {
    let end = clock.now() + seconds
    while true {
      wakeUps += 1
      reports += source.handle(at: clock.now())
      if condition(self) { return true }
      let now = clock.now()
      guard now < end else { return false }
      // Bounded, so that a condition outside the source is looked at too.
      let deadline = min(end, source.nextDeadline ?? end)
      var polled: [pollfd] = []
      if let descriptor = source.descriptor { polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)) }
      poll(&polled, nfds_t(polled.count), Int32(max(0, min(500, ((deadline - now) * 1000).rounded(.up)))))
    }
  }

  var samples: [Sample] {
    reports.flatMap { report -> [Sample] in if case .samples(let samples) = report { samples } else { [] } }
  }

  var starts: [AccelerometerDescription] {
    reports.compactMap { report in if case .started(let description) = report { description } else { nil } }
  }

  var failures: [String] {
    reports.compactMap { report in if case .failed(let reason) = report { reason } else { nil } }
  }

  /// All faults told of, added up.
  var faults: AccelerometerFaults {
    reports.reduce(into: AccelerometerFaults()) { sum, report in if case .faults(let more) = report { sum += more } }
  }

  var gaps: Int { reports.count { $0 == .gap } }

  func forget() { reports = [] }
}

/// Lines for the log, from whatever thread.
///
/// `@unchecked Sendable`: the lines are only reachable under the lock.
final class NoteBook: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [String] = []

  var lines: [String] { lock.withLock { kept } }
  var note: AccelerometerNote { { _, _, line in self.lock.withLock { self.kept.append(line) } } }
}

/// A motion that tells its own time: slow enough for any rate, never zero.
func testMotion(_ seconds: Double) -> SIMD3<Double> {
  let angle = 2 * Double.pi * seconds
  return SIMD3(0.3 * sin(angle), 0.2 * cos(angle), 1 + 0.1 * sin(2 * angle))
}

/// Answers for a device in an `InputTree` as its device node would.
struct RigControl: EvdevControl {
  let device: InputTreeDevice
  /// The device's clock can be chosen.
  var hasClock = true

  func axis(_ axis: Int32, of descriptor: Int32) throws(SystemFailure) -> InputAxis {
    guard let state = device.state else {
      throw SystemFailure(operation: "EVIOCGABS of", path: "axis \(axis)", code: ENODEV)
    }
    let chip = device.chip
    return InputAxis(
      value: state[Int(axis)], minimum: Int32(chip.minimum), maximum: Int32(chip.maximum), fuzz: Int32(chip.fuzz),
      resolution: Int32(chip.resolution))
  }

  func useMonotonicClock(_ descriptor: Int32) throws(SystemFailure) {
    if !hasClock { throw SystemFailure(operation: "EVIOCSCLOCKID of", path: "the device", code: EINVAL) }
  }
}

extension AccelerometerSettings {
  init(input tree: InputTree, device: String? = nil, rateHz: Double = 100, unitsPerG: Double? = nil) {
    self.init()
    source = .evdev
    self.device = device
    self.rateHz = rateHz
    evdevUnitsPerG = unitsPerG
    inputRoot = tree.inputRoot
    devRoot = tree.devRoot
  }

  init(tree: IIOTree, device: String? = nil, rateHz: Double = 100) {
    self.init()
    self.device = device
    self.rateHz = rateHz
    sysfsRoot = tree.sysfsRoot
    devRoot = tree.devRoot
  }
}
