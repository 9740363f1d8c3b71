public import Telemetry

/// One client's conversation with gpsd, as a value: what happened goes in, what to do comes out.
///
/// Connect, wait for the banner, watch, check the echo, and then mind the silence: a receiver that came back without
/// gpsd being told sends nothing until a client watches again. The ladder is WATCH again, ask for the devices, connect
/// anew; each round waits twice as long as the one before. Now and then it stays away for so long that gpsd closes the
/// receiver and opens it anew: gpsd 3.22 may take one for open that is long gone. `?POLL` is never sent: it repeats an
/// old fix under a new time.
public struct GpsdSession: Sendable {
  /// What happened to the socket, or `tick` for nothing but time.
  public enum Input: Equatable, Sendable {
    case tick
    case connected
    /// The attempt failed; one line.
    case connectFailed(reason: String)
    case received([UInt8])
    /// The other side closed, or an error ended the connection; one line.
    case closed(reason: String)
  }

  /// What the shell is to do, in order.
  public enum Effect: Equatable, Sendable {
    /// Open a connection; there is none.
    case connect
    case send([UInt8])
    /// Close the connection, or give the attempt up; nothing about it is reported any more.
    case close
    case deliver(GpsdInput)
  }

  enum Phase: Equatable {
    case waiting(until: Instant)
    case connecting(deadline: Instant)
    case awaitingBanner(deadline: Instant)
    case awaitingEcho(deadline: Instant)
    case watching
  }

  public let settings: Settings
  /// Lines of classes that do not matter, by class; classes beyond the 32nd count as "other".
  public private(set) var ignored: [String: Int] = [:]
  /// Connections made so far.
  public private(set) var connects = 0

  var phase = Phase.waiting(until: .start)
  var silence = SilenceLadder()
  private let random: @Sendable () -> Double
  private var reader = GpsdLineReader()
  private var release: String?
  private var failures = 0
  private var upSince: Instant?
  /// By gpsd's last list, it has the receiver that is watched, and open.
  private var isReceiverListed = false
  /// The refusal that was delivered, until a request was taken: said once, however often gpsd repeats it.
  private var lastError: String?
  /// The last state that was delivered.
  private var link: LinkState?

  private enum LinkState: Equatable {
    case up
    case down(cause: String)
  }

  /// - Parameter random: answers a number in 0..<1, for the jitter of the pauses.
  public init(_ settings: Settings, random: @escaping @Sendable () -> Double) {
    self.settings = settings
    self.random = random
  }

  /// When `tick` is due at the latest.
  public var nextDeadline: Instant {
    switch phase {
    case .waiting(let until): until
    case .connecting(let deadline), .awaitingBanner(let deadline), .awaitingEcho(let deadline): deadline
    case .watching: silence.due
    }
  }

