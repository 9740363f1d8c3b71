internal import Glibc
internal import NodeLogic
internal import Telemetry

/// A way of getting readings out of a started sensor.
protocol Capture: AnyObject {
  /// How it is done, for people and messages.
  var description: AccelerometerDescription { get }
  var descriptor: Int32? { get }
  var nextDeadline: Instant? { get }
  /// Takes what there is.
  func collect(at now: Instant) -> CaptureResult
  /// Judges scans; handed on from one capture of a sensor to the next, for it learns the sensor's noise.
  var check: ScanCheck { get set }
  /// Looks at attributes again that others may change while it runs; `description` then tells of another range.
  func refresh()
  /// Puts the device back and closes it. Calling it twice does no harm.
  func close()
}

/// A capture of an IIO sensor.
protocol IIOCapture: Capture {
  var description: AccelerometerDescription { get set }
  var sensor: IIOSensor { get set }
}

extension IIOCapture {
  /// A range that was changed bounds what a right reading is, and what is told of the sensor, besides its scale.
  func refresh() {
    sensor.refresh()
    guard sensor.scale.fullScaleG != description.fullScaleG else { return }
    check.setRange(of: sensor.scale)
    description.fullScaleG = sensor.scale.fullScaleG
  }
}

/// What came of a look at the sensor.
struct CaptureResult: Equatable, Sendable {
  enum State: Equatable, Sendable {
    case running
    /// It is there, and what it says is of no use: why.
    case stalled(String)
    /// It is not there any more: why.
    case gone(String)
  }

  var reports: [AccelerometerReport] = []
  var state = State.running
  /// What went wrong on the way.
  var faults = AccelerometerFaults()
  /// What is worth a line in the log.
  var remarks: [ScanCheck.Remark] = []

  /// Puts what was collected so far before a gap; several in a row are one.
  mutating func interrupt(_ samples: inout [Sample]) {
    if !samples.isEmpty {
      reports.append(.samples(samples))
      samples.removeAll(keepingCapacity: true)
    }
    if reports.last != .gap { reports.append(.gap) }
  }

  /// Lets `check` judge a scan, and counts what it finds; whether the sample is to be used.
  mutating func admit(_ scan: RawScan, _ sample: Sample, _ check: inout ScanCheck) -> ScanCheck.Verdict {
    let known = remarks.count
    let verdict = check.feed(scan, g: sample.g, at: sample.at, remarks: &remarks)
    for remark in remarks[known...] { if case .froze = remark { faults.frozen += 1 } }
    switch verdict {
    case .good: break
    case .zeros: faults.zeros += 1
    case .outOfRange: faults.outOfRange += 1
    }
    return verdict
  }

  /// Sorts out a read that gave nothing.
  ///
  /// - Parameters:
  ///   - code: nil is the end of the file.
  ///   - name: of the device, as logs have it.
  ///   - faults: counts those in a row.
  mutating func takeFailure(_ code: Int32?, of name: String, counting faults: inout Int) {
    guard let code else {
      state = .gone("\(name): the device node ended")
      return
    }
    if code == EAGAIN || code == EINTR { return }
    let failure = SystemFailure(operation: "read", path: name, code: code)
    guard failure.isPassing else {
      state = .gone(failure.description)
      return
    }
    // The kernel keeps what comes meanwhile; if it must drop some, the times will show it.
    faults += 1
    self.faults.retried += 1
    if faults > 3 { state = .stalled("\(failure), \(faults) times in a row") }
  }
}

/// A sensor as it was found, with all that turns its raw values into samples.
struct IIOSensor: Sendable {
  let device: IIODevice
  let attributes: IIOAttributes
  private(set) var scale: AccelerationScale
  private let axes: (x: ScanElement, y: ScanElement, z: ScanElement)?

  /// - Parameters:
  ///   - mountMatrix: in place of the driver's.
  ///   - correction: of a calibration.
  init(device: IIODevice, mountMatrix: MountMatrix?, correction: AxisCorrection = .none) throws(SensorFault) {
    self.device = device
    attributes = IIOAttributes(folder: device.folder)
    axes = attributes.scanElements()
    let mount: MountMatrix
    if let mountMatrix { mount = mountMatrix } else { mount = try attributes.mountMatrix() }
    scale = try attributes.scale(mount: mount, axes: axes, correction: correction)
  }

  /// Reads scale and offset again: writing to them succeeds while a buffer runs. What cannot be read stays as it was.
  mutating func refresh() {
    if let fresh = try? attributes.scale(mount: scale.mount, axes: axes, correction: scale.correction) {
      scale = fresh
    }
  }

  /// How it is described to the logic.
  func description(rateHz: Double, capture: AccelerometerDescription.Capture) -> AccelerometerDescription {
    AccelerometerDescription(
      name: device.name, source: .iio, rateHz: rateHz, capture: capture, fullScaleG: scale.fullScaleG)
  }
}
