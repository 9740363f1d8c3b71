internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry

/// Reads a sensor's `_raw` attributes one after another on an exact schedule, for want of a buffer.
///
/// Its axes are not of one moment, and a chip may be powered up for each: it is what is left when `BufferedCapture`
/// cannot be had, and its description says why.
final class PolledCapture: Capture {
  private(set) var description: AccelerometerDescription
  private var sensor: IIOSensor
  private var attributes: RawAttributes
  private var schedule: PollSchedule
  private let clock: MonotonicClock
  private var faults = 0
  private let why: String

  /// - Parameters:
  ///   - intervalS: the time between two readings; > 0.
  ///   - why: why there is no buffer.
  /// - Throws: when the attributes cannot be opened.
  init(sensor: IIOSensor, intervalS: Double, why: String, clock: MonotonicClock) throws(SensorFault) {
    self.sensor = sensor
    self.clock = clock
    self.why = why
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
      let raw = try attributes.read()
      let ended = clock.now()
      let tookS = ended - began
      schedule.advance(past: ended, tookS: tookS)
      if let fault = PollFault(raw, tookS: tookS) { throw fault }
      faults = 0
      // The middle of the three reads is the best single time for them.
      return CaptureResult(reports: [.samples([sensor.scale.sample(raw, at: began + tookS / 2)])])
    } catch {
      schedule.advance(past: clock.now(), tookS: 0)
      return fault(error)
    }
  }

  func refresh() { sensor.refresh() }

  func close() { attributes.close() }

  /// Whether the schedule had to be stretched since the last call; the description then has the rate that can be kept.
  func takeSlowing() -> Bool {
    guard schedule.wasStretched else { return false }
    schedule.wasStretched = false
    description.rateHz = 1 / schedule.intervalS
    let each = decimal((schedule.readS * 1000).rounded())
    description.capture = .polled(why: "\(why); a reading takes \(each) ms, so the rate is lower")
    return true
  }

  private func fault(_ error: any Error) -> CaptureResult {
    let name = "\(sensor.device.name) (\(sensor.device.identifier))"
    faults += 1
    var result = CaptureResult(reports: [.gap])
    if case .system(let failure)? = error as? PollFault {
      // The kernel gives no single values while somebody's buffer runs.
      let holder = failure.code == EBUSY ? " (another process captures from it)" : ""
      if failure.isRemoval {
        result.state = .gone("\(name): \(failure)")
      } else if faults > 3 || !failure.isPassing {
        result.state = .stalled("\(name): \(SensorFault(failure))\(holder)\(repetition)")
      }
    } else if faults > 3 {
      result.state = .stalled("\(name): \(error)\(repetition)")
    }
    return result
  }

  private var repetition: String { faults > 1 ? ", \(faults) times in a row" : "" }
}

/// A reading that is no data.
enum PollFault: Error, CustomStringConvertible {
  case system(SystemFailure)
  case unusable(String)

  /// Nil when a reading is as readings should be.
  init?(_ raw: RawScan, tookS: Double) {
    if tookS > 1 {
      // The kernel gives up on a silent hub after 5 s, and then answers 0 and success.
      self = .unusable("a reading took \(decimal((tookS * 10).rounded() / 10)) s")
    } else if raw.x == 0 && raw.y == 0 && raw.z == 0 {
      self = .unusable("it reads exactly 0, 0, 0")
    } else {
      return nil
    }
  }

  var description: String {
    switch self {
    case .system(let failure): "\(failure)"
    case .unusable(let what): what
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

  func read() throws(PollFault) -> RawScan {
    RawScan(x: try value(0), y: try value(1), z: try value(2))
  }

  mutating func close() {
    for descriptor in descriptors { Glibc.close(descriptor) }
    descriptors = []
  }

  private func value(_ axis: Int) throws(PollFault) -> Int64 {
    // A 64-bit number has 20 characters at most.
    var text: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let (count, value) = withUnsafeMutableBytes(of: &text) { bytes in
      let count = pread(descriptors[axis], bytes.baseAddress, bytes.count, 0)
      return (count, count > 0 ? integer(UnsafeRawBufferPointer(rebasing: bytes[..<count])) : nil)
    }
    guard count >= 0 else { throw .system(SystemFailure(operation: "read", path: paths[axis], code: errno)) }
    guard let value else { throw .unusable("\(paths[axis]) is no number") }
    return value
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
