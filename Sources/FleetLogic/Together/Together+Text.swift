internal import Telemetry

// What is kept over a restart, as JSON for the store's eyes only: rates by themselves, since they are many and change
// slowly.
extension Together.Snapshot {
  /// Shakes, findings, and what else changes with each shake.
  public func encodeRecent() -> [UInt8] {
    var json = JSONWriter(capacity: 4096)
    json.object { json in
      json.integer("last_id", lastID)
      json.number("recounted_t", recounted?.seconds, decimals: 3)
      json.array("shakes") { json in for shake in shakes { json.object { shake.encode(&$0) } } }
      json.array("findings") { json in for finding in findings { json.object { finding.encode(&$0) } } }
    }
    return json.bytes
  }

  /// How often each node shakes.
  public func encodeRates() -> [UInt8] {
    var json = JSONWriter(capacity: 4096)
    json.array { json in
      for rate in rates {
        json.object { json in
          rate.participant.encode(&json)
          json.number("since_t", rate.since.seconds, decimals: 3)
          json.number("shakes", rate.shakes, decimals: 6)
          json.integer("pending", rate.pending)
          json.number("per_s", rate.perS, decimals: 12)
        }
      }
    }
    return json.bytes
  }

  /// For 20 000 nodes and as many shakes, and findings over all of them.
  private static let limits = JSONLimits(bytes: 16 << 20, members: 1_000_000)

  /// Nil when `recent` is not what `encodeRecent` wrote; without `rates` they begin anew.
  public init?(recent: [UInt8], rates: [UInt8]?) {
    guard let json = try? JSONValue.parse(recent, limits: Self.limits), let lastID = json["last_id"]?.integer else {
      return nil
    }
    self.lastID = lastID
    recounted = json["recounted_t"]?.number.map { WallTime(seconds: $0) }
    shakes = json["shakes"]?.array?.compactMap { Shake($0) } ?? []
    findings = json["findings"]?.array?.compactMap { Finding($0) } ?? []
    self.rates = rates.flatMap { try? JSONValue.parse($0, limits: Self.limits) }?.array?.compactMap { Rate($0) } ?? []
  }
}

extension Together.Participant {
  fileprivate func encode(_ json: inout JSONWriter) {
    json.string("name", name.description)
    json.string("site", site)
    json.number("lat", place?.latitude, decimals: 7)
    json.number("lon", place?.longitude, decimals: 7)
    json.number("acc_m", place?.accuracyM, decimals: 2)
  }

  /// Its number is given anew.
  fileprivate init?(_ json: JSONValue) {
    guard let name = json["name"]?.string.flatMap({ NodeName($0) }) else { return nil }
    var place: Together.Place?
    if let latitude = json["lat"]?.number, let longitude = json["lon"]?.number {
      place = Together.Place(latitude: latitude, longitude: longitude, accuracyM: json["acc_m"]?.number)
    }
    self.init(node: 0, name: name, place: place, site: json["site"]?.string)
  }
}

extension Together.Snapshot.Shake {
  fileprivate func encode(_ json: inout JSONWriter) {
    shake.participant.encode(&json)
    json.number("start_t", shake.start.seconds, decimals: 6)
    json.string("clk", shake.clock.rawValue)
    json.number("uncertainty_s", shake.uncertaintyS, decimals: 6)
    json.number("peak_g", shake.peakG, decimals: 6)
    json.integer("finding", finding)
    json.boolean("explained", isExplained)
  }

  fileprivate init?(_ json: JSONValue) {
    guard let participant = Together.Participant(json), let start = json["start_t"]?.number,
      let clock = json["clk"]?.string.flatMap({ ClockQuality(rawValue: $0) })
    else { return nil }
    self.init(
      shake: Together.Shake(
        participant, start: WallTime(seconds: start), clock: clock, uncertaintyS: json["uncertainty_s"]?.number,
        peakG: json["peak_g"]?.number),
      finding: json["finding"]?.integer, isExplained: json["explained"]?.bool ?? false)
  }
}

extension Together.Snapshot.Finding {
  fileprivate func encode(_ json: inout JSONWriter) {
    json.integer("id", told.id)
    json.string("kind", told.kind.rawValue)
    json.string("state", told.state.rawValue)
    json.number("span_s", told.spanS, decimals: 6)
    json.number("lat", told.centre?.latitude, decimals: 7)
    json.number("lon", told.centre?.longitude, decimals: 7)
    json.number("extent_m", told.extentM, decimals: 1)
    json.integer("needed", told.needed)
    json.string("reason", told.reason)
    json.array("members") { json in
      for member in told.members {
        json.object { json in
          json.string("name", member.name.description)
          json.number("start_t", member.start.seconds, decimals: 6)
          json.number("peak_g", member.peakG, decimals: 6)
        }
      }
    }
    json.number("told_t", toldAt.seconds, decimals: 3)
    json.number("root_t", rootStart.seconds, decimals: 6)
    json.string("root", rootName.description)
    json.boolean("dirty", isDirty)
  }

  fileprivate init?(_ json: JSONValue) {
    guard let told = Together.Finding(json), let toldAt = json["told_t"]?.number, let root = json["root_t"]?.number,
      let rootName = json["root"]?.string.flatMap({ NodeName($0) })
    else { return nil }
    self.init(
      told: told, toldAt: WallTime(seconds: toldAt), rootStart: WallTime(seconds: root), rootName: rootName,
      isDirty: json["dirty"]?.bool ?? false)
  }
}

extension Together.Finding {
  fileprivate init?(_ json: JSONValue) {
    guard let id = json["id"]?.integer, let kind = json["kind"]?.string.flatMap({ Together.Kind(rawValue: $0) }),
      let state = json["state"]?.string.flatMap({ State(rawValue: $0) }), let spanS = json["span_s"]?.number,
      let needed = json["needed"]?.integer, let members = json["members"]?.array
    else { return nil }
    var centre: Together.Place?
    if let latitude = json["lat"]?.number, let longitude = json["lon"]?.number {
      centre = Together.Place(latitude: latitude, longitude: longitude)
    }
    self.init(
      id: id, kind: kind, state: state, members: members.compactMap { Member($0) }, spanS: spanS, centre: centre,
      extentM: json["extent_m"]?.number, needed: needed, reason: json["reason"]?.string ?? "")
  }
}

extension Together.Finding.Member {
  fileprivate init?(_ json: JSONValue) {
    guard let name = json["name"]?.string.flatMap({ NodeName($0) }), let start = json["start_t"]?.number else {
      return nil
    }
    self.init(node: 0, name: name, start: WallTime(seconds: start), peakG: json["peak_g"]?.number)
  }
}

extension Together.Snapshot.Rate {
  fileprivate init?(_ json: JSONValue) {
    guard let participant = Together.Participant(json), let since = json["since_t"]?.number,
      let shakes = json["shakes"]?.number, let pending = json["pending"]?.integer, let perS = json["per_s"]?.number
    else { return nil }
    self.init(participant: participant, since: WallTime(seconds: since), shakes: shakes, pending: pending, perS: perS)
  }
}
