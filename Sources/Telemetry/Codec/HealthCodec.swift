extension HealthMessage {
  func write(to json: inout JSONWriter) {
    json.object("spool") { spool.write(to: &$0) }
    json.object("link") { link.write(to: &$0) }
    if let accelerometer { json.object("accelerometer") { accelerometer.write(to: &$0) } }
    if let gps { json.object("gps") { gps.write(to: &$0) } }
    if let budget { json.object("budget") { budget.write(to: &$0) } }
    json.integer("rss_kb", residentKB)
    json.number("cpu_s", processorS, decimals: Decimals.time)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(spool: try Spool(from: try reader.object("spool")), link: try Link(from: try reader.object("link")))
    if let part = try reader.objectIfPresent("accelerometer") { accelerometer = try Accelerometer(from: part) }
    if let part = try reader.objectIfPresent("gps") { gps = try GPS(from: part) }
    if let part = try reader.objectIfPresent("budget") { budget = try Budget(from: part) }
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
    json.string("state", state?.rawValue)
    json.text("trouble", trouble)
    json.string("delivery", delivery?.rawValue)
    json.integer("unconfirmed", unconfirmed)
    json.integer("unsaved", unsaved)
    json.integer("set_aside", setAside)
    json.integer("damaged", damaged)
    json.number("lasts_s", lastsS, decimals: 0)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      events: try reader.count("events"), bytes: try reader.count("bytes"),
      oldestS: try reader.numberIfPresent("oldest_s", in: Bounds.duration), evicted: try reader.count("evicted"))
    state = try reader.wordIfPresent("state")
    trouble = try reader.textIfPresent("trouble")
    delivery = try reader.wordIfPresent("delivery")
    unconfirmed = try reader.countIfPresent("unconfirmed")
    unsaved = try reader.countIfPresent("unsaved")
    setAside = try reader.countIfPresent("set_aside")
    damaged = try reader.countIfPresent("damaged")
    lastsS = try reader.numberIfPresent("lasts_s", in: Bounds.duration)
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
    if let nearMisses { json.object("near_misses") { nearMisses.write(to: &$0) } }
    if let faults { json.object("faults") { faults.write(to: &$0) } }
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(state: try reader.word("state"), gaps: try reader.count("gaps"), dropped: try reader.count("dropped"))
    rateHz = try reader.numberIfPresent("hz", in: Bounds.frequency)
    ageS = try reader.numberIfPresent("age_s", in: Bounds.duration)
    noiseMg = try reader.numberIfPresent("noise_mg", in: Bounds.noise)
    polling = try reader.textIfPresent("polling")
    error = try reader.textIfPresent("error")
    if let part = try reader.objectIfPresent("near_misses") { nearMisses = try NearMisses(from: part) }
    if let part = try reader.objectIfPresent("faults") { faults = try Faults(from: part) }
  }
}

extension HealthMessage.Accelerometer.NearMisses {
  func write(to json: inout JSONWriter) {
    json.integer("weak", weak)
    json.integer("few_reversals", fewReversals)
    json.number("strongest_g", strongestG, decimals: Decimals.magnitude)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      weak: try reader.count("weak"), fewReversals: try reader.count("few_reversals"),
      strongestG: try reader.numberIfPresent("strongest_g", in: Bounds.magnitude))
  }
}

extension HealthMessage.Accelerometer.Faults {
  func write(to json: inout JSONWriter) {
    json.integer("retried", retried)
    json.integer("stalls", stalls)
    json.integer("zeros", zeros)
    json.integer("frozen", frozen)
    json.integer("out_of_range", outOfRange)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      retried: try reader.count("retried"), stalls: try reader.count("stalls"), zeros: try reader.count("zeros"),
      frozen: try reader.count("frozen"), outOfRange: try reader.count("out_of_range"))
  }
}

extension HealthMessage.Budget {
  func write(to json: inout JSONWriter) {
    json.number("limit_mb", limitMB, decimals: Decimals.metres)
    json.number("used_mb", usedMB, decimals: Decimals.frequency)
    json.number("stretch", stretch, decimals: Decimals.frequency)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      limitMB: try reader.number("limit_mb", in: Bounds.volume),
      usedMB: try reader.number("used_mb", in: Bounds.volume), stretch: try reader.number("stretch", in: Bounds.ratio))
  }
}

extension HealthMessage.GPS {
  func write(to json: inout JSONWriter) {
    json.string("state", state.rawValue)
    json.number("age_s", ageS, decimals: Decimals.time)
    json.integer("sats", satellites)
    json.integer("rejected", rejected)
    json.integer("withheld", withheld)
    json.integer("bad_lines", badLines)
    if let faults { json.object("faults") { faults.write(to: &$0) } }
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      state: try reader.word("state"), rejected: try reader.count("rejected"), badLines: try reader.count("bad_lines"))
    ageS = try reader.numberIfPresent("age_s", in: Bounds.duration)
    satellites = try reader.countIfPresent("sats")
    withheld = try reader.countIfPresent("withheld")
    if let part = try reader.objectIfPresent("faults") { faults = try Faults(from: part) }
  }
}

extension HealthMessage.GPS.Faults {
  func write(to json: inout JSONWriter) {
    json.integer("inaccurate", inaccurate)
    json.integer("jumps", jumps)
    json.integer("jumps_taken", jumpsTaken)
    json.integer("simulated", simulated)
    json.integer("impossible", impossible)
    json.integer("backwards", backwards)
    json.integer("rollovers", rollovers)
    json.integer("outages", outages)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      inaccurate: try reader.count("inaccurate"), jumps: try reader.count("jumps"),
      jumpsTaken: try reader.count("jumps_taken"), simulated: try reader.count("simulated"),
      impossible: try reader.count("impossible"), backwards: try reader.count("backwards"),
      rollovers: try reader.count("rollovers"), outages: try reader.count("outages"))
  }
}
