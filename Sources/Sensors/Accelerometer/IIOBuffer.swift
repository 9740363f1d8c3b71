internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry

/// Sets up the kernel's buffer of a device: trigger, clock, elements, length, watermark; then enables it
/// (Documentation/ABI/testing/sysfs-bus-iio). Its files go back to "off" in `RunningBuffer.close`.
struct IIOBuffer: Sendable {
  let device: IIODevice
  /// Where devices and triggers are listed.
  let root: AttributeFolder
  /// The character device.
  let node: String
  let clock: MonotonicClock

  /// A buffer is read this often [1/s]: what bounds latency and wake-ups alike.
  static let wakeUpsPerSecond = 5.0

  /// - Parameter setRate: sets the sensor's rate and answers it [Hz]. It is called once the device is known to be free:
  ///   another process that captures from it must not find its rate changed.
  /// - Throws: why there is no buffer to be had.
  func start(setRate: () -> Double) throws(SensorFault) -> RunningBuffer {
    let folder = device.folder
    guard ["x", "y", "z"].allSatisfy({ folder.has("scan_elements/in_accel_\($0)_en") }) else {
      throw SensorFault("no scan_elements: the driver offers no buffer (commonly for want of an interrupt line)")
    }
    let trigger = IIOTrigger(device: device, root: root).choose()
    if case .missing(let why) = trigger { throw SensorFault(why) }
    // Opening first tells whether another process has it, before anything of its set-up is touched.
    let descriptor = open(node, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw refusal(SystemFailure(operation: "open", path: node, code: errno)) }
    do {
      let rate = try attach(trigger, rateHz: setRate())
      let layout = try chooseElements()
      let watermark = try size(rateHz: rate)
      let enabledAt = clock.now()
      try folder.write("1", to: "buffer/enable")
      return RunningBuffer(
        folder: folder, descriptor: descriptor, layout: layout, rateHz: rate, watermark: watermark,
        enabledAt: enabledAt)
    } catch {
      close(descriptor)
      try? folder.write("0", to: "buffer/enable")
      throw (error as? SystemFailure).map(refusal) ?? (error as? SensorFault) ?? SensorFault("\(error)")
    }
  }

  /// Writes the trigger and the clock of the time stamps; answers the rate at which scans will come.
  private func attach(_ trigger: IIOTrigger.Choice, rateHz: Double) throws -> Double {
    try device.folder.write("0", to: "buffer/enable")
    // Drivers without the choice stamp by their own clock, which the timeline finds out.
    try? device.folder.write("monotonic", to: "current_timestamp_clock")
    guard case .named(let name, let timer) = trigger else { return rateHz }
    try device.folder.write(name, to: "trigger/current_trigger")
    guard let timer else { return rateHz }
    try? timer.write(decimal(rateHz), to: "sampling_frequency")
    guard let text = try? timer.read("sampling_frequency"), let rate = Double(text) else { return rateHz }
    return IIORate.plausible.contains(rate) ? min(rate, rateHz) : rateHz
  }

  /// Enables the three axes and the time stamp and nothing else.
  private func chooseElements() throws -> ScanLayout {
    let elements = device.folder.folder("scan_elements")
    let roles: [String: ScanLayout.Role] = [
      "in_accel_x": .x, "in_accel_y": .y, "in_accel_z": .z, "in_timestamp": .timestamp,
    ]
    var channels: [ScanLayout.Channel] = []
    for file in elements.names() where file.hasSuffix("_en") {
      let name = String(file.dropLast(3))
      try elements.write(roles[name] == nil ? "0" : "1", to: file)
      guard let role = roles[name] else { continue }
      let (type, index) = (try elements.read("\(name)_type"), try elements.read("\(name)_index"))
      guard let index = Int(index) else {
        throw SensorFault("\(elements.path(of: "\(name)_index")): '\(index)' is no index")
      }
      channels.append(ScanLayout.Channel(role, index: index, try ScanElement(parsing: type)))
    }
    return try ScanLayout(channels)
  }

  /// Sets length and watermark; answers the watermark in force [scans].
  private func size(rateHz: Double) throws -> Int {
    let folder = device.folder
    let wanted = max(1, Int(rateHz / IIOBuffer.wakeUpsPerSecond))
    // When it is full the kernel drops the newest scans without a word, and its own default is 2.
    try folder.write(String(max(16, wanted * 4)), to: "buffer/length")
    guard folder.has("buffer/watermark") else { return 1 }
    try? folder.write(String(wanted), to: "buffer/watermark")
    let present = (try? folder.read("buffer/watermark")).flatMap { Int($0) } ?? 1
    return max(1, min(present, wanted * 4))
  }

  private func refusal(_ failure: SystemFailure) -> SensorFault {
    switch failure.code {
    case EBUSY where failure.path == node:
      SensorFault("\(failure) (another process holds it; `fuser \(node)` names it)", isBusy: true)
    case EINVAL where failure.path.hasSuffix("buffer/enable"):
      SensorFault("\(failure) (the driver will not buffer with this trigger and these elements)")
    case ENOENT where failure.path == node:
      SensorFault("\(failure) (no device node; see that udev or devtmpfs makes it)")
    default:
      SensorFault(failure)
    }
  }
}

/// A buffer that is enabled, and its open character device.
struct RunningBuffer {
  let folder: AttributeFolder
  let descriptor: Int32
  let layout: ScanLayout
  /// At which scans are promised [Hz].
  let rateHz: Double
  /// Scans after which the kernel wakes the reader.
  let watermark: Int
  let enabledAt: Instant

  /// Turns the buffer off and on again.
  func restart(at now: Instant) throws(SystemFailure) -> RunningBuffer {
    try folder.write("0", to: "buffer/enable")
    try folder.write("1", to: "buffer/enable")
    return RunningBuffer(
      folder: folder, descriptor: descriptor, layout: layout, rateHz: rateHz, watermark: watermark, enabledAt: now)
  }

  /// Turns the buffer off and closes the device.
  func close() {
    try? folder.write("0", to: "buffer/enable")
    Glibc.close(descriptor)
  }
}
