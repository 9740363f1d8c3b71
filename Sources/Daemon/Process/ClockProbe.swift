internal import CLinux
internal import Glibc
public import Telemetry

/// Finds out what the machine's calendar time is worth.
public struct ClockProbe: Sendable {
  private let clock: MonotonicClock
  private let root: String

  /// - Parameter root: the folder that stands for `/`, where `dev/rtc*` and `sys/class/rtc` are looked for.
  public init(clock: MonotonicClock = .process, root: String = "/") {
    self.clock = clock
    self.root = root.hasSuffix("/") ? root : root + "/"
  }

  /// The state just now.
  ///
  /// `ntp` when the kernel's clock is disciplined: adjtimex(2) without STA_UNSYNC and not TIME_ERROR. Otherwise `rtc`
  /// when the time is plausible and the machine has a battery-backed clock to have it from. Otherwise `none`.
  public func read() -> ClockState {
    let before = clock.now()
    let wall = clock.wallClock()
    let after = clock.now()
    let middle = before.seconds + (after - before) / 2
    let quality = ClockProbe.quality(
      isSynchronised: judder_clock_is_synchronised() == 1, wall: wall, hasRealTimeClock: hasRealTimeClock())
    return ClockState(wallAtStart: wall + -middle, quality: quality)
  }

  /// The decision of `read`.
  static func quality(isSynchronised: Bool, wall: WallTime, hasRealTimeClock: Bool) -> ClockQuality {
    if isSynchronised { return .ntp }
    return wall >= .plausibleFrom && hasRealTimeClock ? .rtc : .none
  }

  /// Whether the machine has a clock that goes on while it is off.
  func hasRealTimeClock() -> Bool {
    if ["dev/rtc", "dev/rtc0"].contains(where: { access(root + $0, F_OK) == 0 }) { return true }
    guard let folder = opendir(root + "sys/class/rtc") else { return false }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      // The name of an entry is never empty; `.` and `..` begin with a dot.
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { return true }
    }
    return false
  }
}
