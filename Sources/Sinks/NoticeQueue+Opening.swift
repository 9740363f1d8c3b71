internal import Daemon
internal import Glibc
internal import Telemetry

extension NoticeQueue {
  /// Opens the folder and takes over what an earlier run left there, before what arrived meanwhile. Nothing where there
  /// is none, or it is open.
  ///
  /// - Parameter wall: the calendar; what lay on the disk counts as having arrived at once.
  mutating func open(at now: Instant) throws(SinkProblem) {
    guard let path, folders == nil else { return }
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex { _ = try QueueFolder(String(path[..<slash])) }
    _ = try QueueFolder(path)
    let lock = try NoticeQueue.lock("\(path)/lock")
    do throws(SinkProblem) {
      let folders = Folders(
        new: try QueueFolder("\(path)/new"), firing: try QueueFolder("\(path)/firing"),
        failed: try QueueFolder("\(path)/failed"), aside: try QueueFolder("\(path)/aside"), lock: lock)
      try load(folders, at: now)
      self.folders = folders
    } catch {
      Glibc.close(lock)
      throw error
    }
  }

  /// Two processes would tell everything twice: flock(2).
  private static func lock(_ file: String) throws(SinkProblem) -> Int32 {
    let descriptor = Glibc.open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw QueueFolder.problem(file, errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      Glibc.close(descriptor)
      throw code == EWOULDBLOCK
        ? SinkProblem("\(file): another judder-fleet has this queue") : QueueFolder.problem(file, code)
    }
    return descriptor
  }

  private mutating func load(_ folders: Folders, at now: Instant) throws(SinkProblem) {
    folders.new.sweep()
    var found: [Entry] = []
    for (number, notice) in try read(folders.new, folders.aside) {
      found.append(Entry(notice, number: number, arrived: now, json: nil))
      bytes += notice.json.count
    }
    for (number, notice) in try read(folders.firing, folders.aside) {
      if let older = firing[notice.identity] { folders.firing.remove(older.number) }
      firing[notice.identity] = (number, notice)
    }
    failedNumbers = try folders.failed.names().compactMap { QueueFolder.number($0) }
    nextNumber = ([found.last?.number, failedNumbers.last] + firing.values.map(\.number)).compactMap { $0 }.max() ?? 0
    nextNumber += 1
    for place in entries.indices {
      entries[place].number = nextNumber
      nextNumber += 1
    }
    // What is being handed on just now stays in front: whoever does so takes away as many as he took.
    entries = entries[..<underWay] + found + entries[underWay...]
  }

  private mutating func read(
    _ folder: QueueFolder, _ aside: QueueFolder
  ) throws(SinkProblem) -> [(UInt64, Notice)] {
    var notices: [(UInt64, Notice)] = []
    for name in try folder.names() {
      if let number = QueueFolder.number(name), let notice = NoticeQueue.read("\(folder.path)/\(name)") {
        notices.append((number, notice))
      } else {
        folder.move(name, to: aside)
        setAside += 1
      }
    }
    return notices
  }

  /// Lets go of the folder.
  mutating func close() {
    if let folders { Glibc.close(folders.lock) }
    folders = nil
  }
}
