extension Together {
  /// Where a link counts.
  enum Scale: CaseIterable {
    case near, middle, far
  }

  /// How far apart two nodes are [m], as far as they can join; nil when they cannot.
  func reachM(
    _ a: Participant, _ aPoint: GlobePoint?, _ b: Participant, _ bPoint: GlobePoint?
  ) -> Double? {
    guard let aPoint, let bPoint else {
      return a.site != nil && a.site == b.site ? 0 : nil
    }
    let distanceM = aPoint.distanceM(to: bPoint)
    return distanceM <= settings.radiusKm * 1000 ? distanceM : nil
  }

  /// How long after the one the other may shake [s]: the way of the slowest wave between where they may be, and slack.
  func windowS(_ a: Participant, _ b: Participant, distanceM: Double) -> Double {
    let furthestM = distanceM + (a.place?.accuracyM ?? 0) + (b.place?.accuracyM ?? 0)
    return min(settings.spanS, furthestM / (settings.speedKmS * 1000) + settings.slackS)
  }

  /// The distance of two linked shakes [m]; nil when they don't link.
  func linkM(_ a: Held, _ b: Held) -> Double? {
    let apartS = (b.start - a.start).magnitude
    guard apartS <= settings.spanS else { return nil }
    let (one, other) = (a.shake.participant, b.shake.participant)
    guard let distanceM = reachM(one, a.point, other, b.point),
      apartS <= windowS(one, other, distanceM: distanceM)
    else { return nil }
    return distanceM
  }

  /// Counts a new shake in the stars of those before it, and fills its own. Answers whose stars changed.
  mutating func countStars(at new: Int) -> [Int] {
    var touched: [Int] = []
    let isRepeated = heldByNode[held[new].node] != 1
    var index = new
    while index > 0 {
      index -= 1
      if held[new].start - held[index].start > settings.spanS { break }
      guard held[index].node != held[new].node, let distanceM = linkM(held[index], held[new]) else { continue }
      if isRepeated, isInStar(of: index, node: held[new].node, but: new) { continue }
      held[index].star.count(distanceM, settings)
      touched.append(index)
    }
    let own = star(of: new)
    for (_, distanceM) in own { held[new].star.count(distanceM, settings) }
    if !own.isEmpty { touched.append(new) }
    return touched
  }

  /// Whether another shake of a node is counted already.
  private func isInStar(of root: Int, node: Int, but new: Int) -> Bool {
    var index = root + 1
    while index < held.count, held[index].start - held[root].start <= settings.spanS {
      if index != new, held[index].node == node, linkM(held[root], held[index]) != nil { return true }
      index += 1
    }
    return false
  }

  /// The linked shakes at or after a shake, the first of each other node, with their distance [m].
  /// - Parameter isFree: which shakes count.
  func star(of root: Int, where isFree: (Int) -> Bool = { _ in true }) -> [(index: Int, distanceM: Double)] {
    var seen: Set<Int> = [held[root].node]
    var star: [(index: Int, distanceM: Double)] = []
    var index = root + 1
    while index < held.count, held[index].start - held[root].start <= settings.spanS {
      if isFree(index), let distanceM = linkM(held[root], held[index]), seen.insert(held[index].node).inserted {
        star.append((index, distanceM))
      }
      index += 1
    }
    return star
  }

  /// Whether a shake's star has what it needs within any of the distances, its places counted node by node.
  func isConfirmedByCount(_ star: Counts, _ need: Need) -> Bool {
    star.near + 1 >= need.near || star.middle + 1 >= need.middle || star.far + 1 >= need.far
  }

  /// As `isConfirmedByCount`, of one that is held. What a star needs is looked up only where it can matter.
  mutating func isConfirmed(_ index: Int) -> Bool {
    guard held[index].star.far + 1 >= settings.leastNodes else { return false }
    return isConfirmedByCount(held[index].star, need(at: index))
  }

  /// Counts a shake to the first open finding that it links to, so that nothing is looked for in vain.
  mutating func joinOpenFinding(_ new: Int) {
    for number in open.indices {
      let root = open[number].root
      let start = held[new].start
      guard (start - root.start).magnitude <= settings.spanS else { continue }
      let id = open[number].told.id
      let isMember = held.contains { $0.finding == id && linkM($0, held[new]) != nil }
      guard isMember else { continue }
      open[number].isDirty = true
      if start >= root.start { held[new].finding = open[number].told.id }
      return
    }
  }
}

extension Together.Counts {
  /// Counts a node at a distance [m].
  mutating func count(_ distanceM: Double, _ settings: Together.Settings) {
    far += 1
    if distanceM <= settings.commonCauseKm * 1000 { middle += 1 }
    if distanceM <= settings.localM { near += 1 }
  }
}
