public import Telemetry

/// What was kept of some nodes, and of alerts. It comes in parts, so that a large fleet never is in memory twice.
public struct KeptFleet: Equatable, Sendable {
  /// Nodes in one part at the most.
  public static let nodesInPart = 256
  /// How such keys begin in the table `meta`.
  static let notePrefix = "note/"

  /// In the order in which they were first heard of.
  public var nodes: [KeptNode]
  /// All of them, in the last part, like what follows.
  public var alerts: [KeptAlert]
  /// Silences, those that are over, too.
  public var silences: [KeptSilence] = []
  /// What the owner keeps besides, by its key: text of the owner's.
  public var notes: [String: [UInt8]] = [:]
  /// Commands to nodes.
  public var wishes: [KeptWish] = []

  public init(nodes: [KeptNode], alerts: [KeptAlert]) {
    self.nodes = nodes
    self.alerts = alerts
  }
}

/// What was kept of one node.
public struct KeptNode: Equatable, Sendable {
  /// Runs that are said at the most: the last ones.
  public static let maximumBoots = 9

  /// The level of its topics.
  public var name: NodeName
  /// The newest message of each stream.
  public var latest: [LatestRow]
  /// The last runs, the one heard last at the end.
  public var boots: [KeptBoot]

  public init(name: NodeName, latest: [LatestRow], boots: [KeptBoot]) {
    self.name = name
    self.latest = latest
    self.boots = boots
  }
}

/// What was kept of one run of a node.
public struct KeptBoot: Equatable, Sendable {
  /// Ranges above `sequence` that are said at the most: the highest.
  public static let maximumRanges = 256

  /// Which.
  public var boot: BootID
  /// When its first and its last event came.
  public var first: WallTime, last: WallTime
  /// The highest number; 0: it was only noted.
  public var highest: UInt64
  /// All of 1 to this are stored or were given up.
  public var sequence: UInt64
  /// Further numbers that are stored or were given up.
  public var also: [ClosedRange<UInt64>]
  /// The best clock that it is known to have had.
  public var clock: ClockState?
  /// See `BootNote`; and how often an event came twice, or another one under the number of one that was there.
  public var interleavings: Int, replays: Int, duplicates: Int, conflicts: Int

  public init(
    boot: BootID, first: WallTime, last: WallTime, highest: UInt64, sequence: UInt64, also: [ClosedRange<UInt64>],
    clock: ClockState?, interleavings: Int, replays: Int, duplicates: Int, conflicts: Int
  ) {
    self.boot = boot
    self.first = first
    self.last = last
    self.highest = highest
    self.sequence = sequence
    self.also = also
    self.clock = clock
    self.interleavings = interleavings
    self.replays = replays
    self.duplicates = duplicates
    self.conflicts = conflicts
  }
}
