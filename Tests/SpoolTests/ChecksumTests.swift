import Rig
import Testing

@testable import Spool

@Suite("Checksum")
struct ChecksumTests {
  @Test("It is CRC-32C, by the examples of RFC 3720, B.4")
  func vectors() {
    #expect(CRC32C.of(Array("123456789".utf8)) == 0xE306_9283)
    #expect(CRC32C.of([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(CRC32C.of([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(CRC32C.of((0..<32).map(UInt8.init)) == 0x46DD_794E)
    #expect(CRC32C.of([]) == 0)
  }

  @Test("Parts give what the whole gives, wherever it is divided")
  func parts() {
    var random = SeededRandom(seed: 1)
    let bytes = (0..<100).map { _ in UInt8.random(in: 0...255, using: &random) }
    for place in 0...bytes.count {
      var checksum = CRC32C()
      checksum.update(bytes[..<place])
      checksum.update(bytes[place...])
      #expect(checksum.value == CRC32C.of(bytes))
    }
  }
}
