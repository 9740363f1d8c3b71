internal import CLinux
internal import Glibc

/// What the process costs. Nil where the system does not say.
public struct ProcessUsage: Equatable, Sendable {
  /// Resident memory [kB].
  public var residentKB: Int?
  /// CPU time of all threads since the start [s].
  public var cpuSeconds: Double?

  /// This moment: the second field of `self/statm` (proc(5)) and getrusage(2).
  ///
  /// - Parameter procRoot: the folder that stands for `/proc`.
  public static func read(procRoot: String = "/proc") -> ProcessUsage {
    var usage = ProcessUsage(residentKB: residentKB("\(procRoot)/self/statm"))
    var peakKB: Int64 = 0
    var cpu = 0.0
    if judder_usage(&peakKB, &cpu) == 0 { usage.cpuSeconds = cpu }
    return usage
  }

  private static func residentKB(_ path: String) -> Int? {
    guard let bytes = try? readSmallFile(path, limit: 1024) else { return nil }
    let fields = bytes.split(separator: UInt8(ascii: " "))
    guard fields.count >= 2, let pages = Int(String(decoding: fields[1], as: UTF8.self)), pages >= 0 else { return nil }
    let (kilobytes, overflow) = pages.multipliedReportingOverflow(by: Int(sysconf(Int32(_SC_PAGESIZE))) / 1024)
    return overflow ? nil : kilobytes
  }
}
