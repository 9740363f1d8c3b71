internal import Telemetry

/// What a crowd has said to its broker.
struct CrowdTally {
  private(set) var published: [Stream: Int] = [:]
  /// Events that the broker acknowledged.
  private(set) var acknowledged: [Stream: Int] = [:]
  /// What the broker refused.
  var refused = 0
  /// What had no connection, or found no room in the session.
  var dropped = 0
  /// Events that the session gave back, and that are offered again.
  var returned = 0
  var connects = 0

  mutating func publish(_ stream: Stream) { published[stream, default: 0] += 1 }
  mutating func acknowledge(_ stream: Stream) { acknowledged[stream, default: 0] += 1 }

  /// One line for people.
  ///
  /// - Parameter durationS: since the first node was started [s], > 0.
  func summary(durationS: Double) -> String {
    let total = published.values.reduce(0, +)
    let rate = Decimal.text(Double(total) / durationS, decimals: 1)
    let parts = [
      "published \(total)\(CrowdTally.streams(published))",
      "events acknowledged \(acknowledged.values.reduce(0, +))\(CrowdTally.streams(acknowledged))",
      "refused \(refused), dropped \(dropped), offered again \(returned), connections \(connects)",
      "\(rate) messages/s over \(Decimal.text(durationS, decimals: 1)) s",
    ]
    return parts.joined(separator: "; ")
  }

  private static func streams(_ counts: [Stream: Int]) -> String {
    let parts = Stream.allCases.compactMap { stream in counts[stream].map { "\(stream.rawValue) \($0)" } }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }
}
