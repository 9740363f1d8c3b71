internal import BrokerLink
internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Spool
internal import SpoolWords
internal import Telemetry

/// Whether events outlast a power cut, asked before the first one comes.
enum SpoolFinding {
  /// What an event takes on the disk, as most are [bytes].
  private static let eventBytes = 350

  /// What `check` says of it. Nothing that is there is changed: what is to be mended the node mends and tells.
  ///
  /// - Parameters:
  ///   - settings: nil where events wait in memory alone
  ///   - name: that of the node
  static func finding(_ settings: SpoolSettings?, of name: String) -> Finding {
    guard let settings else {
      return Finding(
        .warning, "spool", "events wait in memory alone, and end with the process",
        remedy: "set spool.directory; systemd sets STATE_DIRECTORY, in which it is by default")
    }
    let folder = settings.directory
    var status = stat()
    guard stat(folder, &status) == 0 else { return missing(settings, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      return Finding(.problem, "spool", "\(folder) is no folder", remedy: "set spool.directory to a folder")
    }
    do throws(DiskFailure) {
      let disk = LinuxDisk(folder: folder, isShared: true)
      try disk.open()
      // A name that the node tidies away at its start, should this end in between.
      try disk.tryOut("check.tmp")
      let sizes = (try disk.list(nil) + disk.list("damaged")).map(\.sizeBytes)
      return room(contents(settings, of: name), settings, disk.freeBytes(), usedBytes: sizes.reduce(0, +))
    } catch {
      return trouble(error, folder)
    }
  }

  private static func trouble(_ failure: DiskFailure, _ folder: String) -> Finding {
    let trouble = SpoolTrouble(failure, folder: folder)
    return Finding(.problem, "spool", "\(trouble.text): events would stay in memory", remedy: trouble.remedy)
  }

  private static func missing(_ settings: SpoolSettings, _ code: Int32) -> Finding {
    let folder = settings.directory
    let parts = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let parent = parts.isEmpty ? "/" : parts
    if code == ENOENT, access(parent, W_OK | X_OK) == 0 {
      let disk = LinuxDisk(folder: parent, isShared: true)
      let isOpen = (try? disk.open()) != nil
      let made = Finding(.good, "spool", "\(folder) is made at the first start")
      return room(made, settings, isOpen ? disk.freeBytes() : nil, usedBytes: 0)
    }
    return Finding(
      .problem, "spool", "\(folder): \(systemErrorText(code)), and cannot be made: events would stay in memory",
      remedy: "make it, and let this user write there, or set spool.directory")
  }

  /// Warns where the disk is smaller than what is allowed.
  static func room(_ finding: Finding, _ settings: SpoolSettings, _ freeBytes: Int?, usedBytes: Int) -> Finding {
    guard finding.severity != .problem, let freeBytes else { return finding }
    let roomBytes = freeBytes + usedBytes
    guard roomBytes < settings.limits.capBytes else { return finding }
    let text = "the disk has room for \(megabytes(roomBytes)) MB of the \(megabytes(settings.limits.capBytes)) MB"
    let remedies = ["make room there, or lower spool.cap_mb", finding.remedy].compactMap { $0 }
    return Finding(
      .warning, "spool", "\(finding.text); \(text) that spool.cap_mb allows", remedy: remedies.joined(separator: "; "))
  }

  private static func megabytes(_ bytes: Int) -> String { Decimal.text(Double(bytes) / 1e6, decimals: 2) }

  private static func contents(_ settings: SpoolSettings, of name: String) -> Finding {
    let folder = settings.directory
    let disk = LinuxDisk(folder: folder)
    do throws(DiskFailure) {
      try disk.open()
    } catch {
      if error.code == EWOULDBLOCK {
        return Finding(.good, "spool", "\(folder) is in use by a node that runs; \(room(settings))")
      }
      return trouble(error, folder)
    }
    let nowS = Double(MonotonicClock.monotonicNanoseconds()) * 1e-9
    var core = SpoolCore(disk: UntouchedDisk(disk), boot: 0, limits: settings.limits)
    let reports = core.open(atS: nowS)
    for case .opened(let found) in reports { return judge(found, settings, of: name) }
    for case .state(let state) in reports { if let failure = state.trouble { return trouble(failure, folder) } }
    return Finding(.warning, "spool", "\(folder) could not be read", remedy: "see what is wrong with the disk")
  }

  private static func judge(_ found: Spool.SpoolContents, _ settings: SpoolSettings, of name: String) -> Finding {
    let folder = settings.directory
    let events = found.lanes.reduce(0) { $0 + $1.events }
    let text = "\(folder): \(events == 0 ? "nothing waits" : "\(events) events wait"); \(room(settings))"
    let damage = found.damage.filter { $0.kind != .torn }
    if let first = damage.first {
      return Finding(
        .warning, "spool", "\(text); \(damage.count) places cannot be read, first \(first.file) at \(first.offset)",
        remedy: "what can be read is kept; look at the disk, and at \(folder)/damaged once the node has run")
    }
    if let former = found.formerOwner, former != name, events > 0 {
      if let aside = found.aside {
        return Finding(
          .problem, "spool", "\(text); they are of \(former), and \(aside.text(in: folder)): \(name) can keep nothing",
          remedy: "set node.id back to \(former), or move \(folder)/\(aside.folder) away")
      }
      return Finding(
        .warning, "spool", "\(text); they are of \(former), and \(name) would set them aside",
        remedy: "let \(former) send them first, or see OPERATIONS, Delivery")
    }
    if let aside = found.aside { return Finding(.warning, "spool", "\(text); \(aside.text(in: folder))") }
    return Finding(.good, "spool", text)
  }

  /// How much there is room for.
  private static func room(_ settings: SpoolSettings) -> String {
    let events = settings.limits.capBytes / eventBytes
    let days = Double(events) / 288
    return "room for some \(events) events, which is \(Int(days.rounded())) days at one every 5 min"
  }
}
