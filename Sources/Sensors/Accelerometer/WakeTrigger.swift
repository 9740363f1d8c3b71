internal import CLinux
internal import Glibc
internal import NodeLogic
internal import Telemetry

/// Opens what reads the events of an IIO device. Tests put another in its place, for no plain file answers to ioctl(2).
public protocol EventControl: Sendable {
  /// A descriptor that reads the events of the device behind this character device.
  func openEvents(of node: String) throws(SystemFailure) -> Int32
}

/// The kernel's way: IIO_GET_EVENT_FD_IOCTL. The character device is closed after it, for the buffer needs it.
struct KernelEvents: EventControl {
  func openEvents(of node: String) throws(SystemFailure) -> Int32 {
    let device = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard device >= 0 else { throw SystemFailure(operation: "open", path: node, code: errno) }
    defer { close(device) }
    let events = judder_iio_events(device)
    guard events >= 0 else {
      throw SystemFailure(operation: "IIO_GET_EVENT_FD_IOCTL of", path: node, code: errno)
    }
    return events
  }
}

/// A chip's motion event: chosen among what its driver offers, and turned on and off.
struct WakeTrigger: Sendable {
  let event: WakeEvent
  private let sensor: IIOSensor
  private let events: AttributeFolder
  private let node: String
  private let control: any EventControl

  /// - Throws: why the driver offers no such event.
  init(_ sensor: IIOSensor, node: String, control: any EventControl) throws(SensorFault) {
    let events = sensor.device.folder.folder("events")
    guard let event = WakeEvent(among: events.names()) else {
      let offered = events.names().filter { $0.hasSuffix("_en") }.joined(separator: ", ")
      throw SensorFault(
        "the driver offers no motion event\(offered.isEmpty ? "" : " (only \(offered))"); commonly for want of an"
          + " interrupt line")
    }
    self.event = event
    self.sensor = sensor
    self.events = events
    self.node = node
    self.control = control
  }

  /// Sets what counts as motion; a driver that refuses the number keeps its own.
  ///
  /// - Parameter thresholdG: [g], > 0.
  /// - Returns: why the threshold is another than asked for; nil where it is not.
  func setThreshold(_ thresholdG: Double) -> String? {
    guard !event.values.isEmpty else { return "\(event.name) has no threshold to be set" }
    let scale = (try? events.readIfPresent("in_accel_scale")).flatMap { $0 }.flatMap { Double($0) }
    let unitG = WakeEvent.unitG(
      of: sensor.device.name, scale: scale, rawG: sensor.scale.x.scale.magnitude / standardGravity,
      fullScaleG: sensor.scale.fullScaleG)
    let counts = max(1, (thresholdG / unitG).rounded())
    for value in event.values {
      do {
        try events.write(decimal(counts), to: value)
      } catch {
        let kept = (try? events.read(value)).map { "its own \($0) stays" } ?? "its own stays"
        return "\(SensorFault(error)); \(kept)"
      }
    }
    return nil
  }

  /// Turns the event on, and answers the descriptor that tells of it.
  func arm() throws(SensorFault) -> Int32 {
    do {
      // The clock of the events' times; a driver without the choice keeps its own.
      try? sensor.device.folder.write("monotonic", to: "current_timestamp_clock")
      let descriptor = try control.openEvents(of: node)
      do {
        for enable in event.enables { try events.write("1", to: enable) }
        guard event.enables.contains(where: { (try? events.read($0)) != "0" }) else {
          throw SensorFault("\(events.path(of: event.enables[0])) stays 0")
        }
        return descriptor
      } catch {
        disarm(descriptor)
        throw error
      }
    } catch {
      throw (error as? SystemFailure).map { SensorFault($0) } ?? (error as? SensorFault) ?? SensorFault("\(error)")
    }
  }

  /// Turns the event off and closes its descriptor.
  func disarm(_ descriptor: Int32) {
    for enable in event.enables { try? events.write("0", to: enable) }
    close(descriptor)
  }
}
