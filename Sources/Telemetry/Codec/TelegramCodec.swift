extension Telegram {
  /// The payload: one line of compact JSON, as docs/MESSAGES.md describes it.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      envelope.write(to: &json)
      switch body {
      case .status(let message): message.write(to: &json)
      case .acceleration(let message): message.write(to: &json)
      case .shake(let message): message.write(to: &json)
      case .waveform(let message): message.write(to: &json)
      case .impact(let message): message.write(to: &json)
      case .freeFall(let message): message.write(to: &json)
      case .orientation(let message): message.write(to: &json)
      case .location(let message): message.write(to: &json)
      case .geofence(let message): message.write(to: &json)
      case .health(let message): message.write(to: &json)
      case .reply(let message): message.write(to: &json)
      case .evicted(let message): message.write(to: &json)
      }
    }
    return json.bytes
  }

  /// Reads a payload that may be anything.
  ///
  /// Unknown keys are ignored. What is absent and may be stays nil; what is there must have its type and be in range.
  public static func decode(stream: Stream, payload: [UInt8]) throws(DecodingProblem) -> Telegram {
    let reader = try MessageReader(payload: payload)
    let body = try Body(stream, from: reader)
    return Telegram(try Envelope(of: body, from: reader), body)
  }
}

extension Telegram.Body {
  init(_ stream: Stream, from reader: MessageReader) throws(DecodingProblem) {
    switch stream {
    case .status: self = .status(try StatusMessage(from: reader))
    case .acceleration: self = .acceleration(try AccelerationMessage(from: reader))
    case .shake: self = .shake(try ShakeMessage(from: reader))
    case .waveform: self = .waveform(try WaveformMessage(from: reader))
    case .impact: self = .impact(try ImpactMessage(from: reader))
    case .freeFall: self = .freeFall(try FreeFallMessage(from: reader))
    case .orientation: self = .orientation(try OrientationMessage(from: reader))
    case .location: self = .location(try LocationMessage(from: reader))
    case .geofence: self = .geofence(try GeofenceMessage(from: reader))
    case .health: self = .health(try HealthMessage(from: reader))
    case .reply: self = .reply(try ReplyMessage(from: reader))
    case .evicted: self = .evicted(try EvictedMessage(from: reader))
    }
  }

  /// A will, which was written before the loss it reports.
  var isWill: Bool {
    if case .status(let message) = self { message.state == .lost } else { false }
  }
}

extension Envelope {
  func write(to json: inout JSONWriter) {
    json.integer("v", Self.version)
    json.string("boot", boot.description)
    json.integer("seq", sequence)
    json.number("t", time?.seconds, decimals: Decimals.time)
    json.string("clk", clock?.rawValue)
    json.number("up", uptime, decimals: Decimals.time)
  }

  /// An event must have its number, and everything but a will its times.
  init(of body: Telegram.Body, from reader: MessageReader) throws(DecodingProblem) {
    self.init(boot: try reader.boot("boot"))
    sequence = try reader.countIfPresent("seq").map { UInt64($0) }
    if body.stream.isEvent, sequence == nil { throw reader.missing("seq", "a whole number") }
    if body.isWill {
      time = try reader.timeIfPresent("t")
      clock = try reader.wordIfPresent("clk")
      uptime = try reader.numberIfPresent("up", in: Bounds.duration)
    } else {
      time = try reader.time("t")
      clock = try reader.word("clk")
      uptime = try reader.number("up", in: Bounds.duration)
    }
  }
}
