internal import CLinux
internal import Glibc
public import NodeLogic
public import Telemetry

/// Asks gpsd once what it is, which receivers it has and whether there is a fix: for `judder-node check`.
public enum GpsdProbe {
  /// What was found, in the order of asking.
  public enum Finding: Equatable, Sendable {
    /// gpsd does not answer; one line.
    case unreachable(String)
    case answers(release: String?)
    case noDevice
    /// The pinned device is none of those that gpsd has.
    case deviceMissing(String, known: [String])
    case device(GpsdDevice)
    /// The receiver is there and said nothing in the time given [s].
    case silent(afterS: Double)
    /// Satellites in the solution, and heard, where the receiver says so.
    case noFix(used: Int?, seen: Int?)
    case simulated
    case fix(Fix)
    /// The best fix in the time given is worse than the accuracy asked for.
    case inaccurate(Fix, limitM: Double)
    /// The time of the fix is not what the host's clock says.
    case fixTime(FixTimeCheck)
  }

  /// Blocks for `seconds` at the most, and until the first fix that would be used otherwise.
  ///
  /// - Parameters:
  ///   - maxAccuracyM: a fix that is worse would be rejected [m]; 0: none would.
  ///   - clock: the host's, to hold the time of a fix against; nil: it is not looked at.
  ///   - seconds: > 0. gpsd opens a serial receiver only when it is asked, and may try several speeds: allow some.
  ///   - now: the monotonic clock.
  public static func run(
    host: String, port: UInt16, device: String? = nil, maxAccuracyM: Double = 0, clock: ClockState? = nil,
    seconds: Double = 8, now: () -> Instant
  ) -> [Finding] {
    let client = GpsdClient(host: host, port: port, settings: GpsdSession.Settings(device: device))
    let begin = now()
    let end = begin + seconds
    var heard = Heard(device: device, maxAccuracyM: maxAccuracyM)
    // The session starts at `Instant.start`, which is past: the first tick connects.
    heard.take(client.tick(at: begin), at: begin)
    while now() < end, !heard.isDone {
      wait(for: client, until: min(end, client.nextDeadline), now: now(), &heard)
      let moment = now()
      heard.take(client.tick(at: moment), at: moment)
    }
    return heard.findings(afterS: seconds, clock: clock)
  }

  private static func wait(for client: GpsdClient, until due: Instant, now: Instant, _ heard: inout Heard) {
    let milliseconds = Int32(min(max((due - now) * 1000, 0), 1000).rounded(.up))
    let events = (client.wantsRead ? Int16(POLLIN) : 0) | (client.wantsWrite ? Int16(POLLOUT) : 0)
    // A negative descriptor is not polled: then this only waits.
    var poller = pollfd(fd: client.descriptor ?? -1, events: events, revents: 0)
    guard poll(&poller, 1, milliseconds) > 0 else { return }
    if poller.revents & Int16(POLLOUT) != 0 { heard.take(client.handleWritable(at: now), at: now) }
    if poller.revents & ~Int16(POLLOUT) != 0 { heard.take(client.handleReadable(at: now), at: now) }
  }

  /// What gpsd said so far.
  private struct Heard {
    let device: String?
    let maxAccuracyM: Double
    var failure: String?
    var release: String?
    var isUp = false
    var devices: [GpsdDevice] = []
    var sky: GpsdSky?
    var fix: Fix?
    var hasReport = false
    var isSimulated = false

    init(device: String?, maxAccuracyM: Double) {
      self.device = device
      self.maxAccuracyM = maxAccuracyM
    }

    /// A fix with an accuracy that will do, or a refusal.
    var isDone: Bool { failure != nil || fix?.accuracy != nil && !isTooInaccurate }

    var isTooInaccurate: Bool {
      guard maxAccuracyM > 0, let accuracy = fix?.accuracy else { return false }
      return accuracy.metres > maxAccuracyM
    }

    mutating func take(_ inputs: [GpsdInput], at now: Instant) {
      for input in inputs {
        switch input {
        case .link(.down(let reason)): failure = failure ?? reason
        case .link(.up(let release)):
          isUp = true
          self.release = release
        case .report(let report): take(report, at: now)
        case .unreadable: break
        }
      }
    }

