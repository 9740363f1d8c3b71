internal import CLinux
internal import Glibc
public import Telemetry

/// Random numbers of the kernel: getrandom(2).
public enum RandomSource {
  /// A name for this run of the program.
  ///
  /// - Throws: when the kernel refuses, which only a system call filter makes it do.
  public static func bootID() throws(Termination) -> BootID { BootID(UInt32(truncatingIfNeeded: try number())) }

  /// A number to start a generator with.
  public static func number() throws(Termination) -> UInt64 {
    var number: UInt64 = 0
    guard judder_random(&number, MemoryLayout<UInt64>.size) == 0 else {
      throw Termination(.unavailable, ["getrandom: \(systemErrorText(errno))"])
    }
    return number
  }
}
