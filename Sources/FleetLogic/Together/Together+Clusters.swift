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
    let numbers = numbers(of: clusters)
    for index in held.indices { held[index].finding = nil }
    for (cluster, number) in zip(clusters, numbers) {
      let id = number.map { open[$0].told.id } ?? lastID + 1
      for shake in cluster.shakes { held[shake].finding = id }
      if let number {
        findings += tellGrown(number, cluster, at: now)
      } else {
        lastID = id
        let finding = describe(cluster, id: id, .began)
        open.append(OpenFinding(root: held[cluster.root].key, told: finding, toldAt: now))
        findings.append(finding)
      }
    }
    return findings + merge(Set(numbers.compactMap { $0 }.map { open[$0].told.id }))
  }

  /// Which open finding each cluster goes on with: the oldest whose first shake it has, else the oldest of which it has
  /// a member, since what looked like a wave may turn out to be a machine and a stranger; nil for a new one.
  private func numbers(of clusters: [Cluster]) -> [Int?] {
    guard !open.isEmpty else { return clusters.map { _ in nil } }
    let keys = clusters.map { Set($0.shakes.map { held[$0].key }) }
    var claimed: Set<Int> = []
    var numbers = [Int?](repeating: nil, count: clusters.count)
    let conditions: [(OpenFinding, Set<Key>) -> Bool] = [
      { $1.contains($0.root) },
      { finding, keys in finding.told.members.contains { keys.contains(Key(start: $0.start.seconds, node: $0.node)) } },
    ]
    for belongs in conditions {
      for cluster in clusters.indices where numbers[cluster] == nil {
        let number = open.indices.first { !claimed.contains($0) && belongs(open[$0], keys[cluster]) }
        guard let number else { continue }
        claimed.insert(number)
        numbers[cluster] = number
      }
    }
    return numbers
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

  /// Ends findings whose nodes have become part of another. What is no cluster any more only because rates rose stays
  /// as it was told until its time is over.
  private mutating func merge(_ claimed: Set<Int>) -> [Finding] {
    var ended: [Finding] = []
    for number in open.indices.reversed() where open[number].told.id <= lastID {
      open[number].isDirty = open[number].isDirty && claimed.contains(open[number].told.id)
      var last = open[number].told
      let keys = Set(last.members.map { Key(start: $0.start.seconds, node: $0.node) })
      let other = held.first { keys.contains($0.key) && $0.finding != nil }?.finding
      guard !claimed.contains(last.id), let other, other != last.id else { continue }
      last.state = .ended
      last.reason = "it turned out to be part of another finding, number \(other)"
      ended.append(last)
      open.remove(at: number)
    }
    return ended
  }

  /// All clusters, by the start of their first node; what belongs to one belongs to no later one.
  private mutating func clusters() -> [Cluster] {
    var clusters: [Cluster] = []
    var isTaken = [Bool](repeating: false, count: held.count)
    for root in held.indices where !isTaken[root] && isConfirmed(root) {
      let need = need(at: root)
      let star = star(of: root) { !isTaken[$0] }
      guard let verdict = verdict(root, star, need) else { continue }
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
