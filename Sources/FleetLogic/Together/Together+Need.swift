extension Together {
  /// How many nodes a star needs within each distance, its first node included.
  struct Need: Equatable, Sendable {
    var near: Int
    var middle: Int
    var far: Int
    /// How many are expected to follow by chance within the far distance.
    var expectedFar: Double
    /// How many could follow within it.
    var others: Int
  }

  /// How many nodes must shake together around a shake's node.
  ///
  /// By chance node i shakes lambda_i times a second, and then each other node j follows within its window w_ij with a
  /// chance of at most lambda_j w_ij. Their number has a tail no heavier than that of the Poisson distribution with
  /// the same mean mu_i (Hoeffding 1956), so that stars of k nodes come by chance at a rate of at most
  /// sum(lambda_i P(Poisson(mu_i) >= k - 1)). Asking for P <= target / (3 sum(lambda)) at each node keeps the whole
  /// fleet, over the three distances, within `falsePerYear`. A node that shakes all the time adds at most 1 to mu.
  mutating func need(at index: Int) -> Need {
    let node = held[index].node
    if let known = needs[node] { return known }
    let need = need(of: held[index].shake.participant, held[index].point)
    needs[node] = need
    return need
  }

  private func need(of participant: Participant, _ point: GlobePoint?) -> Need {
    var near = 0.0
    var middle = 0.0
    var far = 0.0
    var others = 0
    for entry in roster.entries where entry.participant.node != participant.node {
      guard let distanceM = reachM(participant, point, entry.participant, entry.point) else { continue }
      let chance = min(1, entry.perS * windowS(participant, entry.participant, distanceM: distanceM))
      others += 1
      far += chance
      if distanceM <= settings.commonCauseKm * 1000 { middle += chance }
      if distanceM <= settings.localM { near += chance }
    }
    let yearS = 365.25 * 86400
    let allowed = settings.falsePerYear / (3 * max(roster.totalPerS * yearS, 1e-9))
    let count = { max(self.settings.leastNodes, 1 + Self.tail($0, allowed: allowed)) }
    return Need(near: count(near), middle: count(middle), far: count(far), expectedFar: far, others: others)
  }

  /// The smallest m for which a Poisson variable reaches m with at most this probability, by the bound of the tail
  /// with a geometric series: P(X >= m) <= p(m) / (1 - mean / (m + 1)).
  static func tail(_ mean: Double, allowed: Double) -> Int {
    guard mean > 0 else { return 1 }
    var logTerm = -mean
    let logAllowed = log(allowed)
    for m in 1...1_000_000 {
      logTerm += log(mean / Double(m))
      let ratio = mean / Double(m + 1)
      if ratio < 1, logTerm - log(1 - ratio) <= logAllowed { return m }
    }
    return .max / 2
  }
}
