internal import Foundation

/// The clock on the wall of programs under test, set while they run: libfaketime, Debian's package `faketime`.
///
/// Only CLOCK_REALTIME is changed, as by a person, an RTC without a battery or a wrong time server; what counts from
/// the start of the machine goes on. What the kernel keeps by itself, such as the times of files, stays right.
public final class SteppedClock {
  /// The library that is loaded into the programs; nil where the package is not installed.
  public static let library: String? = {
    let roots = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
    return roots.map { "/usr/lib/\($0)/faketime/libfaketimeMT.so.1" }.first {
      FileManager.default.fileExists(atPath: $0)
    }
  }()

  /// Whether there is one.
  public static var isHere: Bool { library != nil }

  private let place: Workplace

  /// A clock that is right until it is stepped.
  public init() throws {
    place = try Workplace("clock")
    try step(to: 0)
  }

  /// What a program needs in its environment to have this clock.
  public var environment: [String: String] {
    [
      "LD_PRELOAD": SteppedClock.library ?? "", "FAKETIME_TIMESTAMP_FILE": place.path("offset"),
      "FAKETIME_NO_CACHE": "1",
      "FAKETIME_DONT_FAKE_MONOTONIC": "1",
      "NO_FAKE_STAT": "1",
    ]
  }

  /// Sets it, for all its programs at once.
  ///
  /// - Parameter offsetS: how far it is ahead of the machine's clock; below 0: behind.
  public func step(to offsetS: Int) throws {
    try place.write("offset", "\(offsetS < 0 ? "" : "+")\(offsetS)\n")
  }
}
