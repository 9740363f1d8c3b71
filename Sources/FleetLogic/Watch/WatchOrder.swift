internal import Telemetry

/// What the list of nodes is sorted by. What is unknown comes last, whichever way round.
enum WatchOrder: String, CaseIterable, Sendable {
  /// From a to z.
  case name
  /// Those in trouble first.
  case state
  /// The last heard first.
  case heard
  /// The largest peak of the last window first.
  case peak
  /// The oldest fix first.
  case fix = "fix age"
  /// The most alerts first.
  case alerts

  /// The next one, or the one before.
  func next(_ step: Int = 1) -> WatchOrder {
    let all = Self.allCases
    let place = all.firstIndex(of: self) ?? 0
    return all[(place + step + all.count) % all.count]
  }

  /// What goes before is less; nil: unknown.
  private func rank(_ node: Node, alerts: Int, at now: Instant, _ clock: ClockState) -> Double? {
    switch self {
    case .name: return 0
    case .state:
      switch node.presence {
      case .lost: return 0
      case .silent: return 1
      case .online: return 2
      case .unknown: return 3
      case .stopped: return 4
      }
    case .heard: return node.age(at: now, clock)
    case .peak: return node.acceleration?.content.peakG.map { -$0 }
    case .fix: return node.fixAge(at: now, clock).map { -$0 }
    case .alerts: return alerts == 0 ? nil : -Double(alerts)
    }
  }

  private struct Place {
    var rank: Double
    var isKnown: Bool
    var index: Int
  }

  /// The places in the fleet's list of those that `fits` takes, in this order; equals by name.
  func places(
    _ fleet: FleetState, isReversed: Bool, alerts: [NodeName: Int], at now: Instant, fits: (Node) -> Bool
  ) -> [Int] {
    let nodes = fleet.nodes
    let sign = isReversed ? -1.0 : 1
    var places: [Place] = []
    places.reserveCapacity(nodes.count)
    for index in nodes.indices where fits(nodes[index]) {
      let rank = rank(nodes[index], alerts: alerts[nodes[index].name] ?? 0, at: now, fleet.clock)
      let known = rank.flatMap { $0.isFinite ? $0 : nil }
      places.append(Place(rank: sign * (known ?? 0), isKnown: known != nil, index: index))
    }
    let isByNameDown = self == .name && isReversed
    places.sort { a, b in
      if a.isKnown != b.isKnown { return a.isKnown }
      if a.rank != b.rank { return a.rank < b.rank }
      let isBefore = nodes[a.index].name < nodes[b.index].name
      return isByNameDown ? !isBefore && a.index != b.index : isBefore
    }
    return places.map(\.index)
  }
}

/// Text that a person looks for, in whatever case.
struct WatchFilter: Equatable, Sendable {
  private let sought: [UInt8]

  init(_ text: String) {
    sought = Array(text.lowercased().utf8)
  }

  var isEmpty: Bool { sought.isEmpty }

  /// Whether name, title, site, group or state of a node have it in them.
  func fits(_ node: Node) -> Bool {
    if isEmpty || has(node.name.description) || has(node.presence.rawValue) { return true }
    guard let label = node.label else { return false }
    return has(label.site) || has(label.group) || has(label.title?.lowercased())
  }

  /// Whether an alert's rule or subject have it in them, or what is said of its node.
  func fits(_ alert: WatchAlert, _ node: Node?) -> Bool {
    isEmpty || has(alert.name.rule) || has(alert.name.subject) || node.map { fits($0) } ?? false
  }

  private func has(_ text: String?) -> Bool {
    guard var text, text.utf8.count >= sought.count else { return false }
    return text.withUTF8 { bytes in
      (0...(bytes.count - sought.count)).contains { start in
        sought.indices.allSatisfy { bytes[start + $0] == sought[$0] }
      }
    }
  }
}

/// Where in a list somebody is. It stays with what it is on when the list changes its order.
struct WatchCursor<ID: Hashable & Sendable>: Sendable {
  /// What it is on; nil in an empty list.
  private(set) var id: ID?
  private(set) var place = 0
  /// The first line that is shown.
  private(set) var top = 0
  private var ids: [ID] = []

  /// The list as it is now, `room` lines of which are shown.
  mutating func follow(_ list: [ID], room: Int) {
    ids = list
    if let id, !(ids.indices.contains(place) && ids[place] == id) { place = ids.firstIndex(of: id) ?? place }
    go(to: place)
    let room = max(room, 1)
    top = min(max(top, place - room + 1, 0), place, max(0, ids.count - room))
  }

  /// Moves on what was shown last.
  mutating func move(by step: Int) { go(to: place + min(max(step, -ids.count), ids.count)) }

  /// To the end of what was shown last.
  mutating func goToEnd() { go(to: ids.count) }

  mutating func goToStart() { go(to: 0) }

  private mutating func go(to wanted: Int) {
    place = min(max(wanted, 0), max(ids.count - 1, 0))
    id = ids.isEmpty ? nil : ids[place]
  }
}
