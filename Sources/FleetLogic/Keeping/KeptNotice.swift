internal import Telemetry

// What people were told, and what rules remember, over a restart. Moments on the monotonic clock are kept as how long
// ago they were, or how long they are ahead.

/// What people were told of an alert.
struct KeptNotice: Equatable, Sendable {
  var isTold: Bool
  var mayBeTold: Bool
  var isToldAsFlapping: Bool
  var sinks: [String]?
  var firedAgoS: Double?
  var repeatsInS: Double?
  var mute: Mute?
  var acknowledgement: AlertAcknowledgement?

  init(_ notice: Notice, at now: Instant) {
    isTold = notice.isTold
    mayBeTold = notice.mayBeTold
    isToldAsFlapping = notice.isToldAsFlapping
    sinks = notice.sinks
    firedAgoS = notice.fired.map { now - $0 }
    repeatsInS = notice.repeats.map { $0 - now }
    mute = notice.mute
    acknowledgement = notice.acknowledgement
  }

  func notice(agoS: Double, at now: Instant) -> Notice {
    var notice = Notice(isTold: isTold, mayBeTold: mayBeTold, isToldAsFlapping: isToldAsFlapping)
    notice.sinks = sinks
    notice.fired = firedAgoS.map { now - ($0 + agoS) }
    notice.repeats = repeatsInS.map { now + max(0, $0 - agoS) }
    notice.mute = mute
    notice.acknowledgement = acknowledgement
    return notice
  }

  func encode(_ json: inout JSONWriter) {
    json.object("notice") { json in
      json.boolean("told", isTold)
      json.boolean("told_perhaps", mayBeTold ? true : nil)
      json.boolean("told_flapping", isToldAsFlapping ? true : nil)
      json.string("sinks", sinks?.joined(separator: ","))
      json.number("fired_ago_s", firedAgoS, decimals: 3)
      json.number("repeats_in_s", repeatsInS, decimals: 3)
      json.string("mute", mute?.cause.rawValue)
      json.string("mute_reason", mute?.reason)
      json.string("author", acknowledgement?.author)
      json.string("comment", acknowledgement?.comment)
      json.number("acknowledged_t", acknowledgement?.at.seconds, decimals: 3)
    }
  }

  init?(_ json: JSONValue?) {
    guard let json, let isTold = json["told"]?.bool else { return nil }
    self.isTold = isTold
    mayBeTold = json["told_perhaps"]?.bool ?? false
    isToldAsFlapping = json["told_flapping"]?.bool ?? false
    sinks = json["sinks"]?.string.map { $0.split(separator: ",").map(String.init) }
    firedAgoS = json["fired_ago_s"]?.number
    repeatsInS = json["repeats_in_s"]?.number
    mute = json["mute"]?.string.flatMap { Mute.Cause(rawValue: $0) }.map { Mute($0, json["mute_reason"]?.string ?? "") }
    guard let author = json["author"]?.string, let at = json["acknowledged_t"]?.number else { return }
    acknowledgement = AlertAcknowledgement(
      author: author, comment: json["comment"]?.string ?? "", at: WallTime(seconds: at))
  }
}

/// What a rule remembers of its subject.
struct KeptMemory: Equatable, Sendable {
  /// How long ago each was [s], oldest first.
  var strikesAgoS: [Double]
  /// How strong each was [g]; empty where that means nothing.
  var strikesG: [Double]
  /// Of each shake or impact that was counted: its run, its number, and how long ago [s].
  var shakes: [[Double]]
  var raisesAgoS: [Double]
  var flap: (id: String, since: WallTime, changedAgoS: Double, isTold: Bool)?
  var upright: (face: Face, up: Vector)?
  /// The place where it stands or stood, and the one where it has been since.
  var parking: Place?
  var stand: Place?
  var finding: FindingNote?

  struct Place: Equatable, Sendable {
    var latitude: Double, longitude: Double, accuracyM: Double, agoS: Double
    var isParked: Bool
  }

  static func == (a: KeptMemory, b: KeptMemory) -> Bool {
    a.strikesAgoS == b.strikesAgoS && a.strikesG == b.strikesG && a.shakes == b.shakes
      && a.raisesAgoS == b.raisesAgoS
      && a.flap?.id == b.flap?.id
      && a.flap?.changedAgoS == b.flap?.changedAgoS && a.upright?.face == b.upright?.face
      && a.upright?.up == b.upright?.up && a.parking == b.parking && a.stand == b.stand
      && a.finding == b.finding
  }

  /// Nil when nothing is remembered.
  init?(_ memory: RuleMemory, at now: Instant) {
    guard memory != RuleMemory() else { return nil }
    strikesAgoS = memory.strikes.map { now - $0.at }
    strikesG = memory.strikes.contains { $0.peakG != nil } ? memory.strikes.map { $0.peakG ?? 0 } : []
    shakes = memory.shakes.map { [Double($0.identity.boot.value), Double($0.identity.id), now - $0.at] }
    raisesAgoS = memory.raises.map { now - $0 }
    flap = memory.flap.map { ($0.id, $0.since, now - $0.changed, $0.isTold) }
    upright = memory.upright.map { ($0.face, $0.up) }
    parking = memory.parking.map { Place($0, at: now) }
    stand = memory.stand.map { Place($0, at: now) }
    finding = memory.finding
  }

