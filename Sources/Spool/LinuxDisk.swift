/// A folder of a Linux file system.
public final class LinuxDisk {
  let folder: String

  /// - Parameter folder: its path; made, with mode 0750, when it is missing and the folder above it exists.
  public init(folder: String) {
    self.folder = folder
  }
}
