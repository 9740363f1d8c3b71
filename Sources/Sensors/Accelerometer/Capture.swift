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
  /// Looks at attributes again that others may change while it runs.
  func refresh()
  /// Puts the device back and closes it. Calling it twice does no harm.
  func close()
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
}

/// A sensor as it was found, with all that turns its raw values into samples.
struct IIOSensor: Sendable {
  let device: IIODevice
  let attributes: IIOAttributes
  var conversion: SampleConversion

  /// - Parameter mountMatrix: in place of the driver's.
  init(device: IIODevice, mountMatrix: MountMatrix?) throws(SensorFault) {
    self.device = device
    attributes = IIOAttributes(folder: device.folder)
    let (scale, offset) = try attributes.conversion()
    let matrix: MountMatrix
    if let mountMatrix { matrix = mountMatrix } else { matrix = try attributes.mountMatrix() }
    conversion = SampleConversion(scale: scale, offset: offset, matrix: matrix)
  }

  /// Reads scale and offset again: writing to them succeeds while a buffer runs.
  mutating func refresh() {
    guard let (scale, offset) = try? attributes.conversion() else { return }
    conversion.scale = scale
    conversion.offset = offset
  }
}
