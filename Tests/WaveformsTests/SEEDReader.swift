import Foundation

/// A record of miniSEED as the SEED 2.4 manual lays it out (chapter 8): read by offsets, without the writer's code.
struct SEEDReader {
  let number: String
  let quality: String
  let station: String
  let location: String
  let channel: String
  let network: String
  /// `2026,334,04:05:06.7891` and the microseconds of blockette 1001.
  let time: String
  let microseconds: Int
  let activityFlags: UInt8
  let clockFlags: UInt8
  let qualityFlags: UInt8
  /// By the factor and the multiplier of the header.
  let nominalRateHz: Double
  /// By blockette 100.
  let rateHz: Float
  let timingQuality: UInt8
  let encoding: UInt8
  let samples: [Int32]

  enum Flaw: Error {
    case blockette(Int)
    case length
    case byteOrder(UInt8)
    case order
  }

  /// The records of a file.
  static func records(_ bytes: [UInt8]) throws -> [SEEDReader] {
    guard !bytes.isEmpty, bytes.count % 512 == 0 else { throw Flaw.length }
    return try stride(from: 0, to: bytes.count, by: 512).map { try SEEDReader(Array(bytes[$0..<$0 + 512])) }
  }

  private init(_ record: [UInt8]) throws {
    func text(_ range: Range<Int>) -> String {
      String(decoding: record[range], as: UTF8.self).trimmingCharacters(in: .init(charactersIn: " "))
    }
    func u16(_ at: Int) -> Int { Int(record[at]) << 8 | Int(record[at + 1]) }
    func i16(_ at: Int) -> Int { Int(Int16(truncatingIfNeeded: u16(at))) }
    func u32(_ at: Int) -> UInt32 { record[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    number = text(0..<6)
    quality = text(6..<7)
    station = text(8..<13)
    location = text(13..<15)
    channel = text(15..<18)
    network = text(18..<20)
    time = String(
      format: "%04d,%03d,%02d:%02d:%02d.%04d", u16(20), u16(22), Int(record[24]), Int(record[25]), Int(record[26]),
      u16(28))
    let count = u16(30)
    let (factor, multiplier) = (Double(i16(32)), Double(i16(34)))
    nominalRateHz =
      (factor > 0 ? factor : -1 / factor) * (multiplier > 0 ? multiplier : -1 / multiplier)
    activityFlags = record[36]
    clockFlags = record[37]
    qualityFlags = record[38]
    var next = u16(46)
    var blockettes: [Int: Int] = [:]
    while next != 0 {
      guard next >= 48, next + 8 <= u16(44) else { throw Flaw.order }
      blockettes[u16(next)] = next
      next = u16(next + 2)
    }
    guard blockettes.count == Int(record[39]), u32(40) == 0 else { throw Flaw.order }
    guard let data = blockettes[1000] else { throw Flaw.blockette(1000) }
    guard let extra = blockettes[1001] else { throw Flaw.blockette(1001) }
    guard let rate = blockettes[100] else { throw Flaw.blockette(100) }
    encoding = record[data + 4]
    guard record[data + 5] == 1 else { throw Flaw.byteOrder(record[data + 5]) }
    guard record[data + 6] == 9, u16(44) + 4 * count <= 512 else { throw Flaw.length }
    timingQuality = record[extra + 4]
    microseconds = Int(Int8(bitPattern: record[extra + 5]))
    rateHz = Float(bitPattern: u32(rate + 4))
    let first = u16(44)
    samples = (0..<count).map { Int32(bitPattern: u32(first + 4 * $0)) }
  }
}
