extension WaveformMessage {
  func write(to json: inout JSONWriter) {
    json.integer("id", id)
    json.integer("chunk", chunk)
    if isLast { json.boolean("last", true) }
    json.number("start_t", start.seconds, decimals: Decimals.fineTime)
    json.number("dt_s", periodS, decimals: Decimals.period)
    json.number("lsb_g", unitG, decimals: Decimals.unit)
    json.array("x") { array in for value in x { array.integer(value) } }
    json.array("y") { array in for value in y { array.integer(value) } }
    json.array("z") { array in for value in z { array.integer(value) } }
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      id: try reader.count("id"), chunk: try reader.count("chunk"), isLast: try reader.flag("last"),
      start: try reader.time("start_t"), periodS: try reader.number("dt_s", in: Bounds.duration),
      unitG: try reader.number("lsb_g", in: Bounds.unit), x: try reader.integers("x", most: Self.mostSamples),
      y: try reader.integers("y", most: Self.mostSamples), z: try reader.integers("z", most: Self.mostSamples))
    guard !x.isEmpty else { throw reader.outOfRange("x", "at least one sample") }
    guard y.count == x.count else { throw reader.outOfRange("y", "\(x.count) samples, as many as x") }
    guard z.count == x.count else { throw reader.outOfRange("z", "\(x.count) samples, as many as x") }
  }
}
