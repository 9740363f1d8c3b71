internal import Telemetry

/// What a node said about itself, in labelled sentences that are safe to show. What was never said is left out.
struct NodeReport {
  let node: Node
  let clock: ClockState
  let now: Instant

  typealias Part = (label: String, text: String)

  var parts: [Part] {
    var parts: [Part] = [("state", state), ("agent", agent)]
    if let sensor { parts.append(("sensor", sensor)) }
    if let set { parts.append(("set", set)) }
    parts.append(("fix", fix))
    if let place { parts.append(("position", place)) }
    if !node.crossings.isEmpty { parts.append(("fences", fences)) }
    if let side { parts.append(("side", side)) }
    if let window { parts.append(("window", window)) }
    if let shake { parts.append(("shake", shake)) }
    parts += health
    parts.append(("messages", messages))
    parts.append(("oddities", oddities))
    return parts
  }

  func number(_ value: Double, _ decimals: Int = 1) -> String { Decimal.text(value, decimals: decimals) }

  func ago(_ stamp: Stamp) -> String {
    stamp.age(at: now, clock).map { "\(Age.text($0)) ago" } ?? "nobody can say when"
  }

  func words(_ text: String?) -> String? { text.map { SafeText.escaped($0, limit: 200) } }

  private var state: String {
    let since = "\(node.presence.rawValue) for \(Age.text(now - node.presenceSince.instant))"
    let heard = node.age(at: now, clock).map { "heard \(Age.text($0)) ago" } ?? "not heard"
    return "\(since), since \(node.presenceSince.wall.rfc3339); \(heard)"
  }

  private var agent: String {
    var parts = [words(node.agent) ?? "version unknown"]
    if let boot = node.boot { parts.append("boot \(boot)") }
    if node.bootsSeen > 1 { parts.append("\(node.bootsSeen) boots seen") }
    if let last = node.lastSequence { parts.append("seq \(last)") }
    if let prefix = node.prefix { parts.append("under \(SafeText.escaped("\(prefix)", limit: 200))") }
    return parts.joined(separator: ", ")
  }

  private var sensor: String? {
    guard let status = node.status else { return nil }
    var parts: [String] = []
    if let name = words(status.accelerometer) { parts.append(name) }
    if let source = words(status.source) { parts.append(source) }
    if let rate = status.rateHz { parts.append("\(number(rate)) Hz") }
    if let preset = words(status.preset) { parts.append("preset \(preset)") }
    if let window = status.windowS { parts.append("windows of \(number(window)) s") }
    if let isArmed = status.isArmed { parts.append(isArmed ? "armed" : "disarmed") }
    if let gpsd = words(status.gpsd) { parts.append("gpsd \(gpsd)") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// What does not come from the node's own file.
  private var set: String? {
    guard let set = node.status?.set, !set.isEmpty else { return nil }
    return "over the broker: " + set.map { SafeText.escaped($0, limit: 200) }.joined(separator: ", ")
  }

  private var fix: String {
    guard let location = node.location else { return "nothing said" }
    let age = Age.text(node.fixAge(at: now, clock))
    switch location.content {
    case .fixed(let position):
      var parts = ["\(position.dimensions)D, \(age) old, \(position.cause.rawValue)"]
      if let accuracy = position.accuracyM { parts.append("+-\(number(accuracy)) m") }
      if let isMoving = position.isMoving { parts.append(isMoving ? "moving" : "standing") }
      if let speed = position.speedMPS { parts.append("\(number(speed)) m/s") }
      if let course = position.courseDeg { parts.append("course \(number(course, 0)) deg") }
      if let lost = position.lostS { parts.append("after \(Age.phrase(lost)) without") }
      return parts.joined(separator: ", ")
    case .lost(let loss):
      let by = loss.rejectedBy.map { " (\($0.rawValue))" } ?? ""
      return "lost for \(age): \(loss.reason.sentence)\(by)"
    }
  }

  private var place: String? {
    guard let last = node.lastPlace else { return nil }
    let accuracy = last.accuracyM.map { " +-\(number($0, 0)) m" } ?? ""
    var text = "\(number(last.latitude, 6)), \(number(last.longitude, 6))\(accuracy)"
    if case .fixed(let position) = node.location?.content {
      if let altitude = position.altitudeM { text += ", height \(number(altitude)) m" }
      if let way = position.odometerM { text += ", odometer \(number(way / 1000)) km" }
    }
    return text
  }

  /// Ten of them at the most.
  private var fences: String {
    let crossings = node.crossings.values.sorted { $0.content.fence < $1.content.fence }
    let shown = crossings.prefix(10).map { crossing in
      let word = crossing.content.event == .enter ? "in" : "out of"
      return "\(word) \(SafeText.quoted(crossing.content.fence)) (\(ago(crossing.stamp)))"
    }
    let more = crossings.count > 10 ? ", and \(crossings.count - 10) more" : ""
    return shown.joined(separator: ", ") + more
  }

  private var side: String? {
    guard let orientation = node.orientation else { return nil }
    let content = orientation.content
    return "\(content.face.rawValue), tilt \(number(content.tiltDeg)) deg, \(ago(orientation.stamp)); "
      + "before it \(content.previous.rawValue)"
  }

  private var window: String? {
    guard let window = node.acceleration else { return nil }
    let content = window.content
    let mean = [content.meanG.x, content.meanG.y, content.meanG.z].map { number($0, 3) }.joined(separator: ", ")
    var parts = ["mean \(mean) g"]
    if let peak = content.peakG { parts.append("peak \(number(peak, 3)) g") }
    if let rms = content.rmsG { parts.append("rms \(number(rms, 4)) g") }
    parts.append("\(content.count) samples in \(number(content.windowS)) s")
    if content.missed > 0 { parts.append("\(content.missed) missed") }
    if let clipped = content.clipped, clipped > 0 { parts.append("\(clipped) clipped") }
    return parts.joined(separator: ", ") + ", \(ago(window.stamp))"
  }

  private var shake: String? {
    guard let shake = node.shake else { return nil }
    let content = shake.content
    let reason = content.reason.map { " (\($0.rawValue))" } ?? ""
    let frequency = content.frequencyHz.map { ", \(number($0)) Hz" } ?? ""
    return "\(content.phase.rawValue)\(reason), peak \(number(content.peakG, 2)) g, \(number(content.durationS)) s, "
      + "\(content.reversals) reversals\(frequency), \(ago(shake.stamp))"
  }
}
