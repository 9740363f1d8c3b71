extension OrientationMessage {
  func write(to json: inout JSONWriter) {
    json.string("face", face.rawValue)
    json.string("previous", previous.rawValue)
    json.number("tilt_deg", tiltDeg, decimals: Decimals.angle)
    json.vector("g", up, decimals: Decimals.direction)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      face: try reader.word("face"), previous: try reader.word("previous"),
      tiltDeg: try reader.number("tilt_deg", in: Bounds.angle), up: try reader.vector("g", in: Bounds.direction))
  }
}
