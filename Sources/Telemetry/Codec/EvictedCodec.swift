extension EvictedMessage {
  func write(to json: inout JSONWriter) {
    json.string("of_boot", boot?.description)
    json.integer("from_seq", first)
    json.integer("to_seq", last)
    json.runs("runs", runs)
    json.integer("events", count)
    if !counts.isEmpty { json.object("counts") { writeCounts(to: &$0) } }
    json.integer("bytes", bytes)
    json.string("reason", reason.rawValue)
  }

  private func writeCounts(to json: inout JSONWriter) {
    json.integer("shake", counts[.shake])
    json.integer("waveform", counts[.waveform])
    json.integer("impact", counts[.impact])
    json.integer("freefall", counts[.freeFall])
    json.integer("orientation", counts[.orientation])
    json.integer("location", counts[.location])
    json.integer("geofence", counts[.geofence])
    json.integer("evicted", counts[.evicted])
  }

  private static let countedStreams: [(key: String, stream: Stream)] = [
    ("shake", .shake), ("waveform", .waveform), ("impact", .impact), ("freefall", .freeFall),
    ("orientation", .orientation), ("location", .location), ("geofence", .geofence), ("evicted", .evicted),
  ]

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      boot: reader.has("of_boot") ? try reader.boot("of_boot") : nil, first: UInt64(try reader.count("from_seq")),
      last: UInt64(try reader.count("to_seq")), runs: try reader.runs("runs", most: Self.mostRuns),
      count: try reader.countIfPresent("events"), bytes: try reader.countIfPresent("bytes"), try reader.word("reason"))
    if let part = try reader.objectIfPresent("counts") {
      for (key, stream) in Self.countedStreams { counts[stream] = try part.countIfPresent(key) }
    }
    guard last >= first else { throw reader.outOfRange("to_seq", "\(first) or more") }
    if let lowest = runs.first?.lowerBound, let highest = runs.last?.upperBound, lowest != first || highest != last {
      throw reader.outOfRange("runs", "runs from \(first) to \(last)")
    }
    if reason != .damaged, count == nil { throw reader.missing("events", "a whole number") }
  }
}

extension AckMessage {
  /// The payload: one line of compact JSON, as docs/MESSAGES.md describes it.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.integer("v", Envelope.version)
      json.string("boot", boot.description)
      json.integer("seq", sequence)
      json.runs("also", also)
    }
    return json.bytes
  }

  /// Reads a payload that may be anything.
  public static func decode(payload: [UInt8]) throws(DecodingProblem) -> AckMessage {
    let reader = try MessageReader(payload: payload)
    let message = AckMessage(
      boot: try reader.boot("boot"), sequence: UInt64(try reader.count("seq")),
      also: try reader.runs("also", most: mostRuns))
    if let lowest = message.also.first?.lowerBound, lowest <= message.sequence {
      throw reader.outOfRange("also", "runs above \(message.sequence)")
    }
    return message
  }
}

extension JSONWriter {
  /// `[[from,to],...]`; left out when there is none.
  mutating func runs(_ key: StaticString, _ runs: [ClosedRange<UInt64>]) {
    guard !runs.isEmpty else { return }
    array(key) { array in
      for run in runs {
        array.array {
          $0.integer(run.lowerBound)
          $0.integer(run.upperBound)
        }
      }
    }
  }
}

extension MessageReader {
  /// Runs of numbers, ascending and with a gap between each two; none when absent.
  func runs(_ key: String, most: Int) throws(DecodingProblem) -> [ClosedRange<UInt64>] {
    let expected = "at most \(most) pairs of whole numbers, ascending and apart"
    guard let found = try elementsIfPresent(key, expected) else { return [] }
    guard found.count <= most else { throw outOfRange(key, expected) }
    var runs: [ClosedRange<UInt64>] = []
    runs.reserveCapacity(found.count)
    for element in found {
      guard let pair = element.array, pair.count == 2, let first = pair[0].integer, let last = pair[1].integer,
        first >= 0, first <= last, runs.last.map({ $0.upperBound + 1 < UInt64(first) }) ?? true
      else { throw outOfRange(key, expected) }
      runs.append(UInt64(first)...UInt64(last))
    }
    return runs
  }
}
