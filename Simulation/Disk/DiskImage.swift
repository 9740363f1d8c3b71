/// What is on a disk, as programs see it and as it would be after the power went.
///
/// Append-only files, as the spool writes them: of each file a prefix is on the medium.
struct DiskImage {
  /// A file's content.
  struct Inode {
    var bytes: [UInt8] = []
    /// So many of the bytes are on the medium.
    var durableCount = 0
    /// What a failed sync dropped: the kernel shows it and takes it for written, and after a power cut it is zeros.
    var lost: [Range<Int>] = []
    /// What a truncation cut off and the medium still has, until the next sync.
    var cut: [UInt8]?
  }

  /// A change of a name that is not on the medium yet.
  enum NameChange {
    case set(String, Int)
    case remove(String)
  }

  var inodes: [Int: Inode] = [:]
  var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var journal: [NameChange] = []
  private var nextInode = 1

  func inode(_ name: String) -> Inode? { names[name].flatMap { inodes[$0] } }

  var sizeBytes: Int { names.values.reduce(0) { $0 + (inodes[$1]?.bytes.count ?? 0) } }

  mutating func create(_ name: String) -> Int {
    let number = nextInode
    nextInode += 1
    inodes[number] = Inode()
    change(.set(name, number))
    return number
  }

  mutating func rename(_ name: String, to other: String) {
    guard let number = names[name] else { return }
    change(.set(other, number))
    change(.remove(name))
  }

  mutating func unlink(_ name: String) { change(.remove(name)) }

  private mutating func change(_ change: NameChange) {
    DiskImage.apply(change, to: &names)
    journal.append(change)
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .set(let name, let number): names[name] = number
    case .remove(let name): names[name] = nil
    }
  }

  mutating func syncNames() {
    for change in journal { DiskImage.apply(change, to: &durableNames) }
    journal = []
    let used = Set(names.values)
    for number in inodes.keys where !used.contains(number) { inodes[number] = nil }
  }

  mutating func sync(_ number: Int) {
    inodes[number]?.durableCount = inodes[number]?.bytes.count ?? 0
    inodes[number]?.cut = nil
  }

  /// What a failed fdatasync leaves: the pages are clean, and not on the medium.
  mutating func failSync(_ number: Int) {
    guard let inode = inodes[number], inode.durableCount < inode.bytes.count else { return }
    inodes[number]?.lost.append(inode.durableCount..<inode.bytes.count)
    inodes[number]?.durableCount = inode.bytes.count
  }

  mutating func truncate(_ number: Int, to count: Int) {
    guard let inode = inodes[number], count < inode.bytes.count else { return }
    if count < inode.durableCount { inodes[number]?.cut = Array(inode.bytes[count..<inode.durableCount]) }
    inodes[number]?.bytes.removeSubrange(count...)
    inodes[number]?.durableCount = min(inode.durableCount, count)
    inodes[number]?.lost = inode.lost.map { $0.clamped(to: 0..<count) }.filter { !$0.isEmpty }
  }

  /// What is there after the power went: of what was not synced some, in any shape.
  mutating func cutPower(_ chance: inout Chance) {
    // Names change in the order of the journal, of which some made it.
    let kept = chance.oneIn(2) ? journal.count : chance.int(0...journal.count)
    for change in journal.prefix(kept) { DiskImage.apply(change, to: &durableNames) }
    journal = []
    names = durableNames
    var survivors: [Int: Inode] = [:]
    for number in Set(names.values).sorted() {
      if let inode = inodes[number] { survivors[number] = DiskImage.afterCut(inode, &chance) }
    }
    inodes = survivors
  }

  private static func afterCut(_ inode: Inode, _ chance: inout Chance) -> Inode {
    var bytes = inode.bytes
    for range in inode.lost { for index in range { bytes[index] = 0 } }
    if let cut = inode.cut, chance.oneIn(2) {
      bytes = Array(bytes[..<inode.durableCount]) + cut
    } else {
      let unsynced = bytes.count - inode.durableCount
      let kept = chance.oneIn(3) ? unsynced : chance.int(0...unsynced)
      let missing = unsynced - kept
      bytes.removeSubrange((inode.durableCount + kept)...)
      if missing > 0 { bytes += tail(missing, &chance) }
    }
    return Inode(bytes: bytes, durableCount: bytes.count)
  }

  /// The file's new length may be there before its content is.
  private static func tail(_ missing: Int, _ chance: inout Chance) -> [UInt8] {
    switch chance.int(0...5) {
    case 0: [UInt8](repeating: 0, count: missing)
    case 1: (0..<min(missing, 64)).map { _ in UInt8(truncatingIfNeeded: chance.int(0...255)) }
    default: []
    }
  }
}
