internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry

/// Reads a sensor's `_raw` attributes one after another on an exact schedule, for want of a buffer.
///
/// Its axes are not of one moment, and a chip may be powered up for each: it is what is left when `BufferedCapture`
/// cannot be had, and its description says why.
final class PolledCapture: IIOCapture {
  var description: AccelerometerDescription
  var sensor: IIOSensor
  var check: ScanCheck
  private var attributes: RawAttributes
  private var schedule: PollSchedule
  private let clock: MonotonicClock
  private var faults = 0
  private let why: String
  private let intervalS: Double

  /// - Parameters:
  ///   - intervalS: the time between two readings; > 0.
  ///   - why: why there is no buffer.
  /// - Throws: when the attributes cannot be opened.
  init(sensor: IIOSensor, intervalS: Double, why: String, clock: MonotonicClock) throws(SensorFault) {
    self.sensor = sensor
    self.clock = clock
    self.why = why
    self.intervalS = intervalS
    check = ScanCheck(sensor.scale)
    do {
      attributes = try RawAttributes(folder: sensor.device.folder)
    } catch {
      throw SensorFault(error)
    }
    schedule = PollSchedule(intervalS: intervalS, from: clock.now())
    description = sensor.description(rateHz: 1 / intervalS, capture: .polled(why: why))
  }

  deinit { close() }

  var descriptor: Int32? { nil }
  var nextDeadline: Instant? { attributes.isOpen ? schedule.next : nil }

  func collect(at now: Instant) -> CaptureResult {
    guard attributes.isOpen, now >= schedule.next else { return CaptureResult() }
    let began = clock.now()
    do {
      let raw = try attributes.readAll(began, clock)
      let ended = clock.now()
      let tookS = ended - began
      schedule.advance(past: ended, tookS: tookS)
      // The middle of the three reads is the best single time for them.
      return judge(raw, sensor.scale.sample(raw, at: began + tookS / 2))
    } catch {
      return fault(error)
    }
  }

  func close() { attributes.close() }

  private func judge(_ raw: RawScan, _ sample: Sample) -> CaptureResult {
    var result = CaptureResult()
    switch result.admit(raw, sample, &check) {
    case .good:
      faults = 0
      result.reports = [.samples([sample])]
    case .zeros: fault(.zeros, &result)
    case .outOfRange: fault(.outOfRange, &result)
    }
    return result
  }

  /// Reading takes as long as the interval, so that the interval was stretched.
  var isSlow: Bool { schedule.wasStretched }
  /// It was tried once what a higher rate of the sensor does for that.
  private(set) var hasSpeededUp = false

  /// Goes back to the wanted interval, for the sensor's own rate was raised.
  func speedUp(at now: Instant) {
    hasSpeededUp = true
    schedule = PollSchedule(intervalS: intervalS, from: now)
  }

  /// Settles for the rate that can be kept, and describes it.
  func acceptSlowness() {
    schedule.wasStretched = false
    let each = decimal((schedule.readS * 1000).rounded())
    description = sensor.description(
      rateHz: 1 / schedule.intervalS,
      capture: .polled(why: "\(why); a reading takes \(each) ms, so the rate is lower"))
  }

  /// Three more tries, soon, for what they may cure; then, and for anything else at once, the sensor is given up for
  /// now.
  private func fault(_ fault: PollFault) -> CaptureResult {
    var result = CaptureResult()
    if fault.isRetried {
      result.faults.retried += 1
      schedule.retry(past: clock.now())
    } else {
      schedule.advance(past: clock.now(), tookS: 0)
    }
    self.fault(fault, &result)
    return result
  }

  private func fault(_ fault: PollFault, _ result: inout CaptureResult) {
    faults += 1
    let name = "\(sensor.device.name) (\(sensor.device.identifier))"
    if fault.isRemoval {
      result.state = .gone("\(name): \(fault)")
    } else if faults > 3 || !fault.isPassing {
      result.state = .stalled("\(name): \(fault)\(faults > 1 ? ", \(faults) times in a row" : "")")
    }
    // A try that comes soon may still be in time, and if it is not, the times of the samples show it.
    if result.state != .running || !fault.isRetried { result.reports.append(.gap) }
  }
}

