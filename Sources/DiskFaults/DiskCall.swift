/// A call of the spool to its disk.
public struct DiskCall: Equatable, Sendable {
  /// Which one.
  public enum Kind: String, CaseIterable, Sendable {
    case open, list, create, append, sync, read, truncate, rename, unlink, syncDirectory
    /// Whether it changes anything on the medium.
    public var isWrite: Bool { ![.open, .list, .read].contains(self) }
  }

  public let kind: Kind
  /// The file that it is about.
  public let name: String
  /// Its place among all calls, from 1.
  public let number: Int
}
