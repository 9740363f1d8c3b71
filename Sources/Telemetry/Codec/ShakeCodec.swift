extension ShakeMessage {
  func write(to json: inout JSONWriter) {
    json.integer("id", id)
    json.string("phase", phase.rawValue)
    json.string("reason", reason?.rawValue)
    json.number("start_t", start.seconds, decimals: Decimals.time)
    json.number("end_t", end?.seconds, decimals: Decimals.time)
    json.number("duration_s", durationS, decimals: Decimals.time)
    json.number("peak_g", peakG, decimals: Decimals.magnitude)
    json.number("energy_g2s", energyG2S, decimals: Decimals.energy)
    json.number("cav_gs", cavGS, decimals: Decimals.magnitude)
    json.number("frequency_hz", frequencyHz, decimals: Decimals.frequency)
    json.integer("reversals", reversals)
    json.string("axis", axis.rawValue)
    place?.write(to: &json)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      id: try reader.count("id"), phase: try reader.word("phase"), reason: try reader.wordIfPresent("reason"),
      start: try reader.time("start_t"), end: try reader.timeIfPresent("end_t"),
      durationS: try reader.number("duration_s", in: Bounds.duration),
      peakG: try reader.number("peak_g", in: Bounds.magnitude),
      energyG2S: try reader.number("energy_g2s", in: Bounds.dose), cavGS: try reader.number("cav_gs", in: Bounds.dose),
      frequencyHz: try reader.numberIfPresent("frequency_hz", in: Bounds.frequency),
      reversals: try reader.count("reversals"), axis: try reader.word("axis"), place: try Place(ifIn: reader))
    if phase == .cancelled, reason == nil { throw reader.missing("reason", "why the shake was cancelled") }
  }
}
