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
    measures.write(to: &json)
    guard let samples else { return }
    json.array("samples") { array in
      for sample in samples { array.vector(sample, decimals: Decimals.acceleration) }
    }
    json.number("dt_s", samplePeriodS, decimals: Decimals.period)
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
    measures = try Measures(from: reader)
    samples = try reader.vectorsIfPresent("samples", in: Bounds.acceleration, most: Self.mostSamples)
    samplePeriodS = try reader.numberIfPresent("dt_s", in: Bounds.duration)
  }
}

extension AccelerationMessage.Measures {
  func write(to json: inout JSONWriter) {
    json.number("crest", crest, decimals: Decimals.frequency)
    json.number("vdv_unweighted_mps175", unweightedDoseMPS175, decimals: Decimals.magnitude)
    json.number("cav_gs", cavGS, decimals: Decimals.magnitude)
    json.vector("ppv_indicator_mmps", velocityIndicatorMMPS, decimals: Decimals.speed)
    json.vector("ppv_indicator_hz", velocityIndicatorHz, decimals: Decimals.frequency)
    json.number("kurtosis", kurtosis, decimals: Decimals.frequency)
    json.number("band_low_g", lowBandG, decimals: Decimals.magnitude)
    json.number("band_mid_g", midBandG, decimals: Decimals.magnitude)
    json.number("band_high_g", highBandG, decimals: Decimals.magnitude)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init()
    crest = try reader.numberIfPresent("crest", in: Bounds.ratio)
    unweightedDoseMPS175 = try reader.numberIfPresent("vdv_unweighted_mps175", in: Bounds.dose)
    cavGS = try reader.numberIfPresent("cav_gs", in: Bounds.dose)
    velocityIndicatorMMPS = try reader.vectorIfPresent("ppv_indicator_mmps", in: Bounds.vibration)
    velocityIndicatorHz = try reader.vectorIfPresent("ppv_indicator_hz", in: Bounds.frequency)
    kurtosis = try reader.numberIfPresent("kurtosis", in: Bounds.ratio)
    lowBandG = try reader.numberIfPresent("band_low_g", in: Bounds.magnitude)
    midBandG = try reader.numberIfPresent("band_mid_g", in: Bounds.magnitude)
    highBandG = try reader.numberIfPresent("band_high_g", in: Bounds.magnitude)
  }
}
