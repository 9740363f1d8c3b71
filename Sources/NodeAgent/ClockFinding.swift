internal import BrokerLink
internal import MQTT
internal import NodeLogic
internal import Telemetry

extension CheckCommand {
  /// What the machine's clock is worth to the node.
  ///
  /// - Parameter fix: what gpsd gave; nil without one.
  static func clock(
    _ state: ClockState, at now: Instant, _ configuration: NodeConfiguration, fix: Fix? = nil
  ) -> Finding {
    let wall = state.wall(at: now)
    let usesGPS = configuration.gpsd != nil
    let (fixText, isFixWrong) = usesGPS ? gpsTime(fix, state) : ("", false)
    switch state.quality {
    case .ntp, .gps: return Finding(.good, "clock", "\(wall.rfc3339), disciplined: messages are marked clk ntp")
    case .rtc:
      let better = usesGPS ? "NTP, or GPS once there is a fix" : "NTP"
      return Finding(.good, "clock", "\(wall.rfc3339), set once and not disciplined: clk rtc until \(better)\(fixText)")
    case .none: break
    }
    let better = usesGPS ? "time comes from GPS, once there is a fix, or from NTP" : "time comes from NTP"
    var text = "\(wall.rfc3339), nothing vouches for it: messages are marked clk none until \(better)\(fixText)"
    let needsClock = !usesGPS || isFixWrong
    if case .certificates(_) = configuration.broker.security {
      text += "; TLS certificates may be refused" + (needsClock ? "" : " until then")
    }
    guard needsClock else { return Finding(.good, "clock", text) }
    return Finding(.warning, "clock", text, remedy: "let systemd-timesyncd or chrony set it")
  }

  /// The time that certificates are to be held against instead of the system clock's [s since 1970]: that of a fix,
  /// where nothing disciplines the clock. Nil: the clock is as good, or there is no time.
  static func trustedTimeS(_ state: ClockState, at now: Instant, fix: Fix?) -> Double? {
    guard state.quality != .ntp, let fix, let time = fix.time, !gpsTime(fix, state).isWrong else { return nil }
    return time.seconds + (now - fix.receivedAt)
  }

  /// What the time of a fix is, and whether it is of no use.
  private static func gpsTime(_ fix: Fix?, _ state: ClockState) -> (text: String, isWrong: Bool) {
    guard let fix, let time = fix.time else { return ("", false) }
    let verdict = FixTimeVerdict(time, at: (state.wall(at: fix.receivedAt), state.quality))
    guard verdict == .plausible else { return ("; the fix says \(time.rfc3339), which cannot be true", true) }
    return ("; the fix says \(time.rfc3339)", false)
  }
}
