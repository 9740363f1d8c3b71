internal import Glibc

/// The folder with what was found damaged, for whoever wants to know why.
enum Quarantine {
  static let folder = "damaged"
  static let files = 4

  /// Whether a read that fails like that says something about the medium, rather than about this process.
  static func meansDamage(_ code: Int32) -> Bool { [EIO, EUCLEAN, EBADMSG, ENXIO, EILSEQ].contains(code) }
}

/// Keeping damaged files, a few, and only where that works: nothing depends on them.
extension SpoolCore {
  /// Removes a segment in which nothing could be read.
  mutating func discard(_ name: SegmentName, _ size: Int) {
    if size > SegmentHeader.size {
      setAside(name.text, size)
    } else {
      try? disk.unlink(name.text)
      hasRemovals = true
    }
  }

  /// Moves a file out of the way.
  mutating func setAside(_ name: String, _ size: Int) {
    let isMoved = (try? disk.rename(name, to: placeAside(name, size))) != nil
    if !isMoved { try? disk.unlink(name) }
    hasRemovals = true
    if isMoved { quarantine.append(DiskEntry(name: name, sizeBytes: size)) }
  }

  /// Copies a segment that stays in use.
  mutating func keepCopy(of name: SegmentName) {
    guard let index = index(of: name.number), !quarantine.contains(where: { $0.name == name.text }),
      let bytes = try? disk.read(name.text, from: 0, count: segments[index].sizeBytes)
    else { return }
    let place = placeAside(name.text, bytes.count)
    guard sizeBytes + bytes.count <= limits.capBytes, let file = try? disk.create(place) else { return }
    let isCopied = (try? disk.append(bytes, to: file)) != nil
    disk.close(file)
    if isCopied {
      quarantine.append(DiskEntry(name: name.text, sizeBytes: bytes.count))
    } else {
      try? disk.unlink(place)
    }
  }

  /// Where a file goes, with room made for it among the others.
  private mutating func placeAside(_ name: String, _ size: Int) -> String {
    quarantine.removeAll { $0.name == name }
    pruneQuarantine(to: max(0, limits.capBytes / 8 - size), files: Quarantine.files - 1)
    return "\(Quarantine.folder)/\(name)"
  }

  /// Removes the first of the damaged files, until the rest is small enough.
  mutating func pruneQuarantine(to bytes: Int, files: Int = Quarantine.files) {
    quarantine.sort { $0.name < $1.name }
    while let first = quarantine.first,
      quarantine.count > files || quarantine.reduce(0, { $0 + $1.sizeBytes }) > bytes
    {
      try? disk.unlink("\(Quarantine.folder)/\(first.name)")
      quarantine.removeFirst()
    }
  }
}
