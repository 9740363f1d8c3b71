public import Telemetry

/// Nodes that spoke and were not taken in: the names of some, and about how many there were. Bounded, however many
/// names somebody makes up.
public struct Quarantine: Equatable, Sendable {
  /// Names kept at the most.
  public static let capacity = 1000

  /// A node that was not taken in.
  public struct Entry: Equatable, Sendable {
    /// As in its topics.
    public var name: NodeName
    /// Why: `notListed` or `tooManyNodes`.
    public var reason: Rejection
    /// Its messages since it is kept here.
    public var count: Int
    /// When the first and the last of these came.
    public var first: Moment, last: Moment
    /// It spoke again since the hand passed it.
    var isActive = false
  }

  private var ring: [Entry] = []
  private var places: [NodeName: Int] = [:]
  /// Where the next name goes, once the ring is full.
  private var hand = 0
  private var distinct = DistinctCount()
  /// Since the start.
  public private(set) var messages = 0
  /// When a line about it was in the log, and when it was kept.
  var said: Instant?
  var kept: Instant?
  /// Messages when it was kept.
  var keptMessages = 0

  public init() {}

  /// About how many nodes there were since the start: exact while all of them are kept, else within some 5 %.
  public var nodes: Int { ring.count < Self.capacity ? ring.count : max(ring.count, distinct.estimate) }

  /// Those kept, the one heard last first.
  public var entries: [Entry] { ring.sorted { ($1.last.instant, $0.name) < ($0.last.instant, $1.name) } }

  /// Notes a message. Where there is no room its node takes the place of one that spoke once and not again, so that
  /// names made up for one message each do not push out what is really there (the algorithm CLOCK).
  mutating func note(_ name: NodeName, _ reason: Rejection, at moment: Moment) {
    messages += 1
    if let place = places[name] {
      ring[place].count += 1
      ring[place].last = moment
      ring[place].isActive = true
      return
    }
    distinct.note(name)
    let entry = Entry(name: name, reason: reason, count: 1, first: moment, last: moment)
    guard ring.count >= Self.capacity else {
      places[name] = ring.count
      ring.append(entry)
      return
    }
    while ring[hand].isActive {
      ring[hand].isActive = false
      hand = (hand + 1) % Self.capacity
    }
    places[ring[hand].name] = nil
    places[name] = hand
    ring[hand] = entry
    hand = (hand + 1) % Self.capacity
  }
}
