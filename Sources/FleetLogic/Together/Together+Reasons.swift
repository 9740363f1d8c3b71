internal import Telemetry

extension Together {
  /// A cluster in the words of a finding.
  func describe(_ cluster: Cluster, id: Int, _ state: Finding.State) -> Finding {
    var seen: Set<Int> = []
    let first = cluster.shakes.filter { seen.insert(held[$0].node).inserted }
    let points = first.compactMap { held[$0].point }
    let starts = first.map { held[$0].start }
    let extentM = points.isEmpty ? nil : GlobePoint.extentM(of: points)
    let members = first.map { index in
      let shake = held[index].shake
      return Finding.Member(
        node: shake.participant.node, name: shake.participant.name, start: shake.start, peakG: shake.peakG)
    }
    let spanS = (starts.last ?? 0) - (starts.first ?? 0)
    let kind = kind(first, extentM: extentM)
    let needed = kind == .local ? cluster.need.near : min(cluster.need.middle, cluster.need.far)
    let reason =
      "\(first.count) nodes shook \(within(spanS, extentM)), \(words(kind)); \(why(needed, cluster.need))"
    return Finding(
      id: id, kind: kind, state: state, members: members, spanS: spanS,
      centre: GlobePoint.centre(of: points).flatMap { Place(latitude: $0.latitude, longitude: $0.longitude) },
      extentM: extentM, needed: needed, reason: reason)
  }

  /// What shook them, by how far they are apart and how quickly they followed each other.
  private func kind(_ shakes: [Int], extentM: Double?) -> Kind {
    guard let extentM, extentM > settings.localM else { return .local }
    let enough = Int((settings.commonCauseShare * Double(shakes.count)).rounded(.up))
    var first = 0
    for last in shakes.indices {
      while held[shakes[last]].start - held[shakes[first]].start > settings.commonCauseS { first += 1 }
      guard last - first + 1 >= enough else { continue }
      let points = shakes[first...last].compactMap { held[$0].point }
      if GlobePoint.extentM(of: points) > settings.commonCauseKm * 1000 { return .commonCause }
    }
    return .groundMotion
  }

  private func words(_ kind: Kind) -> String {
    switch kind {
    case .local: "all in one place: something that shakes there"
    case .commonCause: "too far apart for a wave in that time: power, clocks or firmware rather than the ground"
    case .groundMotion: "as a wave through the ground would reach them"
    }
  }

  private func within(_ spanS: Double, _ extentM: Double?) -> String {
    "within \(Decimal.text(spanS, decimals: 1)) s" + (extentM.map { " over \(Self.length($0))" } ?? " at one site")
  }

  private static func length(_ metres: Double) -> String {
    metres < 1000
      ? "\(Decimal.text(metres, decimals: 0)) m"
      : "\(Decimal.text(metres / 1000, decimals: metres < 10_000 ? 1 : 0)) km"
  }

  /// Why so many are needed.
  private func why(_ needed: Int, _ need: Need) -> String {
    let chance = "\(Decimal.text(need.expectedFar, decimals: 3)) of \(need.others) others follow one by chance"
    if needed == settings.leastNodes { return "\(needed) are always needed (\(chance))" }
    let target = Decimal.text(settings.falsePerYear, decimals: settings.falsePerYear < 1 ? 3 : 0)
    return "\(needed) are needed for at most \(target) false findings a year (\(chance))"
  }

  /// The last word on a finding.
  func endedFinding(_ finding: OpenFinding) -> Finding {
    var last = finding.told
    last.state = .ended
    last.reason =
      "nothing that could join has come for \(plain(settings.horizonS)) s; \(last.members.count) nodes in all"
    return last
  }

  /// Says why a shake that others followed was no finding, once for all of them, before it is let go.
  mutating func explain(_ index: Int) {
    guard held[index].finding == nil, !held[index].isExplained, held[index].star.far + 2 >= settings.leastNodes else {
      return
    }
    let star = star(of: index) { self.held[$0].finding == nil }
    guard star.count + 2 >= settings.leastNodes else { return }
    for (follower, _) in star { held[follower].isExplained = true }
    let need = need(at: index)
    let all = [index] + star.map(\.index)
    let extentM = GlobePoint.extentM(of: all.compactMap { held[$0].point })
    let spanS = (star.last.map { held[$0.index].start } ?? held[index].start) - held[index].start
    let count = all.count >= need.far ? "\(observations(all)) places" : "\(all.count) nodes"
    let shake = held[index].shake
    refusals.append(
      Refusal(
        name: shake.participant.name, start: shake.start,
        reason: "only \(count) shook \(within(spanS, extentM)); \(why(need.far, need))"))
    if refusals.count > 32 { refusals.removeFirst() }
  }
}
