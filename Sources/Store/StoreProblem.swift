/// Why the database cannot be used or written just now: one line that says what, where and what to do.
public struct StoreProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of trouble it is.
  public enum Kind: String, CaseIterable, Sendable {
    /// No room: ENOSPC, EDQUOT.
    case full
    /// A read-only file system or file.
    case readOnly
    /// This user may not.
    case denied
    /// The folder is not there, or the file was taken away while it was open.
    case gone
    /// The disk answers with errors.
    case io
    /// The content contradicts itself.
    case corrupt
    /// Another process writes for too long.
    case busy
    /// Another judder-fleet has the file.
    case inUse
    /// From a newer version of this program.
    case newer
    /// From an older version of this program, and to be read only.
    case older
    /// A database of something else.
    case foreign
    /// Anything else that SQLite says.
    case other
  }

  /// What kind of trouble it is.
  public var kind: Kind
  /// One line, safe to show.
  public var description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// Waiting does not mend it.
  public var isFinal: Bool { [.inUse, .newer, .foreign].contains(kind) }

  /// The problem of a file, with what to do about it.
  init(_ kind: Kind, file: String, _ detail: String) {
    let remedy =
      switch kind {
      case .full: "make room on the disk, or lower store.cap_mb"
      case .readOnly: "mount the file system for writing"
      case .denied: "let this user write to the file and its folder"
      case .gone: "make the folder, or put another one under store.file"
      case .io: "look at the kernel's log: the disk may be failing"
      case .corrupt: "it is set aside at the next start, and what can be read is taken over"
      case .busy: "end the program that writes to it"
      case .inUse: "stop the other judder-fleet, or give this one another store.file"
      case .newer: "update judder-fleet, or give this one another store.file"
      case .older: "start judder-fleet run once, which brings it up to date"
      case .foreign: "give another file under store.file, or move this one away"
      case .other: "nothing was written; it is tried again"
      }
    self.init(kind, "\(file): \(detail); \(remedy)")
  }
  /// The problem of a file that is only read, with what to do about it.
  init(_ kind: Kind, reading file: String, _ detail: String) {
    let remedy =
      switch kind {
      case .gone: "judder-fleet run makes it; name another with --store or store.file"
      case .denied:
        "read it as its owner or one of its group; while judder-fleet run does not, its folder must be writable, too"
      case .io: "look at the kernel's log: the disk may be failing"
      case .corrupt: "judder-fleet run sets it aside at its next start, and takes over what can be read"
      case .newer: "update judder-fleet"
      case .older: "start judder-fleet run once, which brings it up to date"
      case .foreign: "name another with --store or store.file"
      case .full, .readOnly, .busy, .inUse, .other: "try again"
      }
    self.init(kind, "\(file): \(detail); \(remedy)")
  }
}
