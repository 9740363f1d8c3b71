internal import Telemetry

// What a node does when it is asked to.

extension Node {
  /// Takes what came on the command topic, and answers it.
  mutating func take(_ payload: [UInt8], isRetained: Bool, at now: Instant, _ effects: inout [NodeEffect]) {
    switch commands.decide(payload, isRetained: isRetained, clock: clock, at: now) {
    case .carryOut(let command):
      if let answer = obey(command, at: now, &effects) {
        settle(answer, at: now, &effects)
      } else {
        commands.begin(command)
      }
    case .answer(let answer): reply(answer, at: now, &effects)
    case .ignore(let reason): effects.append(.log(Note(.info, "command", "not taken for a command: \(reason)")))
    }
  }

  /// Remembers what became of a command, and says so.
  mutating func settle(_ answer: ReplyMessage, at now: Instant, _ effects: inout [NodeEffect]) {
    commands.note(answer)
    reply(answer, at: now, &effects)
  }

  private mutating func reply(_ answer: ReplyMessage, at now: Instant, _ effects: inout [NodeEffect]) {
    let verb = answer.verb?.rawValue ?? "command"
    let note =
      answer.isDone
      ? Note(.notice, "command", "\(verb): done, as asked for over the broker")
      : Note(.warning, "command", "\(verb): not done: \(SafeText.escaped(answer.reason ?? "", limit: 200))")
    effects.append(.log(note))
    publish(.reply(answer), at: now, &effects)
  }

  /// Nil: it is begun, and answered later.
  private mutating func obey(
    _ command: CommandMessage, at now: Instant, _ effects: inout [NodeEffect]
  ) -> ReplyMessage? {
    let needsSensor = command.verb != .locate && command.verb != .set
    if needsSensor, motion == nil { return refusal(of: command, "there is no accelerometer") }
    switch command.verb {
    case .calibrate: return beginRest(command, at: now, &effects)
    case .set:
      guard commands.hasRoom else { return refusal(of: command, "too many commands wait for their end") }
      effects.append(.set(command))
      return nil
    case .live: return stream(command, at: now, &effects)
    case .arm: setArmed(true, at: now, &effects)
    case .disarm: setArmed(false, at: now, &effects)
    case .locate: return locate(command, at: now, &effects)
    }
    return ReplyMessage(id: command.id, command.verb, isDone: true)
  }

  func refusal(of command: CommandMessage, _ reason: String) -> ReplyMessage {
    ReplyMessage(id: command.id, command.verb, isDone: false, reason: reason)
  }

  /// That there is no position is an answer too.
  private mutating func locate(
    _ command: CommandMessage, at now: Instant, _ effects: inout [NodeEffect]
  ) -> ReplyMessage {
    guard location != nil else { return refusal(of: command, "location is off") }
    guard let present = location?.present(at: now) else {
      return refusal(of: command, "no fix yet, and not long enough to call it lost")
    }
    carryOut([present], at: now, &effects)
    return ReplyMessage(id: command.id, command.verb, isDone: true)
  }

  private mutating func stream(
    _ command: CommandMessage, at now: Instant, _ effects: inout [NodeEffect]
  ) -> ReplyMessage {
    let until = now + (command.forS ?? 0)
    if motion?.isArmed == false, until > now { return refusal(of: command, "the node is disarmed") }
    if until > now, let why = motion?.silence(at: now) {
      return refusal(of: command, "the sensor gives no samples: \(SafeText.escaped(why, limit: 200))")
    }
    effects.append(.keepAwake(until: max(until, restMeasurement?.deadline ?? until)))
    if let outputs = motion?.live(until: until, at: now) { carryOut(outputs, at: now, &effects) }
    return ReplyMessage(
      id: command.id, command.verb, isDone: true, until: until > now ? clock.wall(at: until) : nil)
  }

  /// A sensor that fell asleep, or a driver that began anew, has not heard that somebody watches.
  func remindOfWatcher(_ report: AccelerometerReport, _ effects: inout [NodeEffect]) {
    guard let until = awakeUntil else { return }
    switch report {
    case .started, .idle: effects.append(.keepAwake(until: until))
    case .samples, .gap, .failed, .woken, .faults: break
    }
  }

  /// Somebody needs the samples until then; nil: nobody does.
  var awakeUntil: Instant? { [motion?.liveUntil, restMeasurement?.deadline].compactMap { $0 }.max() }

  private mutating func setArmed(_ isArmed: Bool, at now: Instant, _ effects: inout [NodeEffect]) {
    self.isArmed = isArmed
    guard let motion, motion.isArmed != isArmed else { return }
    if let outputs = isArmed ? self.motion?.arm(at: now) : self.motion?.disarm(at: now) {
      carryOut(outputs, at: now, &effects)
    }
    publish(.status(status(.online)), at: now, &effects)
  }
}
