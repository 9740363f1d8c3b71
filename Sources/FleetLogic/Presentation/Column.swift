internal import Telemetry

/// A column of the fleet's table.
enum Column: Int, CaseIterable {
  case node, state, seen, fix, position, face, peak, shake, link

  /// What is kept when there is no room for all: lower is more important.
  var priority: Int {
    switch self {
    case .node: 0
    case .state: 1
    case .seen: 2
    case .fix: 3
    case .shake: 4
    case .peak: 5
    case .position: 6
    case .link: 7
    case .face: 8
    }
  }

  var title: String {
    switch self {
    case .node: "NODE"
    case .state: "STATE"
    case .seen: "SEEN"
    case .fix: "FIX"
    case .position: "POSITION"
    case .face: "FACE"
    case .peak: "PEAK g"
    case .shake: "LAST SHAKE"
    case .link: "LINK"
    }
  }

  /// Wider content is cut.
  var widest: Int {
    switch self {
    case .node: 24
    case .state: 7
    case .seen: 5
    case .fix: 20
    case .position: 21
    case .face: 7
    case .peak: 6
    case .shake: 22
    case .link: 20
    }
  }

  var isRight: Bool { self == .seen || self == .peak }

  func text(_ node: Node, at now: Instant, _ clock: ClockState) -> String {
    switch self {
    case .node: node.name.description
    case .state: node.presence.rawValue
    case .seen: Age.text(node.age(at: now, clock))
    case .fix: Self.fix(node, at: now, clock)
    case .position: Self.position(node)
    case .face: node.orientation?.content.face.rawValue ?? "-"
    case .peak: node.acceleration?.content.peakG.map { Decimal.text($0, decimals: 2) } ?? "-"
    case .shake: Self.shake(node, at: now, clock)
    case .link: Self.link(node)
    }
  }

  /// `3D 12s +-4m`: dimensions, age of the fix, accuracy; or `lost:no_fix 3m`: reason of the loss, and the age of the
  /// last fix, which goes on when the node says again that it has none.
  private static func fix(_ node: Node, at now: Instant, _ clock: ClockState) -> String {
    guard let location = node.location else { return "-" }
    let age = Age.text(node.fixAge(at: now, clock))
    switch location.content {
    case .fixed(let position):
      let accuracy = position.accuracyM.map { " +-" + Decimal.text($0, decimals: 0) + "m" } ?? ""
      return "\(position.dimensions)D \(age)\(accuracy)"
    case .lost(let loss): return "lost:\(loss.reason.rawValue) \(age)"
    }
  }

  /// Latitude and longitude [deg]; in brackets the last one, when the fix is lost.
  private static func position(_ node: Node) -> String {
    guard let location = node.location, let last = node.lastPlace else { return "-" }
    let place = Decimal.text(last.latitude, decimals: 5) + "," + Decimal.text(last.longitude, decimals: 5)
    if case .lost = location.content { return "(\(place))" }
    return place
  }

  private static func shake(_ node: Node, at now: Instant, _ clock: ClockState) -> String {
    guard let shake = node.shake else { return "-" }
    let peak = Decimal.text(shake.content.peakG, decimals: 2)
    return "\(shake.content.phase.rawValue) \(peak)g \(Age.text(shake.stamp.age(at: now, clock)))"
  }

  /// What is wrong with the node's connection or sensors, the worst first; `good` when it says that all is well.
  private static func link(_ node: Node) -> String {
    var troubles: [String] = []
    if node.isSuspectedClone { troubles.append("clone?") }
    if node.conflicts > 0 { troubles.append("conflicts \(node.conflicts)") }
    if node.replays > 0 { troubles.append("replays \(node.replays)") }
    if node.status?.isArmed == false { troubles.append("disarmed") }
    if let health = node.health?.content {
      // Whether it is armed is in the status, which is newer; a sensor that sleeps is well.
      if let sensor = health.accelerometer?.state, ![.running, .idle, .disarmed].contains(sensor) {
        troubles.append("sensor \(sensor.rawValue)")
      }
      if health.link.refused > 0 { troubles.append("refused \(health.link.refused)") }
      if health.spool.evicted > 0 { troubles.append("evicted \(health.spool.evicted)") }
      if health.link.dropped > 0 { troubles.append("dropped \(health.link.dropped)") }
    }
    if node.missing > 0 { troubles.append("missing \(node.missing)") }
    if node.flaps > 0 { troubles.append("flaps \(node.flaps)") }
    if troubles.isEmpty { return node.health == nil ? "-" : "good" }
    return troubles.prefix(2).joined(separator: " ")
  }
}
