internal import Telemetry

/// Finds the event for which a broker ends the connection, so that it cannot hold up the others for ever.
///
/// What was under way each time three connections in a row ended without a single answer is suspect. A suspect waits
/// until nothing else does, and is sent alone. When the connection ends over it, that is a strike if the broker said
/// that it was its doing: three are the end of it. Where the connection just broke it may have been the link, so that
/// it takes ten, and they count only where the broker had answered something else before: a bad link alone convicts
/// nobody.
struct PoisonWatch: Equatable, Sendable {
  private static let barrenConnections = 3
  private static let strikes = 3
  /// How much a broken connection counts of one that the broker ended, in parts of `strikes`.
  private static let doubtfulStrikes = 10
  private static let mostSuspects = 100

  private struct Strikes: Equatable {
    var certain = 0
    var doubtful = 0
  }

  private var suspects: [EventKey: Strikes] = [:]
  private var barren = 0
  private var candidates: Set<EventKey> = []
  private var hasAnswer = false

  func isSuspect(_ key: EventKey) -> Bool { !suspects.isEmpty && suspects[key] != nil }

  mutating func connect() { hasAnswer = false }

  /// The broker answered for an event, whatever it was.
  mutating func answer(_ key: EventKey) {
    hasAnswer = true
    barren = 0
    if !candidates.isEmpty { candidates = [] }
    if !suspects.isEmpty { suspects[key] = nil }
  }

  /// The event is gone.
  mutating func forget(_ key: EventKey) {
    if !suspects.isEmpty { suspects[key] = nil }
    if !candidates.isEmpty { candidates.remove(key) }
  }

  /// The connection ended. Answers the event that is to be given up, if any.
  mutating func disconnect(underWay: [EventKey], isThrownOut: Bool) -> EventKey? {
    guard let first = underWay.first else { return nil }
    if underWay.count == 1, var strikes = suspects[first] {
      if isThrownOut { strikes.certain += 1 } else if hasAnswer { strikes.doubtful += 1 }
      suspects[first] = strikes
      if strikes.certain >= Self.strikes || strikes.doubtful >= Self.doubtfulStrikes {
        suspects[first] = nil
        return first
      }
    }
    if !hasAnswer { suspect(underWay) }
    return nil
  }

  private mutating func suspect(_ underWay: [EventKey]) {
    let shared = candidates.intersection(underWay)
    (barren, candidates) = shared.isEmpty ? (1, Set(underWay)) : (barren + 1, shared)
    guard barren >= Self.barrenConnections else { return }
    for key in candidates where suspects[key] == nil && suspects.count < Self.mostSuspects { suspects[key] = Strikes() }
  }
}
