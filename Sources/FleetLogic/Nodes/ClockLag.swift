internal import Telemetry

/// How far the clock of a run is behind the fleet tool's, by what came live: a node whose clock is slow has no old news
/// for that.
///
/// The least lag of several messages counts, since a message may take long on its way and none comes early.
struct ClockLag: Equatable, Sendable {
  /// A clock that falls behind by more than this at once was set back [s].
  static let setBackS = 1.0

  /// From the time of measurement to the receipt, by the fleet tool's monotonic time: what sets its clock changes no lag.
  private var offsetS: Double
  /// When the run started, by its clock.
  private var started: WallTime
  /// It was heard in this run of the fleet tool.
  private var isFirm: Bool

  /// - Parameter isFirm: false for what an earlier run of the fleet tool heard.
  init(measured: WallTime, uptime: Double, heard: Instant, isFirm: Bool) {
    offsetS = heard.seconds - measured.seconds
    started = measured + -uptime
    self.isFirm = isFirm
  }

  /// Takes another message's lag in.
  mutating func take(_ new: ClockLag) {
    let isSetBack = new.started < started + -Self.setBackS
    if isSetBack || new.isFirm && !isFirm {
      self = new
    } else if new.isFirm || !isFirm {
      offsetS = min(offsetS, new.offsetS)
      started = new.started
    }
  }

  /// By the fleet tool's clock as it is now; never below 0 [s].
  func seconds(by clock: ClockState) -> Double { max(0, clock.wallAtStart.seconds + offsetS) }
}
