extension LocationMessage {
  func write(to json: inout JSONWriter) {
    switch self {
    case .fixed(let position): position.write(to: &json)
    case .lost(let loss): loss.write(to: &json)
    }
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    let dimensions = try reader.count("fix")
    switch dimensions {
    case 0: self = .lost(try Loss(from: reader))
    case 2, 3: self = .fixed(try Position(dimensions: dimensions, from: reader))
    default: throw reader.outOfRange("fix", "0, 2 or 3")
    }
  }
}

extension LocationMessage.Position {
  func write(to json: inout JSONWriter) {
    json.integer("fix", dimensions)
    json.string("status", status?.rawValue)
    json.number("lat", latitude, decimals: Decimals.degrees)
    json.number("lon", longitude, decimals: Decimals.degrees)
    json.number("acc_m", accuracyM, decimals: Decimals.metres)
    json.string("acc_source", accuracySource?.rawValue)
    json.number("alt_m", altitudeM, decimals: Decimals.metres)
    json.string("alt_source", altitudeSource?.rawValue)
    json.number("alt_acc_m", altitudeAccuracyM, decimals: Decimals.metres)
    json.boolean("moving", isMoving)
    json.number("speed_mps", speedMPS, decimals: Decimals.speed)
    json.number("course_deg", courseDeg.map(roundedCourse), decimals: Decimals.angle)
    json.number("fix_t", fixTime?.seconds, decimals: Decimals.time)
    json.integer("fix_t_rollovers", fixTimeRollovers)
    json.number("received_t", received?.seconds, decimals: Decimals.time)
    json.number("age_s", ageS, decimals: Decimals.time)
    json.string("why", cause.rawValue)
    json.number("lost_s", lostS, decimals: Decimals.time)
    json.number("moved_m", movedM, decimals: Decimals.metres)
    json.number("odometer_m", odometerM, decimals: Decimals.distance)
    json.number("trip_m", tripM, decimals: Decimals.distance)
    json.text("device", device)
    json.boolean("backlog", isBacklog ? true : nil)
  }

  init(dimensions: Int, from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      dimensions: dimensions, latitude: try reader.number("lat", in: Bounds.latitude),
      longitude: try reader.number("lon", in: Bounds.longitude), ageS: try reader.number("age_s", in: Bounds.duration),
      cause: try reader.word("why"), isBacklog: try reader.flag("backlog"))
    accuracyM = try reader.numberIfPresent("acc_m", in: Bounds.distance)
    accuracySource = try reader.wordIfPresent("acc_source")
    status = try reader.wordIfPresent("status")
    altitudeM = try reader.numberIfPresent("alt_m", in: Bounds.altitude)
    altitudeSource = try reader.wordIfPresent("alt_source")
    altitudeAccuracyM = try reader.numberIfPresent("alt_acc_m", in: Bounds.distance)
    isMoving = try reader.flagIfPresent("moving")
    speedMPS = try reader.numberIfPresent("speed_mps", in: Bounds.speed)
    courseDeg = try reader.numberIfPresent("course_deg", in: Bounds.course)
    fixTime = try reader.timeIfPresent("fix_t")
    fixTimeRollovers = try reader.integerIfPresent("fix_t_rollovers", in: Bounds.rollovers)
    received = try reader.timeIfPresent("received_t")
    lostS = try reader.numberIfPresent("lost_s", in: Bounds.duration)
    movedM = try reader.numberIfPresent("moved_m", in: Bounds.distance)
    odometerM = try reader.numberIfPresent("odometer_m", in: Bounds.way)
    tripM = try reader.numberIfPresent("trip_m", in: Bounds.way)
    device = try reader.textIfPresent("device")
  }

  /// 359.999 would become 360 in the text, which is 0.
  private func roundedCourse(_ degrees: Double) -> Double {
    degrees >= 359.995 && degrees < 360 ? 0 : degrees
  }
}

extension LocationMessage.Loss {
  /// The one cause that a loss has.
  private enum Cause: String, CaseIterable {
    case lost
  }

  func write(to json: inout JSONWriter) {
    json.integer("fix", 0)
    json.string("why", Cause.lost.rawValue)
    json.string("reason", reason.rawValue)
    json.string("rejected_by", rejectedBy?.rawValue)
    json.number("rejected_acc_m", rejectedAccuracyM, decimals: Decimals.metres)
    if let last {
      json.object("last") { json in
        json.number("lat", last.latitude, decimals: Decimals.degrees)
        json.number("lon", last.longitude, decimals: Decimals.degrees)
        json.number("acc_m", last.accuracyM, decimals: Decimals.metres)
        json.number("t", last.time.seconds, decimals: Decimals.time)
        json.number("age_s", last.ageS, decimals: Decimals.time)
      }
    }
    json.boolean("backlog", isBacklog ? true : nil)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    _ = try reader.word("why", Cause.self)
    self.init(reason: try reader.word("reason"), last: nil, isBacklog: try reader.flag("backlog"))
    rejectedBy = try reader.wordIfPresent("rejected_by")
    rejectedAccuracyM = try reader.numberIfPresent("rejected_acc_m", in: Bounds.distance)
    if let last = try reader.objectIfPresent("last") {
      self.last = Last(
        latitude: try last.number("lat", in: Bounds.latitude), longitude: try last.number("lon", in: Bounds.longitude),
        accuracyM: try last.numberIfPresent("acc_m", in: Bounds.distance), time: try last.time("t"),
        ageS: try last.number("age_s", in: Bounds.duration))
    }
  }
}
