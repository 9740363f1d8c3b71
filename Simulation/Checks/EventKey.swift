import Telemetry

/// One event of one node.
struct EventKey: Hashable {
  var node: Int
  var boot: UInt32
  var sequence: UInt64

  init(_ node: Int, _ boot: UInt32, _ sequence: UInt64) {
    (self.node, self.boot, self.sequence) = (node, boot, sequence)
  }
}

/// What became of an event, as one sees it who sees everything.
struct EventFate {
  var stream: Telemetry.Stream
  /// When the node first said something of it [s].
  var madeAtS: Double
  /// Which start of the node made it.
  var life: Int
  var size: Int
  /// The node heard that it is on the disk.
  var isStored = false
  /// The spool was told to forget it.
  var isReleased = false
  /// Its duty had ended with the broker's word, before the node knew of a fleet tool.
  var isLeftToBroker = false
  /// How often it went out, and how the broker answered.
  var publications = 0
  var answers: Set<Answer> = []
  /// It is in the fleet tool's store.
  var isCommitted = false
  /// The fleet tool said that it came.
  var isCounted = false
  /// The spool gave it up and said so.
  var isEvicted = false
  /// The events in the fleet tool's store that say that it was given up.
  var toldBy: Set<EventKey> = []
  var toldEvicted: Bool { !toldBy.isEmpty }
}