  /// Takes what happened on the connection, or that a deadline was reached.
  public mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
    var effects: [Effect] = []
    switch input {
    case .tick: tick(at: now, &effects)
    case .connected:
      guard case .connecting = phase else { break }
      connects += 1
      reader.reset()
      phase = .awaitingBanner(deadline: now + settings.bannerS)
    case .connectFailed(let reason), .closed(let reason):
      if case .waiting = phase { break }
      retreat(because: reason, closing: false, at: now, &effects)
    case .received(let bytes):
      for piece in reader.append(bytes) { take(piece, at: now, &effects) }
    }
    return effects
  }

  private mutating func tick(at now: Instant, _ effects: inout [Effect]) {
    guard now >= nextDeadline else { return }
    switch phase {
    case .waiting:
      phase = .connecting(deadline: now + settings.connectS)
      effects.append(.connect)
    case .connecting:
      retreat(because: "no connection within \(seconds(settings.connectS))", at: now, &effects)
    case .awaitingBanner:
      let why = "connected, but no VERSION banner within \(seconds(settings.bannerS)): is gpsd behind that port?"
      retreat(because: why, at: now, &effects)
    case .awaitingEcho:
      retreat(because: "no answer to WATCH within \(seconds(settings.echoS))", at: now, &effects)
    case .watching:
      climb(at: now, &effects)
    }
  }

  // MARK: Lines

  private mutating func take(_ piece: GpsdLineReader.Piece, at now: Instant, _ effects: inout [Effect]) {
    switch phase {
    // A line of this read already ended the connection.
    case .waiting, .connecting: return
    case .awaitingBanner, .awaitingEcho, .watching: break
    }
    switch piece {
    case .tooLong: effects.append(.deliver(.unreadable(.tooLong)))
    case .line(let line):
      switch GpsdReport.decode(line) {
      case .failure(let problem): effects.append(.deliver(.unreadable(problem)))
      case .success(let report): take(report, at: now, &effects)
      }
    }
  }

  private mutating func take(_ report: GpsdReport, at now: Instant, _ effects: inout [Effect]) {
    guard isWatched(report) else { return }
    silence.heard(report, at: now, settings)
    switch report {
    case .version(let version):
      release = version.release
      guard case .awaitingBanner = phase else { return }
      phase = .awaitingEcho(deadline: now + settings.echoS)
      effects.append(.send(settings.watchRequest))
    case .watch(let echo): check(echo, at: now, &effects)
    case .error(let message): refused(message, report, at: now, &effects)
    case .ignored(let kind): count(kind)
    case .devices(let list):
      isReceiverListed = list.contains { $0.isActivated && (settings.device == nil || $0.path == settings.device) }
      effects.append(.deliver(.report(report)))
    case .position, .sky, .device: effects.append(.deliver(.report(report)))
    }
  }

  /// gpsd takes a WATCH that it cannot read as one without JSON, so that the echo has to be looked at.
  private mutating func check(_ echo: GpsdWatch, at now: Instant, _ effects: inout [Effect]) {
    guard echo.isEnabled, echo.isJSON else {
      return retreat(because: "gpsd did not take the WATCH: it answers enable or json false", at: now, &effects)
    }
    lastError = nil
    if case .awaitingEcho = phase { arrive(at: now, &effects) }
  }

  /// A device that gpsd does not know is an answer: gpsd works, and the device is not there (yet).
  private mutating func refused(
    _ message: String, _ report: GpsdReport, at now: Instant, _ effects: inout [Effect]
  ) {
    if message != lastError { effects.append(.deliver(.report(report))) }
    lastError = message
    guard case .awaitingEcho = phase, settings.device != nil else { return }
    arrive(at: now, &effects)
    effects.append(.send(Settings.devicesRequest))
    silence.asked(at: now, settings)
  }

  /// Whether a report is about the pinned device, or about none in particular.
  private func isWatched(_ report: GpsdReport) -> Bool {
    let device: String?
    switch report {
    case .position(let position): device = position.device
    case .sky(let sky): device = sky.device
    default: device = nil
    }
    return settings.device == nil || device == nil || device == settings.device
  }

  private mutating func count(_ kind: String) {
    let key = ignored.count < 32 || ignored[kind] != nil ? kind : "other"
    ignored[key, default: 0] += 1
  }

  // MARK: Up and down

  private mutating func arrive(at now: Instant, _ effects: inout [Effect]) {
    phase = .watching
    upSince = now
    silence.start(at: now, settings)
    guard link != .up else { return }
    link = .up
    effects.append(.deliver(.link(.up(release: release))))
  }

  /// Asks a silent gpsd again, or gives the connection up.
  private mutating func climb(at now: Instant, _ effects: inout [Effect]) {
    switch silence.next(at: now, settings) {
    case .watch: effects.append(.send(settings.watchRequest))
    case .devices: effects.append(.send(Settings.devicesRequest))
    // gpsd answers, so that neither is a loss of gpsd: nothing is said unless the new connection fails.
    case .release where isReceiverListed:
      effects.append(.close)
      phase = .waiting(until: now + settings.releaseS)
    case .reconnect, .release:
      effects += [.close, .connect]
      phase = .connecting(deadline: now + settings.connectS)
    case .giveUp:
      retreat(because: "no answer within \(seconds(settings.answerS))", at: now, &effects)
    }
  }

  private mutating func retreat(
    because cause: String, closing: Bool = true, at now: Instant, _ effects: inout [Effect]
  ) {
    if closing { effects.append(.close) }
    if let upSince, now >= upSince + settings.stableS { failures = 0 }
    upSince = nil
    let longest = min(settings.backoffS * Double(1 << min(failures, 20)), settings.longestBackoffS)
    // Between half and the whole, so that nodes that lost the same gpsd do not come back in step.
    let pause = longest * (0.5 + 0.5 * random())
    failures += 1
    phase = .waiting(until: now + pause)
    guard link != .down(cause: cause) else { return }
    link = .down(cause: cause)
    effects.append(.deliver(.link(.down(reason: cause))))
  }
}

/// `0.7 s`, for people.
private func seconds(_ value: Double) -> String { "\((value * 10).rounded() / 10) s" }
