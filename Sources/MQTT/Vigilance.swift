/// Notices a link that is dead though nobody closed it: half-open, black-holed, or with a broker that hangs. A pure
/// value.
///
/// libmosquitto pings when it has heard or said nothing for a keepalive, and gives the link up when another one has
/// passed. Here the answer to a ping has half a keepalive, and the acknowledgement of a publication a whole one.
/// Whatever is under way, or nothing at all, a dead link is then noticed within one and a half: the time after which
/// the broker has given us up as well (MQTT 5, 3.1.2.10).
struct Vigilance: Sendable, Equatable {
  /// The time by which libmosquitto's clock of whole seconds, and the waking, may be late [s].
  static let slackS = 0.5

  /// The keepalive in use [s].
  var keepaliveS: Double
  /// Instead of a keepalive, for acknowledgements [s].
  var acknowledgementDeadlineS: Double?
  private var spokeAtS: Double
  private var heardAtS: Double
  private var pingedAtS: Double?

  /// - Parameter now: the moment of the last packet so far.
  init(keepaliveS: Double, acknowledgementDeadlineS: Double?, atS now: Double) {
    self.keepaliveS = keepaliveS
    self.acknowledgementDeadlineS = acknowledgementDeadlineS
    spokeAtS = now
    heardAtS = now
  }

  /// How long an acknowledgement may take [s].
  var acknowledgementS: Double { acknowledgementDeadlineS ?? keepaliveS }

  /// How long the answer to a ping may take [s].
  var answerS: Double { max(1, keepaliveS / 2 - Vigilance.slackS) }

  /// A ping has no answer yet.
  var awaitsAnswer: Bool { pingedAtS != nil }

  /// A packet was handed to the socket, or came from it.
  mutating func spoke(atS now: Double) { spokeAtS = now }
  mutating func heard(atS now: Double) { heardAtS = now }

  mutating func pinged(atS now: Double) {
    spokeAtS = now
    if pingedAtS == nil { pingedAtS = now }
  }

  mutating func answered(atS now: Double) {
    heardAtS = now
    pingedAtS = nil
  }

  /// When to look again: the next ping is due, or one of the deadlines passes.
  ///
  /// - Parameter oldestS: when the oldest publication without an acknowledgement was handed over.
  func nextS(oldestS: Double?, atS now: Double) -> Double {
    // libmosquitto counts on its own, and some of what it says is not told here: better early and again.
    let pingS = max(min(spokeAtS, heardAtS) + keepaliveS, now + Vigilance.slackS)
    let deadlines = [
      pingedAtS.map { $0 + answerS } ?? pingS, oldestS.map { $0 + acknowledgementS }, now + 15,
    ]
    return deadlines.compactMap { $0 }.min() ?? pingS
  }

  /// What ends the connection now; nil: nothing.
  func overdue(oldestS: Double?, atS now: Double) -> LinkFailure.Cause? {
    if let pingedAtS, now - pingedAtS >= answerS { return .pingDeadline(seconds: answerS) }
    if let oldestS, now - oldestS >= acknowledgementS { return .acknowledgementDeadline(seconds: acknowledgementS) }
    return nil
  }
}
