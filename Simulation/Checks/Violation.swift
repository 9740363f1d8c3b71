/// What must hold after every step, or at the end.
enum Invariant: String, CaseIterable {
  /// What the spool reported stored is there after a crash.
  case i1Recoverable = "I1 stored means recoverable"
  /// What is recovered is what was written, and nothing stops the start.
  case i2Prefix = "I2 recovered is what was written"
  /// Numbers rise by one within a boot, and a boot is used once.
  case i3Sequence = "I3 numbers rise within a boot"
  /// What is released was acknowledged by the fleet tool, or given up and told.
  case i4Cursor = "I4 released only what was acknowledged"
  /// The folder keeps to its cap; what matters less goes first, and what went is told exactly.
  case i5Cap = "I5 within the cap, given up in order, told exactly"
  /// No descriptor is synced again after it failed.
  case i6Sync = "I6 no descriptor is trusted after a failed sync"
  /// A disk that fails stops nothing, and is used again when it works.
  case i7Degraded = "I7 goes on without the disk, and comes back"
  /// What is fetched is in the order of runs and numbers.
  case i8Order = "I8 in the order of boot and number"
  /// The fleet tool has each event once, and acknowledges only what is committed.
  case i9Once = "I9 stored once, acknowledged after the commit"
  /// Recovery that is interrupted loses nothing.
  case i10Recovery = "I10 recovery survives crashes"
  /// What was promised is at the fleet tool in the end, or told as given up.
  case endToEnd = "every kept event arrives or is told as given up"
  case countedOnce = "no event is counted twice"
  case alertedOnce = "no alert is told twice"
  case live = "live events are not starved by the backlog"
  case memory = "memory is bounded"
  case drains = "everything drains when faults stop"
}

/// One thing that does not hold.
struct Violation: Error, Equatable {
  var invariant: Invariant
  var step: Int
  /// Simulated time [s].
  var atS: Double
  /// What had just happened.
  var what: String
  var text: String
}
