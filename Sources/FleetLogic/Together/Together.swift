public import Telemetry

/// Finds out that many nodes shook together: a rule over the whole fleet, fed with the beginnings of shakes.
///
/// 1. Two shakes **link** when the nodes are within `radiusKm` and a wave of `speedKmS` could have gone from one to the
///    other, give or take `slackS`. Nodes without a place link only within their site.
/// 2. The **star** of a shake are the other nodes with a linked shake at its time or later. A wave reaches a node
///    first, and all others follow in the star of that one. Its nodes are counted within three distances.
/// 3. A star that has the nodes it needs is **confirmed**. It needs `leastNodes`, more where so many come together by
///    chance: see `need(at:)`. It is never confirmed by how fast a wave seems to be.
/// 4. A **finding** is a confirmed star and what links to any member within `spanS`. Those of one place that would be
///    a finding by themselves count as one there: a machine and a passer-by are no earthquake.
///
/// Findings depend on the set of shakes, not on the order in which they came, as long as they come within `horizonS`.
/// A value without a clock: `at` is the fleet tool's calendar, which has to be trusted and must not run backwards.
public struct Together: Sendable {
  /// As given.
  public let settings: Settings
  /// What was taken and left out so far.
  public internal(set) var tally = Tally()
  /// The newest refusals, oldest first; 32 at the most.
  public internal(set) var refusals: [Refusal] = []

  /// Shakes that something may still join, by `Held.order`.
  var held: [Held] = []
  /// How often each node is in `held`.
  var heldByNode: [Int: Int] = [:]
  var open: [OpenFinding] = []
  var lastID = 0
  var roster: Roster
  var needs: [Int: Need] = [:]

  /// Begins with nothing known.
  public init(_ settings: Settings = Settings()) {
    self.settings = settings
    roster = Roster(settings)
  }

  /// A shake that something may still join.
  struct Held: Sendable {
    var shake: Shake
    var point: GlobePoint?
    var star = Counts()
    /// The open finding that it belongs to, as far as was looked.
    var finding: Int?
    /// A refusal speaks of it.
    var isExplained = false

    var node: Int { shake.participant.node }
    var start: Double { shake.start.seconds }
    var key: Key { Key(start: start, node: node) }
  }

  /// The order of shakes, and what makes one the same as another.
  struct Key: Hashable, Comparable, Sendable {
    var start: Double
    var node: Int

    static func < (a: Key, b: Key) -> Bool { (a.start, a.node) < (b.start, b.node) }
  }

  /// Nodes of a star within each of the three distances; each includes the one before.
  struct Counts: Equatable, Sendable {
    var near = 0
    var middle = 0
    var far = 0
  }

  /// A finding that may still grow.
  struct OpenFinding: Sendable {
    var root: Key
    var told: Finding
    var toldAt: WallTime
    /// Something may have joined since it was looked at.
    var isDirty = false
  }

  /// That a node is there, and where: it could shake by chance. Tell all nodes at the start, and each that moves.
  public mutating func know(_ participant: Participant, at now: WallTime) {
    if !roster.know(participant, at: now) { tally.overflow += 1 }
    needs.removeAll(keepingCapacity: true)
  }

  /// As `know`, for a node that may be known as it is.
  mutating func knowAnew(_ participant: Participant, at now: WallTime) {
    if !roster.isKnown(participant) { know(participant, at: now) }
  }

  /// That a node no longer belongs to the fleet.
  public mutating func forget(node: Int) {
    roster.forget(node)
    needs.removeAll(keepingCapacity: true)
  }

  /// Takes the beginning of a shake, live or late, and answers what became of it and of the time that passed.
  public mutating func note(_ shake: Shake, at now: WallTime) -> [Finding] {
    let passed = passes(to: now)
    guard isAcceptable(shake, at: now) else { return passed }
    let new = Held(shake: shake, point: shake.participant.place.map { GlobePoint($0) })
    let index = held.lastIndex { $0.key < new.key }.map { $0 + 1 } ?? 0
    if index < held.count, held[index].key == new.key {
      tally.duplicate += 1
      return passed
    }
    guard held.count < settings.mostShakes, learn(shake.participant, at: now) else {
      tally.overflow += 1
      return passed
    }
    tally.taken += 1
    held.insert(new, at: index)
    heldByNode[new.node, default: 0] += 1
    let touched = countStars(at: index)
    joinOpenFinding(index)
    guard touched.contains(where: { held[$0].finding == nil && isConfirmed($0) }) else { return passed }
    return passed + evaluate(at: now)
  }

  /// What time alone brings: findings that end, and those that grew and were told too recently.
  public mutating func passes(to now: WallTime) -> [Finding] {
    var findings: [Finding] = []
    if open.contains(where: { $0.isDirty && ($0.toldAt + settings.growS <= now || ends($0) <= now) }) {
      findings = evaluate(at: now)
    }
    for index in open.indices.reversed() where ends(open[index]) <= now {
      findings.append(endedFinding(open[index]))
      open.remove(at: index)
    }
    expire(at: now)
    if roster.recount(at: now) { needs.removeAll(keepingCapacity: true) }
    return findings
  }

  /// When `passes(to:)` has something to say; nil while no finding is open.
  public var nextDeadline: WallTime? {
    open.map { $0.isDirty ? min($0.toldAt + settings.growS, ends($0)) : ends($0) }.min()
  }

  /// Nothing that comes from then on can join it.
  private func ends(_ finding: OpenFinding) -> WallTime {
    WallTime(seconds: finding.root.start + settings.keepS)
  }

  private mutating func isAcceptable(_ shake: Shake, at now: WallTime) -> Bool {
    let isTrusted = shake.clock == .ntp || shake.clock == .gps
    if !isTrusted || (shake.uncertaintyS ?? 0) > settings.slackS || !shake.start.seconds.isFinite {
      tally.untrustedClock += 1
    } else if shake.participant.place == nil && shake.participant.site == nil {
      tally.placeless += 1
    } else if now - shake.start > settings.horizonS {
      tally.late += 1
    } else if shake.start - now > settings.slackS {
      tally.ahead += 1
    } else {
      return true
    }
    return false
  }

  /// A node that shakes is one that is there. Answers false when there is no room for it.
  private mutating func learn(_ participant: Participant, at now: WallTime) -> Bool {
    if roster.isKnown(participant) { return true }
    needs.removeAll(keepingCapacity: true)
    return roster.know(participant, at: now)
  }

  /// Lets go of shakes that nothing can join any more, says why they were no finding, and counts them for the rates.
  private mutating func expire(at now: WallTime) {
    let gone = held.prefix { $0.start + settings.keepS < now.seconds }.count
    guard gone > 0 else { return }
    for index in 0..<gone {
      explain(index)
      let shake = held[index]
      roster.count(shake.node)
      heldByNode[shake.node, default: 1] -= 1
      if heldByNode[shake.node] == 0 { heldByNode[shake.node] = nil }
    }
    held.removeFirst(gone)
  }
}
