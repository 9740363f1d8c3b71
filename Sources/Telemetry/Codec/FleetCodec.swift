extension FleetStatusMessage {
  /// The payload of `judder-fleet/status`.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.integer("v", Envelope.version)
      json.string("state", state.rawValue)
      json.number("t", time?.seconds, decimals: Decimals.time)
      json.text("agent", agent)
      json.integer("nodes", nodes)
      json.integer("firing", firing)
      json.string("store", store?.rawValue)
      json.text("trouble", trouble)
    }
    return json.bytes
  }

  /// Reads a payload that may be anything.
  public static func decode(payload: [UInt8]) throws(DecodingProblem) -> FleetStatusMessage {
    let reader = try MessageReader(payload: payload)
    var message = FleetStatusMessage(try reader.word("state"), time: try reader.timeIfPresent("t"))
    if message.state != .lost, message.time == nil { throw reader.missing("t", "seconds since 1970") }
    message.agent = try reader.textIfPresent("agent")
    message.nodes = try reader.countIfPresent("nodes")
    message.firing = try reader.countIfPresent("firing")
    message.store = try reader.wordIfPresent("store")
    message.trouble = try reader.textIfPresent("trouble")
    return message
  }
}

extension AlertMessage {
  /// The payload of `judder-fleet/alerts/<rule>/<subject>`.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.integer("v", Envelope.version)
      json.text("id", id)
      json.text("rule", rule)
      json.text("node", node)
      json.string("state", state.rawValue)
      json.number("t", time.seconds, decimals: Decimals.time)
      json.number("since_t", since.seconds, decimals: Decimals.time)
      json.text("summary", summary)
      json.integer("count", count)
      json.number("value", value, decimals: Decimals.any)
      json.text("kind", kind)
      json.text("severity", severity)
      json.text("site", site)
      json.text("group", group)
      json.text("title", title)
      json.text("muted", muted)
      json.text("acknowledged_by", acknowledgedBy)
    }
    return json.bytes
  }

  /// Reads a payload that may be anything.
  public static func decode(payload: [UInt8]) throws(DecodingProblem) -> AlertMessage {
    let reader = try MessageReader(payload: payload)
    var message = AlertMessage(
      rule: try reader.text("rule"), node: try reader.textIfPresent("node"), state: try reader.word("state"),
      time: try reader.time("t"), since: try reader.time("since_t"), summary: try reader.text("summary"),
      count: try reader.count("count"), value: try reader.numberIfPresent("value", in: Bounds.any),
      id: try reader.textIfPresent("id"))
    message.kind = try reader.textIfPresent("kind")
    message.severity = try reader.textIfPresent("severity")
    message.site = try reader.textIfPresent("site")
    message.group = try reader.textIfPresent("group")
    message.title = try reader.textIfPresent("title")
    message.muted = try reader.textIfPresent("muted")
    message.acknowledgedBy = try reader.textIfPresent("acknowledged_by")
    return message
  }
}
