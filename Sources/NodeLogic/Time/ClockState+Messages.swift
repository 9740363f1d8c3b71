internal import Telemetry

extension ClockState {
  /// Messages have room for the years 1970 to 2199. A calendar that was set so that the start of this run is outside
  /// of them, or close to their ends, tells nothing: its times are those of a run that began then, worth `none`, and
  /// keep their distances.
  var forMessages: ClockState {
    // With a minute for what was measured just before the start, and fifty years for a run.
    let latest = 5_680_281_600.0
    if (0...latest).contains(wallAtStart.seconds) { return self }
    return ClockState(wallAtStart: WallTime(seconds: wallAtStart.seconds < 0 ? 60 : latest), quality: .none)
  }
}
