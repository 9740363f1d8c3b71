internal import Telemetry

extension Together {
  /// The nodes that could take part, and how often each shakes.
  ///
  /// A rate is (n + 1) / T: n the shakes, T the time over which the node was watched, both forgotten with a time
  /// constant. The 1 makes it too high rather than too low, by one shake in T. Rates change only at recounts, a fixed
  /// time apart, and count only shakes that nothing can join any more: what is under way does not raise its own bar.
  struct Roster: Sendable {
    struct Entry: Sendable {
      var participant: Participant
      var point: GlobePoint?
      /// When the node became known, by the fleet tool's calendar [s].
      var since: Double
      /// Shakes, as of the last recount.
      var shakes = 0.0
      /// Shakes since.
      var pending = 0
      /// Shakes a second.
      var perS: Double
    }

    private let settings: Settings
    private(set) var entries: [Entry] = []
    private var indices: [Int: Int] = [:]
    /// The sum of all rates [1/s].
    private(set) var totalPerS = 0.0
    /// The time of the last recount, in whole `recountS` [s].
    var recounted: Double?

    init(_ settings: Settings) {
      self.settings = settings
    }

    /// Whether nothing about a node changed; a move within a tenth of `localM` is none.
    func isKnown(_ participant: Participant) -> Bool {
      guard let index = indices[participant.node] else { return false }
      let known = entries[index]
      guard known.participant.site == participant.site else { return false }
      guard let place = participant.place, let point = known.point else {
        return participant.place == nil && known.point == nil
      }
      return GlobePoint(place).distanceM(to: point) <= settings.localM / 10
    }

    /// Answers false when there is no room.
    mutating func know(_ participant: Participant, at now: WallTime) -> Bool {
      let point = participant.place.map { GlobePoint($0) }
      if let index = indices[participant.node] {
        entries[index].participant = participant
        entries[index].point = point
        return true
      }
      guard entries.count < settings.mostNodes else { return false }
      let entry = Entry(participant: participant, point: point, since: now.seconds, perS: 1 / settings.unknownS)
      append(entry)
      return true
    }

    mutating func append(_ entry: Entry) {
      indices[entry.participant.node] = entries.count
      entries.append(entry)
      totalPerS += entry.perS
    }

    mutating func forget(_ node: Int) {
      guard let index = indices.removeValue(forKey: node) else { return }
      totalPerS -= entries[index].perS
      let last = entries.removeLast()
      guard index < entries.count else { return }
      entries[index] = last
      indices[last.participant.node] = index
    }

    /// A shake of a node is over and done with.
    mutating func count(_ node: Int) {
      if let index = indices[node] { entries[index].pending += 1 }
    }

    /// Brings the rates up to date where it is time. Answers whether it was.
    mutating func recount(at now: WallTime) -> Bool {
      let step = settings.recountS
      let due = (now.seconds / step).rounded(.down) * step
      guard let last = recounted else {
        recounted = due
        return false
      }
      guard due > last else { return false }
      recounted = due
      let kept = exp(-(due - last) / settings.rateS)
      totalPerS = 0
      for index in entries.indices {
        let watchedS = settings.rateS * (1 - exp(-max(0, due - entries[index].since) / settings.rateS))
        entries[index].shakes = entries[index].shakes * kept + Double(entries[index].pending)
        entries[index].pending = 0
        entries[index].perS = (entries[index].shakes + 1) / max(watchedS, settings.unknownS)
        totalPerS += entries[index].perS
      }
      return true
    }
  }
}
