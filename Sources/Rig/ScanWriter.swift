internal import Foundation

/// Plays the kernel's part at a device's FIFO: while `buffer/enable` is 1 it writes a scan for every period, as many at
/// a time as the watermark says, stamped with the monotonic moment of the measurement.
///
/// `@unchecked Sendable`: all that changes is behind the lock.
public final class ScanWriter: @unchecked Sendable {
  /// g along the sensor's axes at a monotonic moment [s].
  public typealias Motion = @Sendable (Double) -> SIMD3<Double>

  private let device: IIOTreeDevice
  private let encoder: ScanEncoder
  private let rateHz: Double
  private let motion: Motion
  private let lock = NSLock()
  private var descriptor: Int32
  private var isPaused = false
  private var skip = 0
  private var count = 0
  private var thread: Thread?
  private let ended = DispatchSemaphore(value: 0)

  /// Opens the FIFO and begins. Its reader sees the end of the file once `close` is called.
  public init(_ device: IIOTreeDevice, rateHz: Double, motion: @escaping Motion) throws {
    self.device = device
    self.rateHz = rateHz
    self.motion = motion
    encoder = try ScanEncoder(device.chip)
    // Read-write, so that opening does not wait for a reader.
    descriptor = open(device.node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw RigError("open \(device.node): errno \(errno)") }
    let thread = Thread { [weak self, ended] in
      ScanWriter.run { self }
      ended.signal()
    }
    self.thread = thread
    thread.start()
  }

  /// Scans written so far.
  public var written: Int { lock.withLock { count } }

  /// Stays silent, with the FIFO open, as a hung sensor does.
  public func pause() { lock.withLock { isPaused = true } }

  /// Goes on writing scans after `pause`.
  public func resume() { lock.withLock { isPaused = false } }

  /// Leaves the next `scans` out, as a full kernel buffer does.
  public func lose(_ scans: Int) { lock.withLock { skip += scans } }

  /// Writes one scan with a time stamp of its own [ns].
  public func write(g: SIMD3<Double>, stamp: Int64) { put(encoder.encode(g: g, stamp: stamp)) }

  /// Writes bytes as they are.
  public func put(_ bytes: [UInt8]) {
    lock.withLock { if descriptor >= 0 { _ = Glibc.write(descriptor, bytes, bytes.count) } }
  }

  /// Lets go of the FIFO.
  public func close() {
    let open = lock.withLock {
      defer { descriptor = -1 }
      return descriptor
    }
    guard open >= 0 else { return }
    _ = ended.wait(timeout: .now() + 5)
    Glibc.close(open)
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// CLOCK_MONOTONIC [s].
  public static func monotonicSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  private static func run(_ writer: () -> ScanWriter?) {
    var start: Double?
    var index = 0
    while let writer = writer(), writer.isOpen {
      if writer.device.text("buffer/enable") != "1" || writer.lock.withLock({ writer.isPaused }) {
        start = nil
        usleep(5000)
        continue
      }
      let begin = start ?? monotonicSeconds()
      if start == nil { index = 0 }
      start = begin
      let batch = max(1, Int(writer.device.text("buffer/watermark") ?? "1") ?? 1)
      let due = Int((monotonicSeconds() - begin) * writer.rateHz)
      if due - index >= batch { index = writer.writeScans(from: index, upTo: due, begin: begin) }
      usleep(2000)
    }
  }

  private var isOpen: Bool { lock.withLock { descriptor >= 0 } }

  /// All of a batch in one write, so that the reader wakes once for it.
  private func writeScans(from index: Int, upTo end: Int, begin: Double) -> Int {
    var bytes: [UInt8] = []
    for scan in index..<end {
      let time = begin + Double(scan + 1) / rateHz
      let isLost = lock.withLock {
        guard skip > 0 else {
          count += 1
          return false
        }
        skip -= 1
        return true
      }
      if !isLost { bytes += encoder.encode(g: motion(time), stamp: Int64(time * 1e9)) }
    }
    if !bytes.isEmpty { put(bytes) }
    return end
  }
}

/// Lays scans out as the kernel does: by index, each element aligned to its own size, the whole to its largest.
struct ScanEncoder {
  private let isBigEndian: Bool
  private let bits: Int
  private let storage: Int
  private let shift: Int
  private let chip: IIOChip
  private let scale: Double

  init(_ chip: IIOChip) throws {
    let digits = chip.scanType.split { !$0.isNumber }.compactMap { Int($0) }
    guard digits.count == 3, let scale = Double(chip.scale) else { throw RigError("scan type \(chip.scanType)") }
    (bits, storage, shift) = (digits[0], digits[1], digits[2])
    isBigEndian = chip.scanType.hasPrefix("be")
    self.chip = chip
    self.scale = scale
  }

  func encode(g: SIMD3<Double>, stamp: Int64) -> [UInt8] {
    let limit = Double(1 << (bits - 1))
    let raw = (0..<3).map { axis in
      Int64(max(-limit, min(limit - 1, (g[axis] * 9.80665 / scale).rounded() - Double(chip.offset ?? 0))))
    }
    var elements = zip(raw, chip.scanIndices).map { (value: $0 << Int64(shift), size: storage / 8, index: $1) }
    if chip.hasTimestamp { elements.append((stamp, 8, chip.scanIndices[3])) }
    var bytes: [UInt8] = []
    for element in elements.sorted(by: { $0.index < $1.index }) {
      pad(&bytes, to: element.size)
      let little = (0..<element.size).map { UInt8(truncatingIfNeeded: element.value >> Int64(8 * $0)) }
      bytes += isBigEndian && element.index != chip.scanIndices[3] ? little.reversed() : little
    }
    pad(&bytes, to: elements.map(\.size).max() ?? 1)
    return bytes
  }

  private func pad(_ bytes: inout [UInt8], to size: Int) {
    while bytes.count % size != 0 { bytes.append(0) }
  }
}
