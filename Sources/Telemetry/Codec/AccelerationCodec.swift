extension AccelerationMessage {
  func write(to json: inout JSONWriter) {
    json.string("filter", filter.rawValue)
    json.vector("g", meanG, decimals: Decimals.acceleration)
    json.number("rms_g", rmsG, decimals: Decimals.magnitude)
    json.number("peak_g", peakG, decimals: Decimals.magnitude)
    json.vector("p2p_g", peakToPeakG, decimals: Decimals.acceleration)
    json.number("hz", rateHz, decimals: Decimals.frequency)
    json.number("window_s", windowS, decimals: Decimals.time)
    json.integer("n", count)
    json.integer("missed", missed)
    json.integer("clipped", clipped)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      windowS: try reader.number("window_s", in: Bounds.duration), filter: try reader.word("filter"),
      meanG: try reader.vector("g", in: Bounds.acceleration), count: try reader.count("n"),
      missed: try reader.count("missed"))
    rmsG = try reader.numberIfPresent("rms_g", in: Bounds.magnitude)
    peakG = try reader.numberIfPresent("peak_g", in: Bounds.magnitude)
    peakToPeakG = try reader.vectorIfPresent("p2p_g", in: Bounds.magnitude)
    rateHz = try reader.numberIfPresent("hz", in: Bounds.frequency)
    clipped = try reader.countIfPresent("clipped")
  }
}
