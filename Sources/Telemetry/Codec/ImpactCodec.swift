extension ImpactMessage {
  func write(to json: inout JSONWriter) {
    json.integer("id", id)
    json.number("start_t", start.seconds, decimals: Decimals.time)
    json.number("peak_g", peakG, decimals: Decimals.magnitude)
    json.number("duration_s", durationS, decimals: Decimals.pulse)
    json.number("dv_mps", velocityChangeMPS, decimals: Decimals.speed)
    json.string("axis", axis.rawValue)
    if isClipped { json.boolean("clipped", true) }
    json.number("fall_s", fallS, decimals: Decimals.time)
    place?.write(to: &json)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      id: try reader.count("id"), start: try reader.time("start_t"),
      peakG: try reader.number("peak_g", in: Bounds.magnitude),
      durationS: try reader.number("duration_s", in: Bounds.duration),
      velocityChangeMPS: try reader.number("dv_mps", in: Bounds.speed), axis: try reader.word("axis"),
      isClipped: try reader.flag("clipped"), fallS: try reader.numberIfPresent("fall_s", in: Bounds.duration),
      place: try Place(ifIn: reader))
  }
}

extension FreeFallMessage {
  func write(to json: inout JSONWriter) {
    json.integer("id", id)
    json.number("start_t", start.seconds, decimals: Decimals.time)
    json.number("duration_s", durationS, decimals: Decimals.time)
    json.number("drop_m", dropM, decimals: Decimals.speed)
    place?.write(to: &json)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      id: try reader.count("id"), start: try reader.time("start_t"),
      durationS: try reader.number("duration_s", in: Bounds.duration),
      dropM: try reader.number("drop_m", in: Bounds.distance), place: try Place(ifIn: reader))
  }
}
