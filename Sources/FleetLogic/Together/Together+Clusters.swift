internal import Telemetry

extension Together {
  /// A finding as the shakes that are held make it.
  struct Cluster {
    var root: Int
    /// Every shake that belongs to it, by start; a node may be there more than once.
    var shakes: [Int]
    var need: Need
  }

  /// Finds all clusters from the start, and tells what changed.
  mutating func evaluate(at now: WallTime) -> [Finding] {
    var findings: [Finding] = []
    let clusters = clusters()
    for index in held.indices { held[index].finding = nil }
    var claimed: Set<Int> = []
    for cluster in clusters {
      let keys = Set(cluster.shakes.map { held[$0].key })
      let ours = open.indices.filter { keys.contains(open[$0].root) && !claimed.contains(open[$0].told.id) }
        .min { open[$0].told.id < open[$1].told.id }
      let id = ours.map { open[$0].told.id } ?? lastID + 1
      claimed.insert(id)
      for shake in cluster.shakes { held[shake].finding = id }
      if let ours {
        findings += tellGrown(ours, cluster, at: now)
      } else {
        lastID = id
        let finding = describe(cluster, id: id, .began)
        open.append(OpenFinding(root: held[cluster.root].key, told: finding, toldAt: now))
        findings.append(finding)
      }
    }
    return findings + merge(claimed)
  }

  private mutating func tellGrown(_ number: Int, _ cluster: Cluster, at now: WallTime) -> [Finding] {
    let told = open[number].told
    open[number].root = held[cluster.root].key
    let finding = describe(cluster, id: told.id, .grew)
    let isSame = finding.kind == told.kind && finding.members == told.members
    let isDue = open[number].toldAt + settings.growS <= now
    open[number].isDirty = !isSame && !isDue
    guard !isSame, isDue else { return [] }
    open[number].told = finding
    open[number].toldAt = now
    return [finding]
  }

  /// Ends findings that have become part of another.
  private mutating func merge(_ claimed: Set<Int>) -> [Finding] {
    let merged = open.filter { !claimed.contains($0.told.id) }
    open.removeAll { !claimed.contains($0.told.id) }
    return merged.map { finding in
      var last = finding.told
      last.state = .ended
      let other = held.first { $0.key == finding.root }?.finding
      last.reason = "it turned out to be part of another finding" + (other.map { ", number \($0)" } ?? "")
      return last
    }
  }

  /// All clusters, by the start of their first node. What was told once stays a cluster, and what belongs to one
  /// belongs to no later one.
  private mutating func clusters() -> [Cluster] {
    var clusters: [Cluster] = []
    var isTaken = [Bool](repeating: false, count: held.count)
    let told = Set(open.map(\.root))
    for root in held.indices where !isTaken[root] {
      let wasTold = told.contains(held[root].key)
      guard wasTold || isConfirmed(root) else { continue }
      let need = need(at: root)
      let star = star(of: root) { !isTaken[$0] }
      var verdict = verdict(root, star, need)
      if verdict == nil, wasTold {
        verdict = open.first { $0.root == held[root].key }?.told.kind == .local ? .near : .far
      }
      guard let verdict else { continue }
      let reachM = verdict == .near ? settings.localM : settings.radiusKm * 1000
      let shakes = closure(of: root, reachM: reachM, isTaken)
      for shake in shakes { isTaken[shake] = true }
      clusters.append(Cluster(root: root, shakes: shakes, need: need))
    }
    return clusters
  }

  /// Whether a star is confirmed, and if so whether it is one place or more; a place that would be a finding by itself
  /// counts as one node outside of it.
  private func verdict(_ root: Int, _ star: [(index: Int, distanceM: Double)], _ need: Need) -> Scale? {
    var counts = Counts()
    for (_, distanceM) in star { counts.count(distanceM, settings) }
    guard isConfirmedByCount(counts, need) else { return nil }
    let middle = star.filter { $0.distanceM <= settings.commonCauseKm * 1000 }
    if counts.middle + 1 >= need.middle, observations([root] + middle.map(\.index)) >= need.middle { return .middle }
    if counts.far + 1 >= need.far, observations([root] + star.map(\.index)) >= need.far { return .far }
    return counts.near + 1 >= need.near ? .near : nil
  }

  /// All free shakes within the span that link to the root, to one that does, and so on.
  private func closure(of root: Int, reachM: Double, _ isTaken: [Bool]) -> [Int] {
    var rest = held.indices[(root + 1)...].prefix { held[$0].start - held[root].start <= settings.spanS }
      .filter { !isTaken[$0] }
    var found = [root]
    var next = 0
    while next < found.count, !rest.isEmpty {
      let from = held[found[next]]
      next += 1
      rest = rest.filter { index in
        guard let distanceM = linkM(from, held[index]), distanceM <= reachM else { return true }
        found.append(index)
        return false
      }
    }
    return found.sorted()
  }

  /// How many nodes there are when those of one place count as one: of a chain of neighbours within `localM`, at least
  /// `leastNodes` of them, that is nowhere wider than `localM`.
  func observations(_ shakes: [Int]) -> Int {
    var chains = PlaceChains(sideM: settings.localM)
    for index in shakes { chains.add(held[index].point, site: held[index].shake.participant.site) }
    return chains.sizes.reduce(0) { sum, chain in
      let isOnePlace = chain.count >= settings.leastNodes && chain.extentM <= settings.localM
      return sum + (isOnePlace ? 1 : chain.count)
    }
  }
}
