/// Which MQTT version the next try speaks. A pure value.
///
/// MQTT 5 first. A broker that refuses it, by its answer or by closing the connection on our greeting, gets 3.1.1 in
/// the next try; what worked stays, and MQTT 5 has another chance on the first reconnect after a day.
struct VersionChoice: Sendable, Equatable {
  /// A broker that has spoken a version is believed to speak it until it hangs up this often in a row.
  private static let hangUpsBelieved = 3
  private static let secondChanceS = 86_400.0

  private let isFixed: Bool
  private(set) var next: ProtocolVersion
  /// What the broker has taken us in with, and when it did so last.
  private var worked: ProtocolVersion?
  private var fellBackAtS: Double?
  private var hangUps = 0

  init(_ version: BrokerSettings.Version) {
    isFixed = version != .automatic
    next = version == .v311 ? .v311 : .v5
  }

  /// The broker took us in.
  mutating func succeeded(atS now: Double) {
    if next == .v311, worked != .v311 { fellBackAtS = now }
    worked = next
    hangUps = 0
  }

  /// The broker said that it does not speak this version. True when the other one is worth a try at once: 3.1.1 after
  /// 5, but not round in a circle.
  mutating func wasRefused() -> Bool {
    guard !isFixed else { return false }
    if worked == next { worked = nil }
    next = other
    return next == .v311
  }

  /// The broker closed the connection on our greeting, without an answer.
  mutating func wasHungUpOn() {
    guard !isFixed else { return }
    hangUps += 1
    if worked != next || hangUps >= VersionChoice.hangUpsBelieved { next = other }
  }

  /// A connection has ended; the moment to think about a second chance for MQTT 5.
  mutating func connectionEnded(atS now: Double) {
    guard !isFixed, next == .v311, let fellBackAtS, now - fellBackAtS >= VersionChoice.secondChanceS else { return }
    self.fellBackAtS = now
    next = .v5
  }

  private var other: ProtocolVersion { next == .v5 ? .v311 : .v5 }
}
