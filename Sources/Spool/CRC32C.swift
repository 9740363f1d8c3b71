/// The checksum CRC-32C (Castagnoli): RFC 3720, appendix B.4. Eight bytes a step by tables (Kounavis and Berry 2005,
/// "A systematic approach to building high performance software-based CRC generators").
struct CRC32C {
  private var state: UInt32 = ~0

  /// The checksum of everything taken so far.
  var value: UInt32 { ~state }

  static func of(_ bytes: some Collection<UInt8>) -> UInt32 {
    var checksum = CRC32C()
    checksum.update(bytes)
    return checksum.value
  }

  mutating func update(_ bytes: some Collection<UInt8>) {
    let taken: Void? = bytes.withContiguousStorageIfAvailable { update($0) }
    if taken == nil { Array(bytes).withUnsafeBufferPointer { update($0) } }
  }

  mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard var place = bytes.baseAddress.map(UnsafeRawPointer.init) else { return }
    var left = bytes.count
    var crc = state
    CRC32C.tables.withUnsafeBufferPointer { table in
      while left >= 8 {
        let low = place.loadUnaligned(as: UInt32.self).littleEndian ^ crc
        let high = place.loadUnaligned(fromByteOffset: 4, as: UInt32.self).littleEndian
        crc =
          table[Int(0x700 | low & 0xFF)] ^ table[Int(0x600 | low >> 8 & 0xFF)]
          ^ table[Int(0x500 | low >> 16 & 0xFF)] ^ table[Int(0x400 | low >> 24)]
        crc ^=
          table[Int(0x300 | high & 0xFF)] ^ table[Int(0x200 | high >> 8 & 0xFF)]
          ^ table[Int(0x100 | high >> 16 & 0xFF)] ^ table[Int(high >> 24)]
        place += 8
        left -= 8
      }
      while left > 0 {
        crc = crc >> 8 ^ table[Int((crc ^ UInt32(place.load(as: UInt8.self))) & 0xFF)]
        place += 1
        left -= 1
      }
    }
    state = crc
  }

  /// Eight tables of 256, one behind the other: what a byte does that stands so many places before the end.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 2048)
    for byte in 0..<256 {
      var crc = UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
      tables[byte] = crc
    }
    for place in 256..<2048 {
      let before = tables[place - 256]
      tables[place] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()
}
