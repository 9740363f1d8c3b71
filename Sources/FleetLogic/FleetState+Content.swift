internal import Telemetry

/// What a telegram changes about its node.
extension FleetState {
  // MARK: Whether the node is there

  /// Notes what the message says about the node's presence.
  mutating func noteHeard(
    _ telegram: Telegram, _ receipt: Receipt, isNewBoot: Bool, retained: Bool, node index: Int, at moment: Moment
  ) {
    guard receipt != .formerBoot else { return }
    if retained { return noteKept(telegram, isNewBoot: isNewBoot, node: index, at: moment) }
    guard case .status(let status) = telegram.body, status.state == .lost else {
      nodes[index].lastSeen = moment
      nodes[index].silenceReference = silenceClock.reading(at: moment.instant)
      return noteAlive(telegram, isNewBoot: isNewBoot, node: index, at: moment)
    }
    nodes[index].wills += 1
    // It said good-bye, and its connection broke before it could close it.
    guard nodes[index].presence != .stopped else { return }
    setPresence(.lost, "its connection was lost", node: index, telegram, at: moment)
    judgeLoss(node: index, at: moment)
  }

  /// A live message other than a will.
  private mutating func noteAlive(_ telegram: Telegram, isNewBoot: Bool, node index: Int, at moment: Moment) {
    if case .status(let status) = telegram.body, status.state == .stopped {
      return setPresence(.stopped, "it said good-bye", node: index, telegram, at: moment)
    }
    let was = nodes[index].presence
    // Events may still be on their way when the node has said good-bye.
    if was == .stopped, !isNewBoot, telegram.body.stream.isEvent { return }
    if was == .lost { nodes[index].flaps += 1 }
    let reason = if case .status = telegram.body { "it said so" } else { "it sent \(telegram.body.stream.rawValue)" }
    setPresence(.online, reason, node: index, telegram, at: moment)
  }

  /// A message that the broker had kept: its age is unknown, so that it says nothing about silence.
  private mutating func noteKept(_ telegram: Telegram, isNewBoot: Bool, node index: Int, at moment: Moment) {
    if let time = measured(telegram, node: index) {
      nodes[index].lastMeasured = max(time, nodes[index].lastMeasured ?? time)
    }
    guard case .status(let status) = telegram.body else { return }
    switch status.state {
    case .stopped: setPresence(.stopped, "the broker's last word", node: index, telegram, at: moment)
    case .lost: setPresence(.lost, "the broker's last word", node: index, telegram, at: moment)
    case .online:
      // It was online when it said so. If it has been silent since, that is nothing new.
      guard isNewBoot || nodes[index].presence != .silent else { return }
      if nodes[index].presence != .online {
        nodes[index].silenceReference = silenceClock.reading(at: moment.instant)
      }
      setPresence(.online, "the broker's last word", node: index, telegram, at: moment)
    }
  }

  mutating func setPresence(
    _ presence: Presence, _ reason: String, node index: Int, _ telegram: Telegram?, at moment: Moment
  ) {
    let was = nodes[index].presence
    guard presence != was else { return }
    nodes[index].presence = presence
    nodes[index].presenceSince = moment
    note(.presence(presence, was: was, reason: reason), node: index, telegram, at: moment)
    if presence == .lost || presence == .stopped || presence == .silent {
      endShakes(node: index, "the node is \(presence.rawValue)", at: moment)
    }
    settleAbsences(node: index, at: moment)
  }

  // MARK: What it said

