internal import Daemon
internal import Glibc

/// A system call on a file that failed: what was tried, where, and errno.
public struct SystemFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried, in words: `read`, `open`, `write 1 to`.
  public let operation: String
  public let path: String
  /// errno(3).
  public let code: Int32

  public init(operation: String, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  public var description: String { "\(operation) \(path): \(systemErrorText(code))" }

  /// The kernel denied access.
  var isPermission: Bool { code == EACCES || code == EPERM }

  /// There is no such attribute here.
  var isAbsence: Bool { code == ENOENT || code == ENOTDIR }

  /// The device has left: the kernel answers so once its driver is unbound.
  var isRemoval: Bool { code == ENODEV || code == ENOENT || code == ENXIO }

  /// What buses and busy buffers answer now and then, and what another try may cure.
  var isPassing: Bool { [EBUSY, EIO, EREMOTEIO, ETIMEDOUT, EAGAIN].contains(code) }
}