  func memory(agoS: Double, at now: Instant) -> RuleMemory {
    var memory = RuleMemory()
    memory.shakes = shakes.compactMap { shake in
      guard let identity = Self.identity(shake) else { return nil }
      return RuleMemory.CountedShake(identity: identity, at: now - (shake[2] + agoS))
    }
    memory.strikes = strikesAgoS.indices.map { place in
      RuleMemory.Strike(
        at: now - (strikesAgoS[place] + agoS),
        // What was counted at one moment is one thing.
        shake: shakes.first { $0.last == strikesAgoS[place] }.flatMap(Self.identity),
        peakG: strikesG.count == strikesAgoS.count ? strikesG[place] : nil)
    }
    memory.raises = raisesAgoS.map { now - ($0 + agoS) }
    memory.flap = flap.map {
      RuleMemory.Flap(
        id: $0.id, since: $0.since, changed: now - ($0.changedAgoS + agoS), isTold: $0.isTold)
    }
    memory.upright = upright.map { OrientationMessage(face: $0.face, previous: .unknown, tiltDeg: 0, up: $0.up) }
    memory.parking = parking?.parking(agoS: agoS, at: now)
    memory.stand = stand?.parking(agoS: agoS, at: now)
    memory.finding = finding
    return memory
  }

  private static func identity(_ shake: [Double]) -> ShakeIdentity? {
    guard shake.count == 3, let boot = UInt32(exactly: shake[0]), let id = Int(exactly: shake[1]) else { return nil }
    return ShakeIdentity(boot: BootID(boot), id: id)
  }

  func encode(_ json: inout JSONWriter) {
    json.object("memory") { json in
      if !strikesAgoS.isEmpty { json.numbers("strikes_ago_s", strikesAgoS, decimals: 3) }
      if !strikesG.isEmpty { json.numbers("strikes_g", strikesG, decimals: 6) }
      if !shakes.isEmpty {
        json.array("shakes") { json in
          for shake in shakes { json.array { json in for number in shake { json.number(number, decimals: 3) } } }
        }
      }
      if !raisesAgoS.isEmpty { json.numbers("raises_ago_s", raisesAgoS, decimals: 3) }
      json.string("flap", flap?.id)
      json.boolean("flap_told", flap?.isTold)
      json.number("flap_since_t", flap?.since.seconds, decimals: 3)
      json.number("flap_changed_ago_s", flap?.changedAgoS, decimals: 3)
      json.string("face", upright?.face.rawValue)
      if let up = upright?.up { json.numbers("up", [up.x, up.y, up.z], decimals: 6) }
      parking?.encode("parking", &json)
      stand?.encode("stand", &json)
      json.string("finding", finding?.kind.rawValue)
      json.number("span_s", finding?.spanS, decimals: 3)
      json.number("extent_m", finding?.extentM, decimals: 1)
    }
  }

  init?(_ json: JSONValue?) {
    guard let json else { return nil }
    strikesAgoS = json["strikes_ago_s"]?.array?.compactMap(\.number) ?? []
    strikesG = json["strikes_g"]?.array?.compactMap(\.number) ?? []
    shakes = json["shakes"]?.array?.map { $0.array?.compactMap(\.number) ?? [] } ?? []
    raisesAgoS = json["raises_ago_s"]?.array?.compactMap(\.number) ?? []
    if let id = json["flap"]?.string, let since = json["flap_since_t"]?.number,
      let ago = json["flap_changed_ago_s"]?.number
    {
      flap = (id, WallTime(seconds: since), ago, json["flap_told"]?.bool ?? false)
    }
    if let face = json["face"]?.string.flatMap({ Face(rawValue: $0) }),
      let up = json["up"]?.array?.compactMap(\.number), up.count == 3
    {
      upright = (face, Vector(up[0], up[1], up[2]))
    }
    parking = Place(json["parking"])
    stand = Place(json["stand"])
    if let kind = json["finding"]?.string.flatMap({ Together.Kind(rawValue: $0) }), let spanS = json["span_s"]?.number {
      finding = FindingNote(kind: kind, spanS: spanS, extentM: json["extent_m"]?.number)
    }
  }
}

extension KeptMemory.Place {
  fileprivate init(_ parking: RuleMemory.Parking, at now: Instant) {
    self.init(
      latitude: parking.latitude, longitude: parking.longitude, accuracyM: parking.accuracyM,
      agoS: now - parking.since, isParked: parking.isParked)
  }

  fileprivate func parking(agoS passedS: Double, at now: Instant) -> RuleMemory.Parking {
    RuleMemory.Parking(
      latitude: latitude, longitude: longitude, accuracyM: accuracyM, since: now - (agoS + passedS), isParked: isParked)
  }

  fileprivate func encode(_ key: StaticString, _ json: inout JSONWriter) {
    json.object(key) { json in
      json.number("lat", latitude, decimals: 7)
      json.number("lon", longitude, decimals: 7)
      json.number("acc_m", accuracyM, decimals: 2)
      json.number("ago_s", agoS, decimals: 3)
      json.boolean("parked", isParked)
    }
  }

  fileprivate init?(_ json: JSONValue?) {
    guard let json, let latitude = json["lat"]?.number, let longitude = json["lon"]?.number,
      let accuracyM = json["acc_m"]?.number, let agoS = json["ago_s"]?.number, let isParked = json["parked"]?.bool
    else { return nil }
    self.init(latitude: latitude, longitude: longitude, accuracyM: accuracyM, agoS: agoS, isParked: isParked)
  }
}

extension JSONWriter {
  fileprivate mutating func numbers(_ key: StaticString, _ values: [Double], decimals: Int) {
    array(key) { json in for value in values { json.number(value, decimals: decimals) } }
  }
}
