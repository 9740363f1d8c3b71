extension StatusMessage {
  func write(to json: inout JSONWriter) {
    json.string("state", state.rawValue)
    json.text("agent", agent)
    json.text("accelerometer", accelerometer)
    json.text("source", source)
    json.number("rate_hz", rateHz, decimals: Decimals.frequency)
    json.number("window_s", windowS, decimals: Decimals.time)
    json.text("preset", preset)
    json.boolean("armed", isArmed)
    json.text("gpsd", gpsd)
    json.number("health_interval_s", healthIntervalS, decimals: Decimals.time)
    if !set.isEmpty { json.array("set") { json in for text in set.prefix(Self.mostSet) { json.string(text) } } }
  }

  /// Keys that may be set at the most.
  public static let mostSet = 100

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(try reader.word("state"))
    agent = try reader.textIfPresent("agent")
    accelerometer = try reader.textIfPresent("accelerometer")
    source = try reader.textIfPresent("source")
    rateHz = try reader.numberIfPresent("rate_hz", in: Bounds.frequency)
    windowS = try reader.numberIfPresent("window_s", in: Bounds.duration)
    preset = try reader.textIfPresent("preset")
    isArmed = try reader.flagIfPresent("armed")
    gpsd = try reader.textIfPresent("gpsd")
    healthIntervalS = try reader.numberIfPresent("health_interval_s", in: Bounds.duration)
    for element in try reader.elementsIfPresent("set", "an array of texts") ?? [] {
      guard let text = element.string, text.utf8.count <= Bounds.textBytes, set.count < Self.mostSet else {
        throw reader.outOfRange("set", "\(Self.mostSet) texts at most")
      }
      set.append(text)
    }
  }
}
