extension HealthMessage {
  func write(to json: inout JSONWriter) {
    json.object("spool") { spool.write(to: &$0) }
    json.object("link") { link.write(to: &$0) }
    if let accelerometer { json.object("accelerometer") { accelerometer.write(to: &$0) } }
    if let gps { json.object("gps") { gps.write(to: &$0) } }
    json.integer("rss_kb", residentKB)
    json.number("cpu_s", processorS, decimals: Decimals.time)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(spool: try Spool(from: try reader.object("spool")), link: try Link(from: try reader.object("link")))
    if let part = try reader.objectIfPresent("accelerometer") { accelerometer = try Accelerometer(from: part) }
    if let part = try reader.objectIfPresent("gps") { gps = try GPS(from: part) }
    residentKB = try reader.countIfPresent("rss_kb")
    processorS = try reader.numberIfPresent("cpu_s", in: Bounds.duration)
  }
}

extension HealthMessage.Spool {
  func write(to json: inout JSONWriter) {
    json.integer("events", events)
    json.integer("bytes", bytes)
    json.number("oldest_s", oldestS, decimals: Decimals.time)
    json.integer("evicted", evicted)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      events: try reader.count("events"), bytes: try reader.count("bytes"),
      oldestS: try reader.numberIfPresent("oldest_s", in: Bounds.duration), evicted: try reader.count("evicted"))
  }
}

extension HealthMessage.Link {
  func write(to json: inout JSONWriter) {
    json.integer("connects", connects)
    json.integer("unacked", unacknowledged)
    json.integer("dropped", dropped)
    json.integer("refused", refused)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      connects: try reader.count("connects"), unacknowledged: try reader.count("unacked"),
      dropped: try reader.count("dropped"), refused: try reader.count("refused"))
  }
}

extension HealthMessage.Accelerometer {
  func write(to json: inout JSONWriter) {
    json.string("state", state.rawValue)
    json.number("hz", rateHz, decimals: Decimals.frequency)
    json.number("age_s", ageS, decimals: Decimals.time)
    json.integer("gaps", gaps)
    json.integer("dropped", dropped)
    json.number("noise_mg", noiseMg, decimals: Decimals.frequency)
    json.text("polling", polling)
    json.text("error", error)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(state: try reader.word("state"), gaps: try reader.count("gaps"), dropped: try reader.count("dropped"))
    rateHz = try reader.numberIfPresent("hz", in: Bounds.frequency)
    ageS = try reader.numberIfPresent("age_s", in: Bounds.duration)
    noiseMg = try reader.numberIfPresent("noise_mg", in: Bounds.noise)
    polling = try reader.textIfPresent("polling")
    error = try reader.textIfPresent("error")
  }
}

extension HealthMessage.GPS {
  func write(to json: inout JSONWriter) {
    json.string("state", state.rawValue)
    json.number("age_s", ageS, decimals: Decimals.time)
    json.integer("sats", satellites)
    json.integer("rejected", rejected)
    json.integer("bad_lines", badLines)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      state: try reader.word("state"), rejected: try reader.count("rejected"), badLines: try reader.count("bad_lines"))
    ageS = try reader.numberIfPresent("age_s", in: Bounds.duration)
    satellites = try reader.countIfPresent("sats")
  }
}
