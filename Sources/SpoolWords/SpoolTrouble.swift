internal import Glibc
public import Spool

/// Why the spool's folder takes nothing, in words for whoever looks after the node: the same for every call that fails
/// for one reason.
public struct SpoolTrouble: Equatable, Sendable {
  /// What is wrong, and where.
  public let text: String
  /// What to do about it.
  public let remedy: String

  /// - Parameters:
  ///   - failure: as the disk told it.
  ///   - folder: the spool's, as people know it.
  public init(_ failure: DiskFailure, folder: String) {
    (text, remedy) =
      switch (failure.call, failure.code) {
      case ("format", _):
        (
          "\(folder)/\(failure.name) was written by a newer version, and the folder is left alone",
          "run that version, or move the folder away"
        )
      case ("owner", _):
        (
          "\(folder) keeps events of \(failure.name), another name of this node, and others are set aside already",
          "set node.id back, or move \(folder)/other-* away"
        )
      case ("flock", EWOULDBLOCK):
        ("\(folder) is in use by another process", "end that one, or set another spool.directory")
      case (_, ENOSPC), (_, EDQUOT):
        ("no space left on the disk of \(folder)", "make room there, or lower spool.cap_mb")
      case (_, EROFS): ("the file system of \(folder) is read-only", "mount it for writing")
      case (_, EACCES), (_, EPERM):
        ("\(folder): \(failure.errorText)", "let this user write there, or set another spool.directory")
      case ("mkdir", ENOENT):
        ("\(folder): \(failure.errorText)", "make the folder above it, or set another spool.directory")
      case (_, ENOENT):
        ("\(folder) was removed while it was in use", "start the node again, which makes it anew")
      case (_, ENOTDIR): ("\(folder) is no folder", "set spool.directory to a folder")
      default:
        (
          "the disk of \(folder) fails: \(failure.errorText)",
          "look at the disk, and replace it if it is worn"
        )
      }
  }

  /// Both.
  var sentence: String { "\(text); \(remedy)" }
}
