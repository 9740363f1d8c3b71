/// The publications that libmosquitto has and nobody has settled. A pure value.
struct InFlight: Sendable, Equatable {
  private struct Entry: Sendable, Equatable {
    var messageID: Int32?
    let token: UInt64
    let qos: QoS
    let sinceS: Double
  }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }

  /// Publications with QoS 1 that wait for the broker's word.
  private(set) var unacknowledged = 0

  /// Tokens in the order in which they were handed over.
  var tokens: [UInt64] { entries.map(\.token) }

  /// When the oldest publication with QoS 1 was handed over; nil without one.
  var oldestS: Double? { entries.first { $0.qos == .atLeastOnce }?.sinceS }

  /// A publication is about to be handed over; its message id is not known yet.
  mutating func begin(token: UInt64, qos: QoS, atS now: Double) {
    entries.append(Entry(messageID: nil, token: token, qos: qos, sinceS: now))
    if qos == .atLeastOnce { unacknowledged += 1 }
  }

  /// It was handed over as `messageID`, unless it is settled by now.
  mutating func handedOver(as messageID: Int32) {
    guard let last = entries.indices.last, entries[last].messageID == nil else { return }
    entries[last].messageID = messageID
  }

  /// It was not taken.
  mutating func withdraw() {
    guard let last = entries.last, last.messageID == nil else { return }
    remove(at: entries.count - 1)
  }

  /// The publication with this message id is settled; nil for an id nobody knows.
  ///
  /// With QoS 0 that can come before `handedOver`: libmosquitto writes to the socket at once if it can.
  mutating func settle(_ messageID: Int32) -> (token: UInt64, qos: QoS)? {
    let known = entries.firstIndex { $0.messageID == messageID }
    guard let index = known ?? entries.firstIndex(where: { $0.messageID == nil && $0.qos == .atMostOnce }) else {
      return nil
    }
    let entry = entries[index]
    remove(at: index)
    return (entry.token, entry.qos)
  }

  private mutating func remove(at index: Int) {
    if entries[index].qos == .atLeastOnce { unacknowledged -= 1 }
    entries.remove(at: index)
  }
}
