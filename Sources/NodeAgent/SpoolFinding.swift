internal import BrokerLink
internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Spool

/// Whether events outlast a power cut, asked before the first one comes.
enum SpoolFinding {
  /// What an event takes on the disk, as most are [bytes].
  private static let eventBytes = 350

  /// What `check` says of it.
  ///
  /// - Parameter settings: nil where events wait in memory alone.
  static func finding(_ settings: SpoolSettings?) -> Finding {
    guard let settings else {
      return Finding(
        .warning, "spool", "events wait in memory alone, and end with the process",
        remedy: "set spool.directory; systemd sets STATE_DIRECTORY, in which it is by default")
    }
    let folder = settings.directory
    var status = stat()
    guard stat(folder, &status) == 0 else { return missing(folder, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return Finding(.problem, "spool", "\(folder) is no folder", remedy: "set spool.directory to a folder")
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      return Finding(
        .problem, "spool", "\(folder): \(systemErrorText(errno)): events would stay in memory",
        remedy: "let this user write there, or set spool.directory")
    }
    // What root wrote there the service could not write over.
    guard status.st_uid == geteuid() else {
      return Finding(.good, "spool", "\(folder) is another user's, and is not looked into; \(room(settings))")
    }
    return contents(settings)
  }

  private static func missing(_ folder: String, _ code: Int32) -> Finding {
    let parent = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    if code == ENOENT, access(parent.isEmpty ? "/" : parent, W_OK | X_OK) == 0 {
      return Finding(.good, "spool", "\(folder) is made at the first start")
    }
    return Finding(
      .problem, "spool", "\(folder): \(systemErrorText(code)), and cannot be made: events would stay in memory",
      remedy: "make it, and let this user write there, or set spool.directory")
  }

  private static func contents(_ settings: SpoolSettings) -> Finding {
    let folder = settings.directory
    let disk = LinuxDisk(folder: folder)
    do throws(DiskFailure) {
      try disk.open()
    } catch {
      if error.code == EWOULDBLOCK {
        return Finding(.good, "spool", "\(folder) is in use by a node that runs; \(room(settings))")
      }
      return Finding(.problem, "spool", "\(folder): \(error)", remedy: "let this user use it")
    }
    let nowS = Double(MonotonicClock.monotonicNanoseconds()) * 1e-9
    var core = SpoolCore(disk: disk, boot: 0, limits: settings.limits)
    let reports = core.open(atS: nowS) + core.handle(.stop, atS: nowS)
    for case .state(let state) in reports {
      guard let trouble = state.trouble else { continue }
      return Finding(.problem, "spool", "\(folder): \(trouble)", remedy: "see what is wrong with the disk")
    }
    for case .opened(let found) in reports { return judge(found, settings) }
    return Finding(.warning, "spool", "\(folder) could not be read", remedy: "see what is wrong with the disk")
  }

  private static func judge(_ found: Spool.SpoolContents, _ settings: SpoolSettings) -> Finding {
    let events = found.lanes.reduce(0) { $0 + $1.events }
    let text = "\(settings.directory): \(events == 0 ? "nothing waits" : "\(events) events wait"); \(room(settings))"
    let damage = found.damage.filter { $0.kind != .torn }
    guard let first = damage.first else { return Finding(.good, "spool", text) }
    return Finding(
      .warning, "spool", "\(text); \(damage.count) places cannot be read, first \(first.file) at \(first.offset)",
      remedy: "what could be read is kept; look at the disk, and at \(settings.directory)/damaged")
  }

  /// How much there is room for.
  private static func room(_ settings: SpoolSettings) -> String {
    let events = settings.limits.capBytes / eventBytes
    let days = Double(events) / 288
    return "room for some \(events) events, which is \(Int(days.rounded())) days at one every 5 min"
  }
}
