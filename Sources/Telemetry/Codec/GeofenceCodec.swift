extension GeofenceMessage {
  /// The longest name of a fence [bytes].
  public static let longestNameBytes = 64

  func write(to json: inout JSONWriter) {
    json.string("fence", fence)
    json.string("event", event.rawValue)
    json.boolean("first", isFirst ? true : nil)
    json.number("lat", latitude, decimals: Decimals.degrees)
    json.number("lon", longitude, decimals: Decimals.degrees)
    json.number("acc_m", accuracyM, decimals: Decimals.metres)
    json.number("age_s", ageS, decimals: Decimals.time)
    json.number("edge_m", edgeM, decimals: Decimals.metres)
    json.number("inside_s", insideS, decimals: Decimals.time)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    let fence = try reader.text("fence")
    guard (1...Self.longestNameBytes).contains(fence.utf8.count) else {
      throw reader.outOfRange("fence", "1 to \(Self.longestNameBytes) bytes")
    }
    self.init(
      fence: fence, try reader.word("event"), isFirst: try reader.flag("first"),
      latitude: try reader.number("lat", in: Bounds.latitude),
      longitude: try reader.number("lon", in: Bounds.longitude),
      accuracyM: try reader.numberIfPresent("acc_m", in: Bounds.distance),
      ageS: try reader.number("age_s", in: Bounds.duration), edgeM: try reader.number("edge_m", in: Bounds.distance),
      insideS: try reader.numberIfPresent("inside_s", in: Bounds.duration))
  }
}
