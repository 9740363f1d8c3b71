public import Telemetry

/// What became of every message that came. Each is counted once, and `received` is the sum of the rest.
public struct Tally: Equatable, Sendable {
  /// Messages handed in.
  public internal(set) var received = 0
  /// The newest of its node's current boot.
  public internal(set) var newest = 0
  /// Of the current boot, after a newer one.
  public internal(set) var late = 0
  /// Of a boot that is over.
  public internal(set) var formerBoot = 0
  /// Events that had come before, live.
  public internal(set) var duplicates = 0
  /// What the broker had kept and was known already: it is said again with each subscription.
  public internal(set) var repeats = 0
  /// Wills of a boot other than the current one.
  public internal(set) var staleWills = 0
  /// Streams that this version doesn't know: a newer node's.
  public internal(set) var unknownStreams = 0
  /// What somebody asks of a node: not for the fleet tool.
  public internal(set) var commands = 0
  /// Empty payloads on retained streams: somebody took the retained message away.
  public internal(set) var cleared = 0
  /// The fleet tool's own alerts and status, or another fleet tool's.
  public internal(set) var own = 0
  /// What somebody asks of the fleet tool, or seems to; each is looked at by itself.
  public internal(set) var requests = 0
  /// `newest`, `late` and `formerBoot`, by stream.
  public internal(set) var taken: [Taken: Int] = [:]
  /// What could not be used, by reason.
  public internal(set) var rejected: [Rejection: Int] = [:]

  /// Messages of one stream that were taken, with what became of them.
  public struct Taken: Hashable, Sendable {
    public var stream: Stream
    public var receipt: Receipt

    init(_ stream: Stream, _ receipt: Receipt) {
      self.stream = stream
      self.receipt = receipt
    }
  }

  /// All that could not be used.
  public var rejectedTotal: Int { rejected.values.reduce(0, +) }

  /// For people: `12 messages: 9 taken, 2 passed over, 1 not used (payload_syntax 1)`.
  public var account: String {
    let taken = newest + late + formerBoot
    let counts = rejected.map { ($0.key.description, $0.value) }.sorted { $0.0 < $1.0 }
    let reasons = counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return "\(received) messages: \(taken) taken, \(accounted - taken - rejectedTotal) passed over, "
      + "\(rejectedTotal) not used" + (reasons.isEmpty ? "" : " (\(reasons))")
  }

  /// The sum of all that is counted apart: always `received`.
  public var accounted: Int {
    newest + late + formerBoot + duplicates + repeats + staleWills + unknownStreams + commands + cleared + own
      + requests + rejectedTotal
  }
}
