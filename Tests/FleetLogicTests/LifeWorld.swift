import Telemetry

@testable import FleetLogic

/// A small fleet, its broker, its store and one sink, driven by steps; what is told and kept must always make sense.
struct LifeWorld {
  enum Step: Equatable {
    case online(Int)
    case stopped(Int)
    case will(Int)
    case fix(Int)
    case noFix(Int)
    case side(Int, Face)
    case shake(Int)
    case shakeEnds(Int)
    case sensor(Int, stalled: Bool)
    case pass(Double)
    case silence(Int, Matchers, startS: Double, endS: Double)
    case unsilence(Int)
    case acknowledge(Matchers)
    case unacknowledge(Matchers)
    case linkLost, linkBack, restart
    case clock(Double)
    /// What was told is confirmed from now on at once, or not.
    case sinkIsSlow(Bool)
  }

  static let nodes = ["a0", "a1", "a2", "a3", "b0", "c0"]

  var bench: Bench
  private let keeps: Bool
  private var store = MemoryStore()
  /// What the broker keeps of the fleet's alerts.
  private(set) var retained: [String: [UInt8]] = [:]
  private var unconfirmed: [Alert] = []
  private var isSinkSlow = false
  private var shakes: [Int] = Array(repeating: 0, count: nodes.count)
  /// What was told of each alert, by its id.
  private(set) var told: [String: [Alert]] = [:]
  /// The alert that people believe to go on, by rule and subject.
  private var open: [String: String] = [:]
  private var checks = 0
  private var isCalm = false
  /// What was wrong, first things first.
  private(set) var complaints: [String] = []

  init(keeps: Bool) {
    self.keeps = keeps
    var configuration = FleetState.Configuration(graceS: 10, rules: Self.rules, keeps: keeps)
    for name in Self.nodes {
      guard let node = NodeName(name) else { continue }
      configuration.labels[node] = name == "c0" ? nil : Label(site: name.hasPrefix("a") ? "hall" : "yard")
    }
    configuration.flapping.count = 4
    configuration.flapping.windowS = 900
    configuration.flapping.calmS = 300
    let start = WallTime(seconds: Bench.epoch)
    configuration.windows = [
      Window(name: "works", .once(from: start + 500, to: start + 900), maintenance: Scope(nodes: [NamePattern("a*")])),
      Window(name: "quiet", .once(from: start + 1200, to: start + 1300)),
    ]
    bench = Bench(configuration)
  }

  private static var rules: [Rule] {
    var lost = Rule(name: "lost-fix", kind: .lostFix)
    (lost.forS, lost.clearForS, lost.repeatS) = (10, 5, 120)
    lost.times.except = ["quiet"]
    var silence = Condition.Silence()
    silence.holdS = 8
    var silent = Rule(name: "silent", .silent(silence))
    silent.grouping?.waitS = 20
    silent.repeatS = 200
    var events = Condition.Events()
    (events.count, events.withinS) = (3, 120)
    var fault = Rule(name: "sensor-fault", kind: .sensorFault)
    (fault.forS, fault.clearForS) = (15, 10)
    var flapping = Condition.Flapping()
    (flapping.count, flapping.withinS) = (3, 300)
    var tipped = Condition.Tipped()
    tipped.faces = [.zUp]
    return [
      lost, silent, fault, Rule(name: "shake", kind: .shake), Rule(name: "shakes", .shake(events)),
      Rule(name: "tipped", .tipped(tipped)), Rule(name: "flapping", .flapping(flapping)),
      Rule(name: "moved", kind: .moved),
    ]
  }

  // MARK: Steps

