public import Telemetry

/// A fleet that is only looked at.
extension FleetState {
  /// Says which nodes had fallen silent, after `restore`: those that nothing was kept of for longer than they promised
  /// to say something in. What comes often is kept but once a minute.
  public mutating func judgeSilence(at now: Instant) {
    for index in nodes.indices {
      let node = nodes[index]
      guard [.online, .unknown].contains(node.presence), let heard = node.lastSeen else { continue }
      let allowedS = node.silenceS + Self.latestIntervalS
      guard now - heard.instant > allowedS else { continue }
      nodes[index].presence = .silent
      nodes[index].presenceSince = Moment(instant: heard.instant + node.silenceS, wall: heard.wall + node.silenceS)
    }
  }
}
