public import Telemetry

/// The words of a tap: what stands below the bars, and in the lines for who has no terminal.
enum TapText {
  /// `lis3dh, buffered, 102.4 Hz`
  static func sensor(_ state: TapState) -> String {
    guard let sensor = state.sensor else { return "looking for an accelerometer" }
    let capture =
      switch sensor.capture {
      case .buffered: "buffered"
      case .polled: "polled"
      case .held: "held"
      case .generated: "\(sensor.source.rawValue)"
      }
    let rate = state.glance?.rateHz.map { "\(Decimal.text($0, decimals: 1)) Hz" } ?? "rate not known yet"
    return "\(SafeText.escaped(sensor.name, limit: 40)), \(capture), \(rate)"
  }

  /// Why there is nothing, or less than there might be; nil when all is well.
  static func trouble(_ state: TapState, at now: Instant) -> String? {
    if let failure = state.failure { return SafeText.escaped(failure, limit: 400) }
    if state.isAsleep { return "asleep until something moves it" }
    if let lastHeard = state.lastHeard, now - lastHeard > 2 {
      return "no sample for \(Decimal.text(now - lastHeard, decimals: 0)) s"
    }
    switch state.sensor?.capture {
    case .polled(let why): return "polled: \(SafeText.escaped(why, limit: 400))"
    case .held(let why): return "held: \(SafeText.escaped(why, limit: 400))"
    case .buffered, .generated, nil: return nil
    }
  }

  /// `idle, level 0.700 g, reversals 0 of 3`
  static func stage(_ glance: MotionGlance) -> String {
    let stage =
      switch glance.stage {
      case .warmingUp: "warming up"
      case .idle, .shaking: glance.stage.rawValue
      case .latched: "latched until it is quiet"
      }
    return "\(stage), level \(Decimal.text(glance.levelG, decimals: glance.levelG < 0.1 ? 4 : 3)) g,"
      + " reversals \(glance.reversals) of \(glance.reversalsNeeded)"
  }

  /// `z+, tilt 1.2 deg`
  static func up(_ state: TapState, _ glance: MotionGlance) -> String {
    glance.face.rawValue + (state.tiltDeg.map { ", tilt \(Decimal.text($0, decimals: 1)) deg" } ?? "")
  }

  /// The newest event and its age.
  static func last(_ state: TapState, at now: Instant) -> String {
    guard let event = state.event else { return "nothing yet: shake it" }
    return "\(event.text) (\(Decimal.text(max(0, now - event.at), decimals: 0)) s ago)"
  }

  /// `1234 samples, 0 missed, 0 clipped, 1 shake, 0 impacts, 0 falls, 1 turn`
  static func counts(_ state: TapState) -> String {
    var parts = ["\(state.samples) samples", "\(state.missed) missed"]
    // Where the range is unknown, none clipped would be a guess.
    if state.sensor?.fullScaleG != nil || state.clipped > 0 { parts.append("\(state.clipped) clipped") }
    let nouns = [(Stream.shake, "shake"), (.impact, "impact"), (.freeFall, "fall"), (.orientation, "turn")]
    for (stream, noun) in nouns {
      let count = state.counts[stream] ?? 0
      if count > 0 || stream == .shake { parts.append("\(count) \(noun)\(count == 1 ? "" : "s")") }
    }
    return parts.joined(separator: ", ")
  }
}

extension TapState {
  /// The state as one line for people.
  public func line(at now: Instant) -> String {
    if let trouble = TapText.trouble(self, at: now), last == nil || failure != nil { return trouble }
    guard let last, let glance else { return TapText.sensor(self) }
    let numbers = [("x", last.g.x), ("y", last.g.y), ("z", last.g.z), ("|a|", last.g.length)]
      .map { "\($0) \(Decimal.text($1, decimals: 3))" }.joined(separator: " ")
    return "\(numbers) g, move \(Decimal.text(glance.activityG, decimals: 4)) g, \(TapText.stage(glance)),"
      + " up \(TapText.up(self, glance)), \(TapText.sensor(self)), \(missed) missed"
  }

  /// The state as one object of JSON; what is not known is absent.
  public func json(at now: Instant) -> String {
    var writer = JSONWriter()
    writer.object { object in
      object.number("up", now.seconds, decimals: 3)
      object.string("sensor", sensor?.name)
      object.string("source", sensor?.source.rawValue)
      if case .polled(let why) = sensor?.capture { object.string("polling", why) }
      object.string("error", failure)
      object.vector("g", last?.g, decimals: 5)
      object.number("length_g", last?.g.length, decimals: 5)
      object.number("activity_g", last == nil ? nil : glance?.activityG, decimals: 6)
      object.number("level_g", glance?.levelG, decimals: 6)
      object.string("detector", glance?.stage.rawValue)
      object.integer("reversals", glance?.reversals)
      object.string("face", glance?.face.rawValue)
      object.number("tilt_deg", tiltDeg, decimals: 2)
      object.number("hz", glance?.rateHz, decimals: 3)
      object.integer("n", samples)
      object.integer("missed", missed)
      if sensor?.fullScaleG != nil { object.integer("clipped", clipped) }
    }
    return writer.text
  }
}

extension TapEvent {
  /// The event as one object of JSON: its stream, and the message as it would have been published.
  public func json() -> String {
    var writer = JSONWriter()
    writer.object { object in
      object.number("up", at.seconds, decimals: 3)
      object.string("event", telegram.body.stream.rawValue)
      object.json("payload", telegram.encode())
    }
    return writer.text
  }
}
