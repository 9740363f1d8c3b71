extension CommandMessage {
  /// The longest lease of `live` [s].
  public static let longestLiveS = 3600.0
  /// How long a calibration may last [s].
  public static let calibrationS = 10.0...300.0
  /// The longest key and the longest name of who asks, in bytes.
  public static let keyBytes = 128, authorBytes = 100

  /// The payload: one line of compact JSON, as docs/MESSAGES.md describes it.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.integer("v", Envelope.version)
      json.string("id", id)
      json.string("command", verb.rawValue)
      json.number("for_s", forS, decimals: Decimals.time)
      json.string("key", setting?.key)
      json.setting("value", setting?.value)
      json.number("expires_t", expires?.seconds, decimals: Decimals.time)
      json.string("author", author)
    }
    return json.bytes
  }

  /// Reads a payload that may be anything.
  public static func decode(payload: [UInt8]) throws(DecodingProblem) -> CommandMessage {
    let reader = try MessageReader(payload: payload)
    let id = try reader.text("id")
    guard (1...64).contains(id.utf8.count) else { throw reader.outOfRange("id", "1 to 64 bytes") }
    let verb: Verb = try reader.word("command")
    var message = CommandMessage(
      id: id, verb, forS: try forS(reader, verb), setting: try setting(reader, verb),
      expires: try reader.timeIfPresent("expires_t"))
    message.author = try reader.textIfPresent("author")
    if let author = message.author, !(1...authorBytes).contains(author.utf8.count) {
      throw reader.outOfRange("author", "1 to \(authorBytes) bytes")
    }
    return message
  }

  /// For how long the command of a node or a wish lasts.
  static func forS(_ reader: MessageReader, _ verb: Verb?) throws(DecodingProblem) -> Double? {
    let forS = try reader.numberIfPresent("for_s", in: verb == .calibrate ? calibrationS : 0...longestLiveS)
    if verb == .live, forS == nil { throw reader.missing("for_s", "0 to 3600 s") }
    return forS
  }

  /// What the command of a node or a wish sets; nil with another command.
  static func setting(_ reader: MessageReader, _ verb: Verb?) throws(DecodingProblem) -> Setting? {
    guard verb == .set else { return nil }
    let key = try reader.text("key")
    guard (1...keyBytes).contains(key.utf8.count) else { throw reader.outOfRange("key", "1 to \(keyBytes) bytes") }
    return Setting(key, try reader.settingIfPresent("value"))
  }

  /// The id of a payload that is no command, for the reply; nil where there is none.
  public static func id(ofUnreadable payload: [UInt8]) -> String? {
    guard let id = (try? JSONValue.parse(payload))?["id"]?.string, (1...64).contains(id.utf8.count) else { return nil }
    return id
  }
}

extension ReplyMessage {
  func write(to json: inout JSONWriter) {
    json.string("id", id)
    json.string("command", verb?.rawValue)
    json.boolean("ok", isDone)
    json.text("reason", reason)
    json.number("until_t", until?.seconds, decimals: Decimals.time)
    if let change {
      json.string("key", change.key)
      json.setting("before", change.before)
      json.setting("after", change.after)
      json.boolean("kept", change.isKept)
    }
    if let rest { json.object("rest") { rest.write(to: &$0) } }
    json.text("note", note)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      id: try reader.textIfPresent("id"), try reader.wordIfPresent("command"), isDone: try reader.flag("ok"),
      reason: try reader.textIfPresent("reason"), until: try reader.timeIfPresent("until_t"))
    if !isDone, reason == nil { throw reader.missing("reason", "why the command was not done") }
    if let key = try reader.textIfPresent("key") {
      change = Change(
        key, from: try reader.settingIfPresent("before"), to: try reader.settingIfPresent("after"),
        isKept: try reader.flag("kept"))
    }
    if let rest = try reader.objectIfPresent("rest") { self.rest = try RestFigures(from: rest) }
    note = try reader.textIfPresent("note")
  }
}

extension RestFigures {
  /// The members of `rest`, for messages and for lines of programs.
  public func write(to json: inout JSONWriter) {
    json.number("duration_s", durationS, decimals: Decimals.time)
    json.integer("n", samples)
    json.integer("missed", missed)
    json.integer("clipped", clipped)
    json.number("hz", rateHz, decimals: Decimals.frequency)
    json.vector("mean_g", meanG, decimals: Decimals.acceleration)
    json.string("face", face?.rawValue)
    json.number("tilt_deg", tiltDeg, decimals: Decimals.angle)
    json.vector("noise_mg", noiseMg, decimals: Self.milli)
    json.number("in_band_mg", inBandMg, decimals: Self.milli)
  }

  /// A sensor for earthquakes has 0.05 mg.
  private static let milli = 4

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      durationS: try reader.number("duration_s", in: Bounds.duration), samples: try reader.count("n"),
      rateHz: try reader.number("hz", in: Bounds.frequency),
      meanG: try reader.vector("mean_g", in: Bounds.acceleration),
      noiseMg: try reader.vector("noise_mg", in: Bounds.noise),
      inBandMg: try reader.number("in_band_mg", in: Bounds.noise))
    missed = try reader.count("missed")
    clipped = try reader.countIfPresent("clipped")
    face = try reader.wordIfPresent("face")
    tiltDeg = try reader.numberIfPresent("tilt_deg", in: Bounds.angle)
  }
}

extension JSONWriter {
  /// Decimals of a number that is set: the smallest steps of any key are 1e-4.
  private static let settingDecimals = 9

  /// A value of a configuration; no member where there is none.
  public mutating func setting(_ key: StaticString, _ value: SettingValue?) {
    switch value {
    case nil: break
    case .number(let number): self.number(key, number, decimals: Self.settingDecimals)
    case .text(let text): self.text(key, text)
    case .flag(let flag): boolean(key, flag)
    }
  }
}
