/// One event of a Linux input device: `struct input_event` of linux/input.h.
public struct InputEvent: Equatable, Sendable {
  /// Of the clock that EVIOCSCLOCKID chose [ns].
  public var timeNs: Int64
  /// `EV_*`.
  public var type: UInt16
  /// `ABS_*`, `SYN_*` and so on.
  public var code: UInt16
  public var value: Int32

  public init(timeNs: Int64, type: UInt16, code: UInt16, value: Int32) {
    self.timeNs = timeNs
    self.type = type
    self.code = code
    self.value = value
  }

  /// EV_SYN, EV_ABS.
  public static let synchronization: UInt16 = 0x00, absolute: UInt16 = 0x03
  /// SYN_REPORT, SYN_DROPPED.
  public static let report: UInt16 = 0, dropped: UInt16 = 3

  /// Bytes of an event: seconds and microseconds are of the machine's word, then come type, code and value.
  ///
  /// - Parameter wordBytes: 8 on 64-bit machines, 4 on others.
  public static func size(wordBytes: Int = MemoryLayout<Int>.size) -> Int { 2 * wordBytes + 8 }

  /// The event at `offset`, in the machine's byte order; the caller has checked that it is whole.
  public init(_ bytes: UnsafeRawBufferPointer, at offset: Int, wordBytes: Int = MemoryLayout<Int>.size) {
    let seconds: Int64
    let micros: Int64
    if wordBytes == 8 {
      seconds = bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self)
      micros = bytes.loadUnaligned(fromByteOffset: offset + 8, as: Int64.self)
    } else {
      // Unsigned, as the kernel has it since 32 bits run out in 2038.
      seconds = Int64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      micros = Int64(bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
    }
    timeNs = seconds &* 1_000_000_000 &+ micros &* 1000
    let rest = offset + 2 * wordBytes
    type = bytes.loadUnaligned(fromByteOffset: rest, as: UInt16.self)
    code = bytes.loadUnaligned(fromByteOffset: rest + 2, as: UInt16.self)
    value = bytes.loadUnaligned(fromByteOffset: rest + 4, as: Int32.self)
  }
}

/// What an input device says of one of its axes: `struct input_absinfo` of linux/input.h.
public struct InputAxis: Equatable, Sendable {
  /// The value last reported.
  public var value: Int32
  public var minimum: Int32
  public var maximum: Int32
  /// Changes up to half of it are held back by the kernel.
  public var fuzz: Int32
  /// Counts in one g, where the device declares itself an accelerometer; 0 where it does not say.
  public var resolution: Int32

  public init(value: Int32, minimum: Int32, maximum: Int32, fuzz: Int32 = 0, resolution: Int32 = 0) {
    self.value = value
    self.minimum = minimum
    self.maximum = maximum
    self.fuzz = fuzz
    self.resolution = resolution
  }

  /// The end of its scale that is nearer to zero [g]; nil where the range is none or has one sign only.
  ///
  /// - Parameter unitsPerG: > 0.
  public func fullScaleG(unitsPerG: Double) -> Double? {
    guard minimum < 0, maximum > 0 else { return nil }
    return min(-Double(minimum), Double(maximum)) / unitsPerG
  }
}