    private mutating func take(_ report: GpsdReport, at now: Instant) {
      switch report {
      case .devices(let list): devices = list
      case .device(let device):
        devices.removeAll { $0.path == device.path }
        devices.append(device)
      case .sky(let sky): self.sky = sky
      case .position(let position):
        hasReport = true
        isSimulated = position.isSimulated && position.coordinate != nil
        if !isSimulated { fix = Fix(position, at: now) ?? fix }
      default: break
      }
    }

    func findings(afterS seconds: Double, clock: ClockState?) -> [Finding] {
      guard isUp else { return [.unreachable(failure ?? "no answer within \(seconds) s")] }
      return [.answers(release: release)] + deviceFindings(afterS: seconds) + timeFindings(clock)
    }

    private func timeFindings(_ clock: ClockState?) -> [Finding] {
      guard let clock, let fix, let time = fix.time else { return [] }
      let check = FixTimeCheck(time, host: clock, received: fix.receivedAt)
      return check.isOff ? [.fixTime(check)] : []
    }

    private func deviceFindings(afterS seconds: Double) -> [Finding] {
      let present = devices.filter { $0.isActivated && (device == nil || $0.path == device) }
      guard !present.isEmpty else {
        return [device.map { .deviceMissing($0, known: devices.compactMap(\.path)) } ?? .noDevice]
      }
      return present.map { .device($0) } + [positionFinding(afterS: seconds)]
    }

    private func positionFinding(afterS seconds: Double) -> Finding {
      if let fix { return isTooInaccurate ? .inaccurate(fix, limitM: maxAccuracyM) : .fix(fix) }
      if isSimulated { return .simulated }
      return hasReport || sky != nil ? .noFix(used: sky?.used, seen: sky?.seen) : .silent(afterS: seconds)
    }
  }
}

extension GpsdProbe.Finding {
  /// Whether something is to be done about it.
  public var isProblem: Bool {
    switch self {
    case .answers, .device, .fix, .fixTime: false
    case .unreachable, .noDevice, .deviceMissing, .silent, .noFix, .simulated, .inaccurate: true
    }
  }

  /// Whether it works, and could be better.
  public var isWarning: Bool { if case .fixTime = self { true } else { false } }

  /// The fix that was found, good or bad.
  public var fix: Fix? {
    switch self {
    case .fix(let fix), .inaccurate(let fix, _): fix
    default: nil
    }
  }

  /// One line: what was found.
  public var text: String {
    switch self {
    case .unreachable(let reason): return reason
    case .answers(let release): return "gpsd \(release ?? "of an unknown version") answers"
    case .noDevice: return "gpsd has no receiver"
    case .deviceMissing(let path, let known):
      let list = known.isEmpty ? "none" : known.map { SafeText.escaped($0) }.joined(separator: ", ")
      return "gpsd does not have \(SafeText.escaped(path)); it has \(list)"
    case .device(let device):
      return "receiver \(SafeText.escaped(device.path ?? "?"))\(device.driver.map { " (\($0))" } ?? "")"
    case .silent(let seconds): return "the receiver said nothing for \(seconds) s"
    case .noFix(let used, let seen):
      let heard = seen.map { ", \($0) satellites heard, \(used ?? 0) used" } ?? ""
      return "no fix\(heard)"
    case .simulated: return "the position comes from a simulator and is not published"
    case .fix(let fix): return fix.sentence
    case .inaccurate(let fix, let limitM):
      return "\(fix.sentence): would be rejected, location.max_accuracy_m is \(limitM) m"
    case .fixTime(let check): return "the receiver's time is \(check.time.rfc3339), \(check.text)"
    }
  }

  /// What to do about it; nil where nothing is.
  public var remedy: String? {
    switch self {
    case .answers, .device, .fix: nil
    case .unreachable: "start gpsd (systemctl start gpsd.socket), or correct [gpsd] host and port"
    case .noDevice: "plug the receiver in, and name it in DEVICES of /etc/default/gpsd (or gpsdctl add PATH)"
    case .deviceMissing: "correct [gpsd] device, or leave it out to take any receiver"
    case .silent: "check the receiver's cable and speed: gpsmon shows what it sends"
    case .noFix: "give the antenna a view of the sky; a cold start takes minutes"
    case .simulated: "switch the receiver's simulation off"
    case .inaccurate: "raise location.max_accuracy_m or improve the antenna"
    case .fixTime(let check):
      check.rollovers == 0
        ? "set the host's clock, or look into the receiver"
        : "update the receiver's firmware; positions are good, and fix_t_rollovers is published"
    }
  }
}
