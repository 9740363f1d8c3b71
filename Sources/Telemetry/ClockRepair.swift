// Times that were given before the clock was known are put right by the monotonic time beside them.

extension Envelope {
  /// What the node's clock showed at its start, by this message, and what that is worth; nil in a will.
  public var clockState: ClockState? {
    guard let time, let clock, let uptime else { return nil }
    return ClockState(wallAtStart: time + -uptime, quality: clock)
  }

  /// When the content was measured, by a clock of the same boot where that is worth more than the message's own:
  /// `t_known - (up_known - up)`. Nil where it is not, and in a will.
  public func repairedTime(by better: ClockState) -> WallTime? {
    guard let uptime, let clock, better.quality.isWorthMore(than: clock) else { return nil }
    return better.wall(at: Instant(seconds: uptime))
  }
}

extension Telegram {
  /// The same message with its times put right by a clock of the same boot, and the worth of that clock. Nil where that
  /// is not worth more than the message's own.
  ///
  /// Every time that the node's clock gave moves by the same amount; `fix_t` is the receiver's, and stays.
  public func repaired(by better: ClockState) -> Telegram? {
    guard let time = envelope.time, let right = envelope.repairedTime(by: better) else { return nil }
    var telegram = self
    telegram.envelope.time = right
    telegram.envelope.clock = better.quality
    telegram.body.moveTimes(by: right - time)
    return telegram
  }
}

extension Telegram.Body {
  /// Moves what the node's own clock gave [s].
  fileprivate mutating func moveTimes(by seconds: Double) {
    switch self {
    case .shake(var message):
      message.start = message.start + seconds
      message.end = message.end.map { $0 + seconds }
      self = .shake(message)
    case .waveform(var message):
      message.start = message.start + seconds
      self = .waveform(message)
    case .impact(var message):
      message.start = message.start + seconds
      self = .impact(message)
    case .freeFall(var message):
      message.start = message.start + seconds
      self = .freeFall(message)
    case .location(var message):
      message.moveTimes(by: seconds)
      self = .location(message)
    case .reply(var message):
      message.until = message.until.map { $0 + seconds }
      self = .reply(message)
    case .status, .acceleration, .orientation, .geofence, .health, .evicted: break
    }
  }
}

extension LocationMessage {
  fileprivate mutating func moveTimes(by seconds: Double) {
    switch self {
    case .fixed(var position):
      position.received = position.received.map { $0 + seconds }
      self = .fixed(position)
    case .lost(var loss):
      if let last = loss.last { loss.last?.time = last.time + seconds }
      self = .lost(loss)
    }
  }
}