  mutating func take(_ step: Step) {
    switch step {
    case .online(let node): take(bench.send(Self.nodes[node], .online(healthS: 60)))
    case .stopped(let node): take(bench.send(Self.nodes[node], .stopped))
    case .will(let node): take(bench.will(Self.nodes[node]))
    case .fix(let node): take(bench.send(Self.nodes[node], .fix()))
    case .noFix(let node): take(bench.send(Self.nodes[node], .noFix()))
    case .side(let node, let face): take(bench.send(Self.nodes[node], .face(face)))
    case .shake(let node):
      shakes[node] += 1
      take(bench.send(Self.nodes[node], .shake(shakes[node])))
    case .shakeEnds(let node): take(bench.send(Self.nodes[node], .shake(max(1, shakes[node]), .ended)))
    case .sensor(let node, let stalled): take(bench.send(Self.nodes[node], .sensor(stalled ? .stalled : .running)))
    case .pass(let seconds): pass(seconds)
    case .silence(let id, let matchers, let startS, let endS):
      let now = bench.fleet.moment(bench.now).wall
      order(
        .silence(
          Silence(
            id: "s\(id)", matchers, start: now + startS, end: now + endS, author: "kim", comment: "", made: now)))
    case .unsilence(let id): order(.unsilence(id: "s\(id)", author: "kim"))
    case .acknowledge(let matchers): order(.acknowledge(matchers, author: "kim", comment: ""))
    case .unacknowledge(let matchers): order(.unacknowledge(matchers, author: "kim"))
    case .linkLost:
      bench.isDeaf = true
      take(bench.fleet.handle(.disconnected(reason: "lost"), at: bench.now))
    case .linkBack: connect()
    case .restart:
      take(bench.restart(store, connected: false))
      bench.isDeaf = true
      connect()
    // Without a store the time of what the broker kept tells runs apart.
    case .clock where !keeps: break
    case .clock(let offS):
      take(
        bench.fleet.handle(
          .clock(ClockState(wallAtStart: WallTime(seconds: Bench.epoch + offS), quality: .ntp)), at: bench.now))
    case .sinkIsSlow(let isSlow):
      isSinkSlow = isSlow
      if !isSlow { confirm() }
    }
    check()
  }

  private mutating func order(_ order: Order) { take(bench.fleet.handle(.order(order, id: "1"), at: bench.now)) }

  private mutating func connect() {
    guard bench.isDeaf else { return }
    bench.isDeaf = false
    take(bench.fleet.handle(.connected, at: bench.now))
    for (topic, payload) in retained.sorted(by: { $0.key < $1.key }) {
      take(bench.raw(topic, payload, retained: true))
    }
    for (topic, payload) in bench.lastPayloads.sorted(by: { $0.key < $1.key }) {
      guard ["status", "location", "orientation", "health"].contains(where: { topic.hasSuffix("/\($0)") }) else {
        continue
      }
      take(bench.raw(topic, payload, retained: true))
    }
  }

  private mutating func pass(_ seconds: Double) {
    let end = bench.now + seconds
    var wakings = 0
    while let deadline = bench.fleet.nextDeadline(after: bench.now), deadline <= end, wakings < 500 {
      bench.now = max(bench.now, deadline)
      take(bench.fleet.handle(.tick, at: bench.now))
      wakings += 1
    }
    if wakings >= 500 { complaints.append("woken \(wakings) times in \(seconds) s") }
    bench.now = end
    take(bench.fleet.handle(.tick, at: bench.now))
  }

  /// Carries effects out.
  private mutating func take(_ effects: [Effect]) {
    if keeps { store.take(effects) }
    for effect in effects {
      switch effect {
      case .publish(let publication) where publication.topic.contains("/alerts/"):
        retained[publication.topic] = publication.payload.isEmpty ? nil : publication.payload
      case .alert(let alert):
        hear(alert)
        unconfirmed.append(alert)
      default: break
      }
    }
    if !isSinkSlow { confirm() }
  }

  private mutating func confirm() {
    let alerts = unconfirmed
    unconfirmed = []
    for alert in alerts { take(bench.fleet.handle(.told(alert), at: bench.now)) }
  }

  // MARK: What must hold

  private mutating func hear(_ alert: Alert) {
    let place = "\(alert.rule) \(alert.subject)"
    let before = told[alert.id] ?? []
    if alert.mayHaveBeenTold, before.contains(where: { $0.state == alert.state }) { return }
    told[alert.id, default: []].append(alert)
    let what = "\(alert.id) \(alert.state.rawValue) after \(before.map(\.state.rawValue))"
    if before.last?.state == .resolved { complaints.append("told after its end: \(what)") }
    switch alert.state {
    case .resolved:
      if before.isEmpty, !alert.mayHaveBeenTold { complaints.append("only its end was told: \(what)") }
      open[place] = nil
    case .firing, .flapping:
      if let other = open[place], other != alert.id { complaints.append("\(other) goes on, and told: \(what)") }
      if !before.isEmpty, !alert.isRepeated, before.last?.state == alert.state {
        complaints.append("told twice: \(what)")
      }
      if alert.isRepeated, before.isEmpty { complaints.append("repeated, and never told: \(what)") }
      open[place] = alert.id
    case .pending: complaints.append("told while pending: \(what)")
    }
    if alert.mute != nil { complaints.append("told though muted: \(what)") }
  }

