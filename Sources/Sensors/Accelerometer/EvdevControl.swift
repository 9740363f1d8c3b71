internal import CLinux
internal import Glibc
public import NodeLogic
internal import Telemetry

/// What an open input device is asked for besides its events: ioctl(2) on its device node. Tests put another in its
/// place, for no plain file answers.
public protocol EvdevControl: Sendable {
  /// What the device says of an axis, 0 to 2 for ABS_X to ABS_Z.
  func axis(_ axis: Int32, of descriptor: Int32) throws(SystemFailure) -> InputAxis
  /// Makes the device stamp its events by CLOCK_MONOTONIC.
  func useMonotonicClock(_ descriptor: Int32) throws(SystemFailure)
}

/// The kernel's evdev (drivers/input/evdev.c).
struct KernelEvdev: EvdevControl {
  func axis(_ axis: Int32, of descriptor: Int32) throws(SystemFailure) -> InputAxis {
    var answer = judder_axis_state()
    guard judder_input_axis(descriptor, axis, &answer) == 0 else {
      throw SystemFailure(operation: "EVIOCGABS of", path: "axis \(axis)", code: errno)
    }
    return InputAxis(
      value: answer.value, minimum: answer.minimum, maximum: answer.maximum, fuzz: answer.fuzz,
      resolution: answer.resolution)
  }

  func useMonotonicClock(_ descriptor: Int32) throws(SystemFailure) {
    guard judder_input_monotonic(descriptor) == 0 else {
      throw SystemFailure(operation: "EVIOCSCLOCKID of", path: "the device", code: errno)
    }
  }
}

/// An input device that was opened, with all that turns its numbers into samples.
struct EvdevSensor {
  let device: EvdevDevice
  let descriptor: Int32
  let control: any EvdevControl
  let scale: AccelerationScale
  /// Counts in one g of each axis.
  let unitsPerG: [Double]
  /// The kernel holds small changes back.
  let isFuzzy: Bool
  /// The device's state when it was opened.
  let state: RawScan
  /// Events are stamped by CLOCK_MONOTONIC; else by a clock that may jump, and their arrival has to do.
  let isMonotonic: Bool

  /// Opens the device node. It is not grabbed: others may read it too.
  ///
  /// - Parameters:
  ///   - node: the character device.
  ///   - settings: units and mount matrix in place of what the device says, and the correction of a calibration.
  init(
    device: EvdevDevice, node: String, settings: AccelerometerSettings, control: any EvdevControl
  ) throws(SensorFault) {
    self.device = device
    self.control = control
    descriptor = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SensorFault(SystemFailure(operation: "open", path: node, code: errno))
    }
    // First, for it makes the kernel forget the events that wait.
    isMonotonic = (try? control.useMonotonicClock(descriptor)) != nil
    do throws(SensorFault) {
      let axes = try EvdevSensor.axes(of: descriptor, device, control)
      unitsPerG = try EvdevSensor.units(axes, settings.evdevUnitsPerG, device)
      scale = EvdevSensor.scale(axes, unitsPerG, settings)
      isFuzzy = axes.contains { $0.fuzz != 0 }
      state = RawScan(x: Int64(axes[0].value), y: Int64(axes[1].value), z: Int64(axes[2].value))
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// The present state, as the kernel keeps it.
  func ask() throws(SensorFault) -> RawScan {
    let axes = try EvdevSensor.axes(of: descriptor, device, control)
    return RawScan(x: Int64(axes[0].value), y: Int64(axes[1].value), z: Int64(axes[2].value))
  }

  private static func axes(
    of descriptor: Int32, _ device: EvdevDevice, _ control: any EvdevControl
  ) throws(SensorFault) -> [InputAxis] {
    var axes: [InputAxis] = []
    for axis in Int32(0)..<3 {
      do throws(SystemFailure) {
        axes.append(try control.axis(axis, of: descriptor))
      } catch {
        throw SensorFault("\(device.name) (\(device.identifier)): \(error)")
      }
    }
    return axes
  }

  private static func units(
    _ axes: [InputAxis], _ configured: Double?, _ device: EvdevDevice
  ) throws(SensorFault) -> [Double] {
    if let configured { return axes.map { _ in configured } }
    guard axes.allSatisfy({ $0.resolution > 0 }) else {
      throw SensorFault(
        "\(device.name) (\(device.identifier)) does not say how many counts are 1 g (its resolution is 0); set"
          + " accelerometer.evdev_units_per_g (an ADXL345 has 256)")
    }
    return axes.map { Double($0.resolution) }
  }

  private static func scale(_ axes: [InputAxis], _ unitsPerG: [Double], _ settings: AccelerometerSettings)
    -> AccelerationScale
  {
    let ends = zip(axes, unitsPerG).compactMap { $0.fullScaleG(unitsPerG: $1) }
    let scales = unitsPerG.map { AccelerationScale.AxisScale(scale: standardGravity / $0) }
    return AccelerationScale(
      x: scales[0], y: scales[1], z: scales[2], mount: settings.mountMatrix ?? .identity,
      fullScaleG: ends.count == 3 ? ends.min() : nil, correction: settings.correction)
  }
}
