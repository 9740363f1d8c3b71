public import Telemetry

extension Together {
  /// All that has to be kept so that a restart changes nothing, as plain values. Nodes go by name: their numbers are
  /// given anew after a restart.
  public struct Snapshot: Equatable, Sendable {
    /// A shake that something may still join.
    public struct Shake: Equatable, Sendable {
      /// As it was noted; `participant.node` is of the run that kept it.
      public var shake: Together.Shake
      /// The open finding that it counts to.
      public var finding: Int?
      /// A refusal spoke of it.
      public var isExplained: Bool
    }

    /// A finding that was told and has not ended.
    public struct Finding: Equatable, Sendable {
      /// As it was told last.
      public var told: Together.Finding
      /// When.
      public var toldAt: WallTime
      /// Its first shake: by start and name.
      public var rootStart: WallTime
      public var rootName: NodeName
      /// Something may have joined since.
      public var isDirty: Bool
    }

    /// A node and how often it shakes.
    public struct Rate: Equatable, Sendable {
      public var participant: Participant
      /// When it became known.
      public var since: WallTime
      /// Shakes as of the last recount, forgotten with a time constant.
      public var shakes: Double
      /// Shakes since.
      public var pending: Int
      /// Shakes a second, as of the last recount.
      public var perS: Double
    }

    /// By start.
    public var shakes: [Shake]
    /// Those that have not ended.
    public var findings: [Finding]
    /// One for each node.
    public var rates: [Rate]
    /// When rates were brought up to date last.
    public var recounted: WallTime?
    /// The number of the newest finding.
    public var lastID: Int
  }

  /// What is worth keeping, as of now.
  public var snapshot: Snapshot {
    Snapshot(
      shakes: held.map { Snapshot.Shake(shake: $0.shake, finding: $0.finding, isExplained: $0.isExplained) },
      findings: open.compactMap { finding in
        let name = held.first { $0.key == finding.root }?.shake.participant.name
        return name.map {
          Snapshot.Finding(
            told: finding.told, toldAt: finding.toldAt, rootStart: WallTime(seconds: finding.root.start), rootName: $0,
            isDirty: finding.isDirty)
        }
      },
      rates: roster.entries.map {
        Snapshot.Rate(
          participant: $0.participant, since: WallTime(seconds: $0.since), shakes: $0.shakes, pending: $0.pending,
          perS: $0.perS)
      }, recounted: roster.recounted.map { WallTime(seconds: $0) }, lastID: lastID)
  }

  /// Goes on where an earlier run stopped: tells nothing again, and loses nothing. What has ended meanwhile is told by
  /// the next `passes(to:)`. Tallies and refusals begin anew.
  ///
  /// - Parameter index: the number that a node has now; nil for one that is no longer of the fleet.
  public init(_ settings: Settings, restoring snapshot: Snapshot, index: (NodeName) -> Int?) {
    self.init(settings)
    lastID = snapshot.lastID
    roster.recounted = snapshot.recounted?.seconds
    for rate in snapshot.rates {
      guard let participant = Self.renumbered(rate.participant, index) else { continue }
      roster.append(
        Roster.Entry(
          participant: participant, point: participant.place.map { GlobePoint($0) }, since: rate.since.seconds,
          shakes: rate.shakes, pending: rate.pending, perS: rate.perS))
    }
    held = snapshot.shakes.compactMap { kept in
      guard let participant = Self.renumbered(kept.shake.participant, index) else { return nil }
      var shake = kept.shake
      shake.participant = participant
      return Held(
        shake: shake, point: participant.place.map { GlobePoint($0) }, finding: kept.finding,
        isExplained: kept.isExplained)
    }.sorted { $0.key < $1.key }
    for shake in held { heldByNode[shake.node, default: 0] += 1 }
    for shake in held.indices {
      for (_, distanceM) in star(of: shake) { held[shake].star.count(distanceM, settings) }
    }
    open = snapshot.findings.compactMap { kept in
      guard let root = index(kept.rootName) else { return nil }
      var told = kept.told
      for member in told.members.indices {
        told.members[member].node = index(told.members[member].name) ?? told.members[member].node
      }
      return OpenFinding(
        root: Key(start: kept.rootStart.seconds, node: root), told: told, toldAt: kept.toldAt, isDirty: kept.isDirty)
    }
  }

  private static func renumbered(_ participant: Participant, _ index: (NodeName) -> Int?) -> Participant? {
    index(participant.name).map { number in
      var participant = participant
      participant.node = number
      return participant
    }
  }
}