  private mutating func check() {
    let fleet = bench.fleet
    let firing = fleet.records.values.count { $0.life.isFiring }
    if firing != fleet.firingCount { complaints.append("\(firing) fire, counted \(fleet.firingCount)") }
    if fleet.records.values.contains(where: \.isEmpty) { complaints.append("a record without content") }
    for (place, site) in fleet.sites.enumerated() {
      for (number, rule) in fleet.configuration.rules.enumerated() where rule.grouping != nil {
        let active = fleet.records.count { key, record in
          key.rule == number && !record.isQuiet && key.node.map { fleet.nodes[$0].site == place } ?? false
        }
        if active != site.active[number] ?? 0 { complaints.append("\(active) active at \(site.name), counted other") }
        let firing = site.nodes.count { fleet.isFiring(AlertKey(rule: number, node: $0)) }
        if firing != site.firing[number] ?? 0 { complaints.append("\(firing) fire at \(site.name), counted other") }
      }
    }
    complaints += fleet.missedDues
    guard !isCalm else { return }
    // Each of them at every third step: a look at everything takes its time.
    let instants = [bench.now, fleet.nextDeadline(after: bench.now) ?? bench.now, bench.now + 70]
    checks += 1
    complaints += fleet.overlooked(at: fleet.moment(instants[checks % instants.count]))
  }

  /// Everything is in order again, for long: nothing may be left.
  mutating func calm() {
    isCalm = true
    take(.sinkIsSlow(false))
    take(.linkBack)
    take(.clock(0))
    for _ in 0..<4 {
      for node in Self.nodes.indices {
        for step in [Step.online(node), .fix(node), .side(node, .zUp), .shakeEnds(node), .sensor(node, stalled: false)]
        {
          take(step)
        }
      }
      take(.pass(140))
    }
    for _ in 0..<30 {
      for node in Self.nodes.indices { take(.online(node)) }
      take(.pass(140))
    }
    complaints += open.values.sorted().map { "its end was never told: \($0)" }
    complaints += retained.keys.sorted().map { "left at the broker: \($0)" }
    for (key, record) in bench.fleet.records.sorted(by: { $0.key < $1.key }) {
      let memory = record.memory
      if !record.isQuiet || memory.flap != nil || !memory.strikes.isEmpty || !memory.raises.isEmpty {
        complaints.append("left: \(bench.fleet.configuration.rules[key.rule].name) \(bench.fleet.subject(key.place))")
      }
    }
    if !bench.fleet.attended.isEmpty { complaints.append("\(bench.fleet.attended.count) still attended") }
    if !bench.fleet.silences.isEmpty { complaints.append("silences left") }
  }

  /// What fires must be what the last words of the nodes say.
  mutating func look() {
    take(.linkBack)
    take(.pass(45))
    let fleet = bench.fleet
    for (index, node) in fleet.nodes.enumerated() {
      let isAway = node.presence == .lost || node.presence == .silent
      let isLost = if case .lost = node.location?.content { true } else { false }
      let isTipped = node.orientation.map { $0.content.face != .zUp } ?? false
      for (rule, expected) in [("silent", isAway), ("lost-fix", isLost), ("tipped", isTipped)] {
        guard let number = fleet.configuration.rules.firstIndex(where: { $0.name == rule }) else { continue }
        // One that cannot be heard: as it was. One that stopped has nothing of that.
        if rule != "silent", node.presence != .online { continue }
        let fires = fleet.isFiring(AlertKey(rule: number, node: index))
        if fires != expected { complaints.append("\(rule) of \(node.name) fires: \(fires), should: \(expected)") }
      }
    }
  }
}

extension Telegram.Body {
  static func sensor(
    _ state: HealthMessage.Accelerometer.State, faults: HealthMessage.Accelerometer.Faults? = nil
  ) -> Telegram.Body {
    var health = HealthMessage(
      spool: .init(events: 0, bytes: 0, oldestS: nil, evicted: 0),
      link: .init(connects: 1, unacknowledged: 0, dropped: 0, refused: 0))
    var accelerometer = HealthMessage.Accelerometer(state: state, gaps: 0, dropped: 0)
    accelerometer.faults = faults
    health.accelerometer = accelerometer
    return .health(health)
  }
}
