internal import Telemetry

/// What to do about a gpsd that reports nothing: the steps, and when the next one is due.
struct SilenceLadder: Equatable, Sendable {
  enum Step: Equatable {
    case watch
    case devices
    case reconnect
    /// Nobody watches for a while, so that gpsd lets go of a receiver that it takes for open.
    case release
    /// gpsd owes an answer and did not give it.
    case giveUp
  }

  /// The first release comes after so many silent rounds, the others so many rounds apart.
  static let roundsBeforeRelease = 4
  static let roundsBetweenReleases = 8

  private(set) var due = Instant.start
  private var step = Step.watch
  /// When the answer to the last question is due; nil when none is owed.
  private var answerDue: Instant?
  /// Silent rounds so far: each waits twice as long as the one before.
  private var rounds = 0

  /// A connection has just begun to watch. Rounds of the connection before count on.
  mutating func start(at now: Instant, _ settings: GpsdSession.Settings) {
    step = .watch
    answerDue = nil
    due = now + pause(settings)
  }

  /// A question was sent outside the ladder.
  mutating func asked(at now: Instant, _ settings: GpsdSession.Settings) {
    answerDue = now + settings.answerS
    due = min(due, now + settings.answerS)
  }

  /// Any line is an answer; a report from a receiver ends the silence.
  mutating func heard(_ report: GpsdReport, at now: Instant, _ settings: GpsdSession.Settings) {
    switch report {
    case .position, .sky:
      rounds = 0
      start(at: now, settings)
    // Reports that are none of a position, of an AIS receiver for one, say nothing about the receiver that is silent.
    case .version, .devices, .device, .watch, .error, .ignored:
      guard answerDue != nil else { return }
      answerDue = nil
      switch step {
      case .watch: due = now + pause(settings)
      case .devices: due = now + settings.devicesAfterWatchS
      case .reconnect, .release, .giveUp: due = now + pause(settings)
      }
    }
  }

  /// The step that is due at `now`; sets when the one after it is.
  mutating func next(at now: Instant, _ settings: GpsdSession.Settings) -> Step {
    if answerDue != nil { return .giveUp }
    let current = step
    switch current {
    case .watch: step = .devices
    case .devices: step = .reconnect
    case .reconnect, .release, .giveUp:
      rounds += 1
      return rounds % SilenceLadder.roundsBetweenReleases == SilenceLadder.roundsBeforeRelease ? .release : .reconnect
    }
    answerDue = now + settings.answerS
    due = now + settings.answerS
    return current
  }

  private func pause(_ settings: GpsdSession.Settings) -> Double {
    min(settings.silenceS * Double(1 << min(rounds, 10)), settings.longestSilenceS)
  }
}
