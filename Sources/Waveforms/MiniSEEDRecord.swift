internal import Telemetry

/// One record of miniSEED: a fixed header, three blockettes, and samples as whole numbers of 32 bits.
///
/// SEED 2.4 manual, chapter 8: fixed section of data header, blockettes 100, 1000 and 1001. Numbers have the most
/// significant byte first.
struct MiniSEEDRecord {
  static let length = 512
  /// Header and blockettes, up to a multiple of 64 bytes, as readers of compressed records want it.
  private static let dataOffset = 128
  /// Samples that fit.
  static let mostSamples = (length - dataOffset) / 4

  /// From 1; the manual's six digits begin again after 999 999.
  var number: Int
  var names: SEEDNames
  var channel: String
  var start: WallTime
  var clock: ClockQuality
  var rateHz: Double
  var samples: ArraySlice<Int32>

  /// The record's 512 bytes.
  func encode() -> [UInt8] {
    var bytes = ByteWriter(capacity: Self.length)
    let time = SEEDTime(start)
    writeHeader(time, &bytes)
    // 1000, data only: 32-bit integers, most significant byte first, 2 to the power of 9 bytes.
    bytes.append16(1000)
    bytes.append16(56)
    bytes.append([3, 1, 9, 0])
    // 1001, data extension: timing quality, the rest of the time, no frames.
    bytes.append16(1001)
    bytes.append16(64)
    bytes.append([clock.timingQuality, UInt8(bitPattern: Int8(time.remainder)), 0, 0])
    // 100, sample rate: as it was measured.
    bytes.append16(100)
    bytes.append16(0)
    bytes.append32(Float(rateHz).bitPattern)
    bytes.append([0, 0, 0, 0])
    bytes.pad(to: Self.dataOffset)
    for sample in samples { bytes.append32(UInt32(bitPattern: sample)) }
    bytes.pad(to: Self.length)
    return bytes.bytes
  }

  private func writeHeader(_ time: SEEDTime, _ bytes: inout ByteWriter) {
    let digits = String(number % 1_000_000)
    bytes.append(text: String(repeating: "0", count: 6 - digits.utf8.count) + digits, 6)
    // D: quality not said. Then a reserved blank.
    bytes.append(text: "D", 2)
    bytes.append(text: names.station, 5)
    bytes.append(text: names.location, 2)
    bytes.append(text: channel, 3)
    bytes.append(text: names.network, 2)
    bytes.append16(UInt16(clamping: time.year))
    bytes.append16(UInt16(time.dayOfYear))
    bytes.append([UInt8(time.hour), UInt8(time.minute), UInt8(time.second), 0])
    bytes.append16(UInt16(time.tenthsOfMilliseconds))
    bytes.append16(UInt16(samples.count))
    let (factor, multiplier) = Self.rate(rateHz)
    bytes.append16(UInt16(bitPattern: factor))
    bytes.append16(UInt16(bitPattern: multiplier))
    // Activity; clock locked (bit 5); time tag questionable (bit 7).
    bytes.append([0, clock.isLocked ? 0x20 : 0, clock == .none ? 0x80 : 0])
    // Three blockettes, no time correction, where the data and the first blockette are.
    bytes.append([3])
    bytes.append32(0)
    bytes.append16(UInt16(Self.dataOffset))
    bytes.append16(48)
  }

  /// The rate as the header has it: factor / -multiplier, in as fine a step as fits into 16 bits.
  static func rate(_ rateHz: Double) -> (factor: Int16, multiplier: Int16) {
    for divisor in [10_000.0, 1000, 100, 10] where (rateHz * divisor).rounded() <= 32_767 {
      return (Int16(max(1, (rateHz * divisor).rounded())), -Int16(divisor))
    }
    return (Int16(min(rateHz.rounded(), 32_767)), 1)
  }
}

extension ClockQuality {
  /// Something disciplines the clock.
  fileprivate var isLocked: Bool { self == .ntp || self == .gps }

  /// Blockette 1001's percentage, whose meaning each maker may choose.
  fileprivate var timingQuality: UInt8 {
    switch self {
    case .ntp: 100
    // GPS time is late by what a fix takes to come.
    case .gps: 80
    case .rtc: 30
    case .none: 0
    }
  }
}

/// Bytes with the most significant one first.
private struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func append(_ more: [UInt8]) { bytes += more }

  mutating func append16(_ value: UInt16) {
    bytes.append(UInt8(value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  mutating func append32(_ value: UInt32) {
    append16(UInt16(value >> 16))
    append16(UInt16(truncatingIfNeeded: value))
  }

  /// The text and blanks, so many bytes in all.
  mutating func append(text: String, _ length: Int) {
    let start = Array(text.utf8.prefix(length))
    bytes += start + Array(repeating: UInt8(ascii: " "), count: length - start.count)
  }

  mutating func pad(to length: Int) {
    bytes += Array(repeating: 0, count: max(0, length - bytes.count))
  }
}
