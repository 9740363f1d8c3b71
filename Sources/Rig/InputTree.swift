internal import Foundation

/// What a driver shows of an input device with three axes. The presets follow real drivers.
public struct InputChip: Sendable {
  /// What the driver calls it.
  public var name: String
  /// Where it is plugged in.
  public var place: String? = "rig/input0"
  /// Whether the driver declares it an accelerometer: INPUT_PROP_ACCELEROMETER.
  public var isDeclared = false
  /// The bits of `capabilities/abs`; 7 is x, y and z.
  public var axes = "7"
  /// The ends of its scale, in counts.
  public var minimum = -4096
  /// See `minimum`.
  public var maximum = 4096
  /// Changes up to half of it are held back by the kernel.
  public var fuzz = 0
  /// Counts in 1 g; 0: the driver does not say.
  public var resolution = 0

  public init(name: String) {
    self.name = name
  }

  /// Analog Devices' ADXL345 by input/adxl34x: neither declared an accelerometer nor with a resolution.
  public static var adxl34x: InputChip {
    var chip = InputChip(name: "ADXL34x accelerometer")
    chip.place = "ADXL34x/input0"
    chip.fuzz = 3
    return chip
  }

  /// A game controller's motion sensor: declared, with a resolution.
  public static var controller: InputChip {
    var chip = InputChip(name: "Wireless Controller Motion Sensors")
    chip.place = "usb-0000:00:14.0-2/input3"
    chip.isDeclared = true
    chip.axes = "3f"
    chip.minimum = -32_768
    chip.maximum = 32_767
    chip.fuzz = 16
    chip.resolution = 8192
    return chip
  }
}

/// A plain folder in the shape of /sys/class/input, with FIFOs in place of the device nodes. What a node answers to
/// ioctl(2) no FIFO does; `InputTreeDevice` only remembers it.
public final class InputTree: Sendable {
  /// The folders that stand for /sys/class/input and for /dev.
  public let inputRoot: String
  public let devRoot: String

  /// Makes both folders, without a device in them.
  public init(in workplace: Workplace) throws {
    inputRoot = workplace.path("input/sys")
    devRoot = workplace.path("input/dev")
    for folder in [inputRoot, "\(devRoot)/input"] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
  }

  /// Adds a device, opens the writing end of its FIFO, and answers it.
  @discardableResult
  public func add(_ chip: InputChip, number: Int = 0) throws -> InputTreeDevice {
    let folder = "\(inputRoot)/event\(number)/device"
    try FileManager.default.createDirectory(atPath: "\(folder)/capabilities", withIntermediateDirectories: true)
    var files = ["name": chip.name, "properties": chip.isDeclared ? "40" : "0", "capabilities/abs": chip.axes]
    files["phys"] = chip.place ?? ""
    for (name, text) in files { try Data("\(text)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)")) }
    return try InputTreeDevice(
      chip: chip, folder: "\(inputRoot)/event\(number)", node: "\(devRoot)/input/event\(number)")
  }
}

/// A device in an `InputTree`, and the driver behind it: it keeps a state, and writes a change to its FIFO as the
/// kernel's evdev does.
///
/// `@unchecked Sendable`: all that changes is behind the lock.
public final class InputTreeDevice: @unchecked Sendable {
  /// What it was made as.
  public let chip: InputChip
  /// Its folder in the tree.
  public let folder: String
  /// The FIFO in place of its device node.
  public let node: String
  private let lock = NSLock()
  private var axes: [Int32] = [0, 0, 0]
  private var descriptor: Int32
  private var hasLeft = false

  fileprivate init(chip: InputChip, folder: String, node: String) throws {
    self.chip = chip
    self.folder = folder
    self.node = node
    guard mkfifo(node, 0o600) == 0 else { throw RigError("mkfifo \(node): errno \(errno)") }
    // Read-write, so that opening does not wait for a reader.
    descriptor = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw RigError("open \(node): errno \(errno)") }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// The present value of each axis, as EVIOCGABS gives it; nil once the device has left.
  public var state: [Int32]? { lock.withLock { hasLeft ? nil : axes } }

  /// Changes the state, and reports what changed with a time of CLOCK_MONOTONIC [s]; nil: now.
  public func report(_ x: Int, _ y: Int, _ z: Int, at time: Double? = nil) {
    let stamp = time ?? ScanWriter.monotonicSeconds()
    let new = [Int32(x), Int32(y), Int32(z)]
    let old = lock.withLock {
      defer { axes = new }
      return axes
    }
    var bytes: [UInt8] = []
    for axis in 0..<3 where new[axis] != old[axis] {
      bytes += InputTreeDevice.event(type: 3, code: UInt16(axis), value: new[axis], at: stamp)
    }
    guard !bytes.isEmpty else { return }
    put(bytes + InputTreeDevice.event(type: 0, code: 0, value: 0, at: stamp))
  }

  /// Changes the state without a word, as happens when the reader's room is full; SYN_DROPPED tells of it.
  public func lose(_ x: Int, _ y: Int, _ z: Int) {
    lock.withLock { axes = [Int32(x), Int32(y), Int32(z)] }
    let now = ScanWriter.monotonicSeconds()
    put(
      InputTreeDevice.event(type: 0, code: 3, value: 0, at: now)
        + InputTreeDevice.event(type: 3, code: 0, value: 12_345, at: now)
        + InputTreeDevice.event(type: 0, code: 0, value: 0, at: now))
  }

  /// Writes bytes as they are.
  public func put(_ bytes: [UInt8]) {
    lock.withLock { if descriptor >= 0 { _ = Glibc.write(descriptor, bytes, bytes.count) } }
  }

  /// Is unplugged: the reader sees the end of the file, and the folder and the node are gone.
  public func leave() throws {
    lock.withLock {
      hasLeft = true
      if descriptor >= 0 { Glibc.close(descriptor) }
      descriptor = -1
    }
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.removeItem(atPath: node)
  }

  /// The bytes of a `struct input_event` on this machine.
  public static func event(type: UInt16, code: UInt16, value: Int32, at time: Double) -> [UInt8] {
    let seconds = Int(time)
    let micros = Int((time - Double(seconds)) * 1e6)
    return bytes(seconds) + bytes(micros) + bytes(type) + bytes(code) + bytes(value)
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
}
