extension Place {
  func write(to json: inout JSONWriter) {
    json.number("lat", latitude, decimals: Decimals.degrees)
    json.number("lon", longitude, decimals: Decimals.degrees)
    json.number("fix_age_s", fixAgeS, decimals: Decimals.time)
  }

  /// Nil where there is none of its keys; one without the others is an error.
  init?(ifIn reader: MessageReader) throws(DecodingProblem) {
    guard reader.has("lat") || reader.has("lon") || reader.has("fix_age_s") else { return nil }
    self.init(
      latitude: try reader.number("lat", in: Bounds.latitude),
      longitude: try reader.number("lon", in: Bounds.longitude),
      fixAgeS: try reader.number("fix_age_s", in: Bounds.duration))
  }
}
