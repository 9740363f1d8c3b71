/// A rule broken on purpose: a run that does not notice is no test.
enum Mutation: String, CaseIterable {
  /// The fleet tool acknowledges what it has read and not committed.
  case acknowledgesBeforeCommit
  /// Alerts are told before what they follow from is on the disk.
  case tellsBeforeCommit
  /// An event is released when the broker has it, though there is a fleet tool.
  case releasesAtBroker
  /// fdatasync(2) answers and does nothing.
  case syncsNothing
  /// fsync(2) of the folder answers and does nothing.
  case syncsNoFolder
  /// Segments are unlinked, and the file that says what was in them is never put in place.
  case unlinksWithoutState
  /// The fleet tool's store takes an event twice.
  case storesTwice
  /// What the spool gave up is not told to the node.
  case tellsNoEviction
  /// The node is not told that its connection broke.
  case hidesDisconnection
}
