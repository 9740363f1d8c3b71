internal import Glibc

/// A folder that a later version of the program wrote. To read it as damage would lose the backlog at a downgrade.
enum NewerFormat {
  /// Every format that replaces version 1 keeps this much: the magic, the version behind it, and a CRC-32C of all that
  /// is before it at the end. Without the CRC one turned bit would look like a format.
  static func isIn(_ bytes: ArraySlice<UInt8>, magic: [UInt8], version: UInt8) -> Bool {
    guard bytes.count >= magic.count + 5, bytes.starts(with: magic) else { return false }
    var end = ByteReader(bytes.suffix(4))
    return bytes[bytes.startIndex + magic.count] > version && end.next(UInt32.self) == CRC32C.of(bytes.dropLast(4))
  }
}

extension SpoolCore {
  /// Leaves a folder alone that a later version wrote: everything stays in memory until that version runs again.
  func refuseNewer(_ entries: [DiskEntry]) throws(DiskFailure) {
    for entry in entries {
      let isState = entry.name == SavedState.file
      guard isState || SegmentName(entry.name) != nil else { continue }
      let size = isState ? SavedState.largestBytes : SegmentHeader.size
      // What the medium does not give is looked at later.
      guard let bytes = try? disk.read(entry.name, from: 0, count: min(size, entry.sizeBytes)) else { continue }
      if isState ? SavedState.isNewer(bytes) : SegmentHeader.isNewer(bytes) {
        throw DiskFailure(call: "format", code: ENOTSUP, name: entry.name)
      }
    }
  }
}