  mutating func apply(
    _ telegram: Telegram, _ stamp: Stamp, _ mark: EventMark, retained: Bool, _ receipt: Receipt, node index: Int,
    at moment: Moment
  ) {
    switch telegram.body {
    case .status(let status):
      if status.state != .lost, receipt == .newest { applyStatus(status, telegram, node: index, at: moment) }
    case .acceleration(let acceleration):
      Self.fill(&nodes[index].acceleration, acceleration, stamp)
      if !retained { judgeClock(telegram, node: index, at: moment) }
    case .health(let health):
      let before = nodes[index].health
      guard Self.fill(&nodes[index].health, health, stamp), !retained else { return }
      judgeClock(telegram, node: index, at: moment)
      // What a run that is new to the fleet tool counted before is no news. Another run began at 0.
      let isSameRun = before?.stamp.envelope.boot == telegram.envelope.boot
      let known = before == nil ? health : isSameRun ? before?.content : nil
      judgeHealth(health, before: known, node: index, at: moment)
    case .orientation(let orientation):
      let was = nodes[index].orientation?.content.face
      guard Self.fill(&nodes[index].orientation, orientation, stamp) else { return }
      judgeOrientation(orientation, node: index, at: moment)
      guard was != orientation.face else { return }
      note(.face(orientation.face, was: was), node: index, telegram, mark.late, at: moment)
    case .location(let location):
      applyLocation(location, telegram, stamp, mark.late, node: index, at: moment)
    case .shake(let shake):
      Self.fill(&nodes[index].shake, shake, stamp)
      note(.shake(shake), node: index, telegram, mark.late, at: moment)
      if !retained { judgeTogether(shake, telegram, node: index, at: moment) }
      if !retained, receipt != .formerBoot { judgeShake(shake, telegram, ageS: mark.ageS, node: index, at: moment) }
    case .impact(let impact):
      note(.impact(impact), node: index, telegram, mark.late, at: moment)
      if !retained, receipt != .formerBoot { judgeImpact(impact, telegram, ageS: mark.ageS, node: index, at: moment) }
    case .freeFall(let fall):
      note(.freeFall(fall), node: index, telegram, mark.late, at: moment)
      if !retained, receipt != .formerBoot { judgeFall(fall, telegram, ageS: mark.ageS, node: index, at: moment) }
    case .geofence(let geofence):
      let isLatest = nodes[index].note(geofence, stamp)
      let ageS = stamp.age(at: moment.instant, clock)
      note(.geofence(geofence, ageS: ageS, isLatest: isLatest), node: index, telegram, mark.late, at: moment)
      if isLatest { watchFences(node: index, at: moment) }
    case .evicted(let message): applyEvicted(message, telegram, mark, node: index, at: moment)
    case .waveform, .reply: break
    }
  }

  private mutating func applyStatus(
    _ status: StatusMessage, _ telegram: Telegram, node index: Int, at moment: Moment
  ) {
    // A node is armed unless it says otherwise.
    let was = nodes[index].status?.isArmed ?? true
    nodes[index].status = status
    if let isArmed = status.isArmed, isArmed != was { note(.armed(isArmed), node: index, telegram, at: moment) }
  }

  private mutating func applyLocation(
    _ location: LocationMessage, _ telegram: Telegram, _ stamp: Stamp, _ late: Lateness?, node index: Int,
    at moment: Moment
  ) {
    let withoutFixS = nodes[index].withoutFixS(at: moment.instant, clock)
    if case .fixed(let position) = location { Self.fill(&nodes[index].position, position, stamp) }
    let was = nodes[index].location?.content
    guard Self.fill(&nodes[index].location, location, stamp) else { return }
    judgeLocation(location, node: index, at: moment)
    knowPlace(node: index, at: moment)
    switch (location, was) {
    case (.lost, .lost): break
    case (.lost, _): nodes[index].firstLoss = stamp
    case (.fixed, .fixed): break
    case (.fixed(let position), _):
      nodes[index].firstLoss = nil
      nodes[index].regainedAfterS = position.lostS ?? withoutFixS
    }
    switch (location, was) {
    case (.fixed, .fixed): return
    case (.lost(let loss), .lost(let before)) where loss.reason == before.reason: return
    default: note(.location(location), node: index, telegram, late, at: moment)
    }
  }

  /// Events that are not going to come: what is missing is explained by them. Where only bounds are known, whatever is
  /// missing between them is.
  private mutating func applyEvicted(
    _ message: EvictedMessage, _ telegram: Telegram, _ mark: EventMark, node index: Int, at moment: Moment
  ) {
    let boot = message.boot ?? telegram.envelope.boot
    let bounds = message.first...max(message.first, message.last)
    // A node that was interrupted before it knew that it had told something tells it again, in a new event.
    if message.exactRuns == nil {
      if nodes[index].boots.explain(boot, damage: bounds) {
        nodes[index].damages += 1
        if let count = message.count { nodes[index].noteEvicted(count, message.reason) }
      }
    } else if let count = nodes[index].boots.explain(boot, message.exactRuns ?? []) ?? message.count, count > 0 {
      nodes[index].noteEvicted(min(count, message.count ?? count), message.reason)
    }
    note(.evicted(message), node: index, telegram, mark.late, at: moment)
  }

  /// Puts something in its place unless something newer is there. Answers whether it did.
  @discardableResult
  private static func fill<Content>(_ place: inout Node.Reported<Content>?, _ content: Content, _ stamp: Stamp) -> Bool
  {
    if let place, !stamp.isNewer(than: place.stamp) { return false }
    place = Node.Reported(content: content, stamp: stamp)
    return true
  }
}
