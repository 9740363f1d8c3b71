internal import Telemetry

/// About how many different names there were, in 4 kB however many: HyperLogLog with 4096 registers, whose standard
/// error is 1.04/sqrt(4096) = 1.6 %; small numbers by linear counting, nearly exact.
///
/// P. Flajolet, E. Fusy, O. Gandouet, F. Meunier: HyperLogLog: the analysis of a near-optimal cardinality estimation
/// algorithm, AofA 2007. The hash has no secret: who chooses names for it can make the number wrong, and nothing else.
struct DistinctCount: Equatable, Sendable {
  private static let bits = 12
  private var registers = [UInt8](repeating: 0, count: 1 << bits)

  mutating func note(_ name: NodeName) {
    let hash = Self.hash(name)
    let register = Int(hash >> (64 - UInt64(Self.bits)))
    // The bit behind the rest keeps the count of its leading zeros finite.
    let rest = hash << UInt64(Self.bits) | 1 << UInt64(Self.bits - 1)
    registers[register] = max(registers[register], UInt8(rest.leadingZeroBitCount + 1))
  }

  /// The estimate; 0 before the first.
  var estimate: Int {
    let size = Double(registers.count)
    var sum = 0.0
    for rank in registers { sum += 1 / Double(1 << UInt64(rank)) }
    let raw = 0.7213 / (1 + 1.079 / size) * size * size / sum
    let empty = registers.lazy.filter { $0 == 0 }.count
    guard raw <= 2.5 * size, empty > 0 else { return Int(raw.rounded()) }
    return Int((size * log(size / Double(empty))).rounded())
  }

  /// FNV-1a, and the finaliser of MurmurHash3, without which the high bits of short names are poor.
  private static func hash(_ name: NodeName) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in name.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 33
  }
}
