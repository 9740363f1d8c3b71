/// How many samples are missing, for messages that follow each other.
///
/// A reader that was late makes a hole in the times of arrival, and what seemed to be missing follows at once. So a
/// hole is believed only when so many samples have come in time after it; until then it belongs to no message. What was
/// told and comes all the same is a debt that the next losses pay, since no message can take anything back: the sum
/// over all messages is right as soon as they have.
struct MissedCount: Equatable, Sendable {
  /// So many samples in time make a hole certain.
  private let patience: Int
  /// Below 0 it is owed.
  private var count = 0
  /// A hole that may be none.
  private var doubtful = 0
  /// Samples in time since that hole.
  private var inTime = 0
  /// What the messages before this one said together: no more than that can be owed.
  private var toldBefore = 0

  /// - Parameter patience: 0 where a message must tell of a hole at once.
  init(patience: Int) {
    self.patience = patience
  }

  /// What the message says, 0 and more.
  var told: Int { max(0, count) }

  /// Takes what `RateEstimator.feed` answers: below 0 where samples come that seemed to be missing.
  mutating func add(_ missed: Int) {
    if missed == 0 {
      guard doubtful > 0 else { return }
      inTime += 1
    } else {
      inTime = 0
      doubtful += missed
    }
    if doubtful < 0 || inTime >= patience { settle() }
  }

  /// Believes what is still in doubt: nothing follows that could tell.
  mutating func settle() {
    count = max(count + doubtful, -toldBefore)
    doubtful = 0
    inTime = 0
  }

  /// Begins the next message, which pays what is owed.
  mutating func next() {
    toldBefore += told
    count = min(0, count)
  }
}
