/// How many samples are missing, for messages that follow each other.
///
/// What was told as missing in one message may come in the next: a reader was late, and the message ended in between.
/// No message can take anything back, so what came all the same is a debt that the next losses pay. The sum over all
/// messages is right as soon as they have.
struct MissedCount: Equatable, Sendable {
  /// Below 0 it is owed.
  private var count = 0
  /// What the messages before this one said together: no more than that can be owed.
  private var toldBefore = 0

  /// What the message says, 0 and more.
  var told: Int { max(0, count) }

  /// Takes what `RateEstimator.feed` answers: below 0 where samples come that were told as missing.
  mutating func add(_ missed: Int) { count = max(count + missed, -toldBefore) }

  /// Begins the next message, which pays what is owed.
  mutating func next() {
    toldBefore += told
    count = min(0, count)
  }
}
