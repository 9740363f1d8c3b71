/// The folder that the spool lives in: what it needs of a file system, so that a simulated one can stand in.
///
/// Names are those of files in the folder, or of files in `damaged/` within it, which comes into being when it is
/// first written to.
public protocol SpoolDisk: AnyObject {
  /// Makes the folder where it is missing, and takes it for this process alone; EWOULDBLOCK: another has it.
  func open() throws(DiskFailure)

  /// Gives the folder back.
  func close()

  /// The files of the folder itself (`nil`) or of one within it, in any order; none when it does not exist.
  func list(_ folder: String?) throws(DiskFailure) -> [DiskEntry]

  /// Makes a file that must not exist (EEXIST), to be appended to.
  func create(_ name: String) throws(DiskFailure) -> DiskFile

  /// Writes all bytes at the file's end. After a failure some of them may be there.
  func append(_ bytes: [UInt8], to file: DiskFile) throws(DiskFailure)

  /// Brings all that was appended to the medium: fdatasync(2).
  func sync(_ file: DiskFile) throws(DiskFailure)

  /// Brings all that any process has written to a file to the medium.
  func sync(_ name: String) throws(DiskFailure)

  /// Lets a file go. Not a sync.
  func close(_ file: DiskFile)

  /// Reads up to `count` bytes, fewer only at the file's end.
  func read(_ name: String, from offset: Int, count: Int) throws(DiskFailure) -> [UInt8]

  /// Cuts a file off.
  func truncate(_ name: String, to sizeBytes: Int) throws(DiskFailure)

  /// Gives a file another name, in place of a file that has it.
  func rename(_ name: String, to other: String) throws(DiskFailure)

  /// Removes a name.
  func unlink(_ name: String) throws(DiskFailure)

  /// Brings names made, changed and removed in the folder itself to the medium: fsync(2) of a folder.
  func syncDirectory() throws(DiskFailure)

  /// How many bytes a program may still write; nil when it is not known. Writes nothing.
  func freeBytes() -> Int?
}

/// A file that is open for appending; what the number means is the disk's own matter.
public struct DiskFile: Hashable, Sendable {
  /// Unique among the files that are open.
  public let number: Int32

  public init(number: Int32) {
    self.number = number
  }
}

/// A file in a folder.
public struct DiskEntry: Equatable, Sendable {
  /// Its name, without that of the folder, and its length.
  public let name: String
  public let sizeBytes: Int

  public init(name: String, sizeBytes: Int) {
    self.name = name
    self.sizeBytes = sizeBytes
  }
}

/// Why the disk did not do what it was asked.
public struct DiskFailure: Error, Equatable, Sendable {
  /// The system call, such as `write`.
  public let call: String
  /// errno
  public let code: Int32
  /// What it was about.
  public let name: String

  public init(call: String, code: Int32, name: String) {
    self.call = call
    self.code = code
    self.name = name
  }
}
