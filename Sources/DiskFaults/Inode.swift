/// A file's bytes, as the running system sees them and as they are on the medium.
final class Inode {
  var bytes: [UInt8] = [] { didSet { isChanged = true } }
  private var isChanged = false
  var durable: [UInt8] = []
  /// A sync failed: what was not on the medium by then never gets there.
  var forgetsUnsynced = false
  /// Where the bytes that got lost by that begin and end.
  private var holes: [Range<Int>] = []

  /// A sector is on the medium as a whole or not at all.
  static let sectorBytes = 512

  func sync() {
    settleFailure()
    isChanged = false
    durable = bytes
    for hole in holes {
      for place in hole where place < durable.count { durable[place] = 0 }
    }
  }

  /// What a failed sync forgot is readable until the power goes, and not on the medium.
  private func settleFailure() {
    guard forgetsUnsynced else { return }
    if durable.count < bytes.count { holes.append(durable.count..<bytes.count) }
    forgetsUnsynced = false
  }

  /// Leaves of what was not synced whatever a power cut may leave.
  func tear(using random: inout some RandomNumberGenerator) {
    settleFailure()
    if isChanged { durable = survivors(using: &random) }
    bytes = durable
    isChanged = false
    holes = []
  }

  private func survivors(using random: inout some RandomNumberGenerator) -> [UInt8] {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return durable
    case 1: return durable.count > bytes.count ? bytes : durable + unsynced
    case 2:
      // A prefix, cut anywhere.
      let tail = unsynced
      return durable + tail.prefix(Int.random(in: 0...tail.count, using: &random))
    case 3:
      // The size is on the medium, the data are not.
      return durable + [UInt8](repeating: 0, count: unsynced.count)
    default:
      return torn(using: &random)
    }
  }

  /// Some sectors are on the medium and others are not, in no order.
  private func torn(using random: inout some RandomNumberGenerator) -> [UInt8] {
    var result = durable + unsynced
    var start = durable.count
    while start < result.count {
      let end = min(result.count, (start / Inode.sectorBytes + 1) * Inode.sectorBytes)
      if Bool.random(using: &random) {
        for place in start..<end { result[place] = 0 }
      }
      start = end
    }
    return result
  }

  private var unsynced: ArraySlice<UInt8> {
    durable.count < bytes.count ? bytes[durable.count...] : []
  }
}

/// A change of a folder that is not on the medium yet.
enum NameChange {
  case link(String, Inode)
  case rename(String, String, Inode)
  case unlink(String)

  func apply(to names: inout [String: Inode]) {
    switch self {
    case .link(let name, let inode): names[name] = inode
    case .rename(let name, let other, let inode):
      names[name] = nil
      names[other] = inode
    case .unlink(let name): names[name] = nil
    }
  }

  /// What a power cut leaves: the first changes in their order, as a journal has them, or any of them.
  static func survivors(
    of changes: [NameChange], on names: [String: Inode], using random: inout some RandomNumberGenerator
  ) -> [String: Inode] {
    var names = names
    if Bool.random(using: &random) {
      for change in changes.prefix(Int.random(in: 0...changes.count, using: &random)) { change.apply(to: &names) }
    } else {
      for change in changes where Bool.random(using: &random) { change.apply(to: &names) }
    }
    return names
  }
}