/// A reading that is no data.
enum PollFault: Error, Equatable, CustomStringConvertible {
  case system(SystemFailure)
  /// The text of an attribute is no number.
  case noNumber(path: String)
  /// A sensor always measures something; all zeros is what silent hubs answer.
  case zeros
  /// Beyond what the sensor can measure.
  case outOfRange
  /// The kernel gives up on a silent hub after 5 s, and then answers 0 and success.
  case slow(seconds: Double)

  /// - Parameter tookS: how long the reading has taken so far.
  static func check(tookS: Double) throws(PollFault) {
    if tookS > 1 { throw .slow(seconds: tookS) }
  }

  var isRemoval: Bool { if case .system(let failure) = self { failure.isRemoval } else { false } }

  /// Another try may cure it, and costs little: one after a slow reading may take seconds again.
  var isPassing: Bool {
    switch self {
    case .system(let failure): failure.isPassing
    case .noNumber, .zeros, .outOfRange: true
    case .slow: false
    }
  }

  /// The bus or another process was in the way for a moment, so that another try is made soon.
  var isRetried: Bool { if case .system(let failure) = self { failure.isPassing } else { false } }

  var description: String {
    switch self {
    case .system(let failure) where failure.code == EBUSY: "\(failure) (another process captures from it)"
    case .system(let failure): SensorFault(failure).description
    case .noNumber(let path): "\(path) is no number"
    case .zeros: "it reads exactly 0, 0, 0"
    case .outOfRange: "it reads values beyond its range"
    case .slow(let seconds): "a reading took \(decimal(seconds.rounded())) s"
    }
  }
}

/// The three `_raw` attributes, kept open: pread(2) at 0 makes the kernel measure anew.
struct RawAttributes {
  private var descriptors: [Int32] = []
  private let paths: [String]

  init(folder: AttributeFolder) throws(SystemFailure) {
    paths = ["x", "y", "z"].map { folder.path(of: "in_accel_\($0)_raw") }
    for path in paths {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        let failure = SystemFailure(operation: "open", path: path, code: errno)
        close()
        throw failure
      }
      descriptors.append(descriptor)
    }
  }

  var isOpen: Bool { !descriptors.isEmpty }

  mutating func close() {
    for descriptor in descriptors { Glibc.close(descriptor) }
    descriptors = []
  }

  /// - Parameter axis: 0, 1 or 2 for x, y or z; the attributes must be open.
  func read(_ axis: Int) throws(PollFault) -> Int64 {
    // A 64-bit number has 20 characters at most.
    var text: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let (count, value) = withUnsafeMutableBytes(of: &text) { bytes in
      let count = pread(descriptors[axis], bytes.baseAddress, bytes.count, 0)
      return (count, count > 0 ? integer(UnsafeRawBufferPointer(rebasing: bytes[..<count])) : nil)
    }
    guard count >= 0 else { throw .system(SystemFailure(operation: "read", path: paths[axis], code: errno)) }
    guard let value else { throw .noNumber(path: paths[axis]) }
    return value
  }
}

extension RawAttributes {
  /// One axis after another. A silent hub holds each for 5 s, so the others are not asked after one that was slow.
  func readAll(_ began: Instant, _ clock: MonotonicClock) throws(PollFault) -> RawScan {
    var raw = RawScan(x: 0, y: 0, z: 0)
    raw.x = try read(0)
    try PollFault.check(tookS: clock.now() - began)
    raw.y = try read(1)
    try PollFault.check(tookS: clock.now() - began)
    raw.z = try read(2)
    try PollFault.check(tookS: clock.now() - began)
    return raw
  }
}

/// A decimal integer, with white space after it; nil for anything else.
private func integer(_ text: UnsafeRawBufferPointer) -> Int64? {
  var (value, digits, isNegative): (Int64, Int, Bool) = (0, 0, false)
  for (index, byte) in text.enumerated() {
    switch byte {
    case UInt8(ascii: "-") where index == 0: isNegative = true
    case UInt8(ascii: "0")...UInt8(ascii: "9") where digits < 18:
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
      digits += 1
    case UInt8(ascii: "\n"), UInt8(ascii: " "), 0: return digits > 0 ? (isNegative ? -value : value) : nil
    default: return nil
    }
  }
  return digits > 0 ? (isNegative ? -value : value) : nil
}
