import Rig
import Telemetry

@testable import NodeLogic

/// A node that gets anything in any order: what gpsd says of two receivers, well-formed and absurd, links that break,
/// clocks that are set, settings that change, deliveries, nights asleep, restarts and power cuts.
///
/// Beside it the true time runs, so that what the node says can be held against what was.
struct NodeFuzz {
  /// What must never be, with the moment; a few at the most.
  private(set) var problems: [String] = []

  private var random: SeededRandom
  private var node: Node
  private var settings = NodeSettings()
  private var now = Instant.start
  /// The true time [s since 1970].
  private var world = 1_800_000_000.0
  private var worldAtStart = 1_800_000_000.0
  private var slept: [(at: Instant, seconds: Double)] = []
  private var clock = ClockState(wallAtStart: WallTime(seconds: 100), quality: .none)
  private var isConnected = false
  private var record: LocationRecord?
  private var underWay: [UInt64] = []
  private var sequences: [UInt64: UInt64] = [:]
  private var boot = BootID(1)
  private var spool = ModelSpool()
  /// The events of this run that were handed over, by sequence number.
  private var told: [UInt64: Telegram] = [:]
  private var nextTold: UInt64 = 1
  private var place = (latitude: 47.0, longitude: 8.0)
  /// Every place that any report named.
  private var named: Set<String> = []
  /// From when on silence counts: the newest good fix, or the first waking after it.
  private var quietFrom = Instant.start
  private var hasWokenSince = false
  /// Whether the last that was said of the position is that there is none; nil before anything was.
  private var isLost: Bool?
  /// How often a location began, and how often its first position was told.
  private var begun = 0
  private var firsts = 0

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    settings.outbox.hasSpool = true
    settings.outbox.memoryBytes = 20_000
    node = Node(boot: boot, settings, clock: clock)
    spool.open(boot)
    try change()
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      pass()
      try step()
      if !oneIn(3) { talk() }
      check()
    }
  }

  private mutating func note(_ problem: String) {
    if problems.count < 5 { problems.append("\(now.seconds): \(problem)") }
  }

  // MARK: Chances

  private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &random)] }

  private mutating func oneIn(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &random) == 0 }

  // MARK: What happens

  /// Lets some time go by, with a tick at each deadline: none may stay in the past.
  private mutating func pass() {
    let isLong = oneIn(50)
    let until = now + (isLong ? pick([40, 400, 90_000]) : pick([0.01, 0.1, 0.3, 0.5, 1, 1, 1, 2, 7]))
    world += until - now
    var ticks = 0
    while node.nextDeadline <= until, ticks < 5000 {
      now = max(now, node.nextDeadline)
      hand(.tick)
      ticks += node.nextDeadline <= now ? 1000 : 1
    }
    if ticks >= 5000 { note("always at \(node.nextDeadline.seconds)") }
    now = until
  }

  private mutating func step() throws {
    switch Int.random(in: 0..<60, using: &random) {
    case 0: hand(.gpsd(.link(.down(reason: "gone"))))
    case 1, 2: hand(.gpsd(.link(.up(release: nil))))
    case 3: hand(.gpsd(.report(.devices([GpsdDevice(path: "/dev/a", isActivated: !oneIn(3))]))))
    case 4: hand(.gpsd(.report(.device(GpsdDevice(path: pick(["/dev/a", "/dev/b", nil]), isActivated: !oneIn(3))))))
    case 5: hand(.gpsd(.unreadable(.notJSON)))
    case 6:
      if isConnected, oneIn(4) { hand(.thrownOut) }
      isConnected.toggle()
      underWay = []
      hand(.link(isConnected: isConnected))
    case 7: setClock()
    case 8: if oneIn(8) { try change() }
    case 9, 10: deliver()
    case 11: if oneIn(10) { restart() }
    case 12: hand(.usage(ProcessLoad(residentKB: 1, processorS: 1)))
    case 13: place = (pick([47, 47, 47, 90, -90, 0]), pick([8, 8, 8, 180, -180]))
    case 14, 15: sleep(pick([0.6, 0.6, 3, 30, 600, 28_800, 864_000]))
    case 16: hand(.command(Array(#"{"v":1,"id":"1","command":"locate"}"#.utf8), isRetained: false))
    case 17: carryOut(node.keepAnew(at: now))
    case 18: spool.commit()
    case 19: if oneIn(4) { spool.isBroken = true } else { spool.repair() }
    case 20: acknowledge()
    default: try report()
    }
  }

  /// Disciplined it is true; otherwise it may be anything since 1970, from where it counts what it slept, too.
  private mutating func setClock() {
    let truth = world - now.seconds
    let sleepsS = slept.reduce(0) { $0 + $1.seconds }
    clock =
      oneIn(2)
      ? ClockState(wallAtStart: WallTime(seconds: truth), quality: .ntp)
      : ClockState(
        wallAtStart: WallTime(seconds: pick([100 + sleepsS, truth - 3600, truth + 1e6])), quality: pick([.none, .rtc]))
    hand(.clock(clock))
  }

  private mutating func sleep(_ seconds: Double) {
    slept.append((now, seconds))
    world += seconds
    clock.wallAtStart = clock.wallAtStart + seconds
    hand(.suspended(seconds: seconds))
    if !hasWokenSince {
      quietFrom = now
      hasWokenSince = true
    }
    hand(.clock(clock))
    // What comes later must not be taken for what was before.
    now = now + 0.001
    world += 0.001
  }

  private mutating func deliver() {
    for token in underWay.prefix(20) {
      switch Int.random(in: 0..<120, using: &random) {
      case 0...3: hand(.refused(token, isPermanent: oneIn(2)))
      case 4: hand(.unheard(token))
      case 5: hand(.denied(token))
      case 6:
        // Nobody outside has seen it: it may change.
        if let sequence = sequences[token] { told[sequence] = nil }
        hand(.full(token))
      default: hand(.delivered(token))
      }
    }
    underWay.removeFirst(min(20, underWay.count))
  }

  /// The spool says what it has to say, and hears what follows from it.
  private mutating func talk() {
    let words = spool.words
    spool.words = []
    for word in words { hand(.spool(word)) }
  }

  /// A fleet tool says what it has stored, or somebody says anything.
  private mutating func acknowledge() {
    let sequence = UInt64.random(in: 0...max(1, told.keys.max() ?? 1), using: &random)
    let message = AckMessage(boot: pick([boot, boot, BootID(77)]), sequence: sequence, also: [])
    hand(.acknowledged(oneIn(5) ? Array("{}".utf8) : message.encode()))
  }

  /// The process ends, in order or not, and another one begins.
  private mutating func restart() {
    if oneIn(2) { hand(.stop) }
    (worldAtStart, slept, now) = (world, [], .start)
    clock = ClockState(wallAtStart: WallTime(seconds: 100), quality: .none)
    (isConnected, underWay, told, nextTold) = (false, [], [:], 1)
    boot = BootID(boot.value + 1)
    node = Node(boot: boot, settings, clock: clock, record: record)
    spool.open(boot)
    (begun, firsts, isLost) = (0, 0, nil)
    beginLocation()
  }

  private mutating func beginLocation() {
    (quietFrom, hasWokenSince) = (now, false)
    if node.location != nil { begun += 1 }
  }

  private mutating func change() throws {
    let wasOff = node.location == nil
    settings.location = oneIn(8) ? nil : try locationSettings()
    carryOut(node.reconfigure(settings, at: now))
    if wasOff { beginLocation() }
    hand(.tick)
  }

  private mutating func locationSettings() throws -> LocationTracker.Settings {
    var location = LocationTracker.Settings(
      distanceFilterM: pick([0, 5, 25, 1000]), intervalS: pick([1, 30, 300, 86_400]),
      maxAccuracyM: pick([0, 50, 200]), lostAfterS: pick([0, 3, 10, 30, 300]), device: oneIn(4) ? "/dev/a" : nil)
    location.maxSpeedMPS = pick([0, 100, 100])
    location.maxAccelerationMPS2 = pick([0, 15, 15])
    let corners = [(47.0, 8.0), (47.01, 8), (47.01, 8.01)].compactMap { Coordinate(latitude: $0.0, longitude: $0.1) }
    location.fences = [
      try Geofence(name: "round", .circle(centre: corners[0], radiusM: 200)),
      try Geofence(name: "three\u{1}", .polygon(corners)),
    ]
    return location
  }

  // MARK: What gpsd says

  private mutating func report() throws {
    place.latitude += Double.random(in: -0.0003...0.0003, using: &random)
    place.longitude += Double.random(in: -0.0003...0.0003, using: &random)
    var fields = ["\"class\":\"TPV\"", "\"mode\":\(pick([0, 1, 2, 3, 3, 3, 3, 3, 3]))"]
    let device = pick(["/dev/a", "/dev/a", "/dev/a", "/dev/b", String(repeating: "é", count: 1500)])
    fields.append("\"device\":\"\(device)\"")
    let latitude = oneIn(30) ? Double.random(in: -100...100, using: &random) : place.latitude
    if !oneIn(6) { fields.append("\"lat\":\(latitude),\"lon\":\(place.longitude)") }
    let time = WallTime(seconds: world + pick([0, 0, 0, 0, 0, -1, 0.25, -619_315_200, 5e8]))
    if !oneIn(6) { fields.append("\"time\":\"\(time.rfc3339)\"") }
    for key in ["eph", "epx", "epy", "epv", "speed", "track", "altMSL", "altHAE", "alt", "status"] where oneIn(3) {
      let number = pick(["1", "4.5", "0", "-1", "20", "300", "1e7", "1e10", "1e300", "-1e9"])
      fields.append("\"\(key)\":\(number)")
    }
    let report = try GpsdReport.decode(Array("{\(fields.joined(separator: ","))}".utf8)).get()
    if case .position(let position) = report, let place = position.coordinate { named.insert("\(place)") }
    hand(.gpsd(.report(report)))
  }
}

// MARK: - What must hold

extension NodeFuzz {
  private mutating func hand(_ input: NodeInput) { carryOut(node.handle(input, at: now)) }

  private mutating func carryOut(_ effects: [NodeEffect]) {
    for effect in effects {
      switch effect {
      case .publish(let outgoing): take(outgoing)
      case .decided(let decision): take(decision)
      case .keep(let new):
        record = new
        let read = try? LocationRecord.decode(new.encode())
        if read?.fences.map(\.name) != new.fences.map(\.name) { note("the record cannot be read") }
      case .log(let line): if line.text.isEmpty { note("nothing to log") }
      case .spool(let wish): spool.handle(wish)
      case .measureUsage, .keepAwake, .set: break
      }
    }
  }

  private mutating func take(_ decision: FixDecision) {
    if decision.text.isEmpty { note("no reason") }
    switch decision.verdict {
    case .withheld(.otherDevice), .rejected: return
    case .published, .withheld: (quietFrom, hasWokenSince) = (decision.fix.receivedAt, false)
    }
  }

  private mutating func take(_ outgoing: Outgoing) {
    let telegram = outgoing.telegram
    if let token = outgoing.token { underWay.append(token) }
    do throws(DecodingProblem) {
      let read = try Telegram.decode(stream: telegram.body.stream, payload: telegram.encode())
      if read.body.stream != telegram.body.stream { note("another stream") }
    } catch {
      note("refused, \(error): \(String(decoding: telegram.encode(), as: UTF8.self))")
    }
    if (outgoing.token == nil) != (telegram.envelope.sequence == nil) { note("an event without a token") }
    // What an earlier run measured was checked then.
    guard telegram.envelope.boot == boot else { return }
    checkTime(telegram.envelope)
    guard let sequence = telegram.envelope.sequence else { return }
    if let token = outgoing.token { sequences[token] = sequence }
    if let before = told[sequence]?.envelope, !isSame(before, telegram.envelope) {
      note("event \(sequence) has changed")
    }
    told[sequence] = telegram
    while let next = told[nextTold] {
      if case .location(let location) = next.body { checkTurn(location) }
      nextTold += 1
    }
  }

  /// As far as the decimals of a payload tell that went to the disk and back.
  private func isSame(_ a: Envelope, _ b: Envelope) -> Bool {
    guard a.clock == b.clock, let one = a.time, let other = b.time else { return false }
    return (one - other).magnitude < 0.01
  }

  /// What a disciplined clock vouches for is true, however long ago it was measured.
  private mutating func checkTime(_ envelope: Envelope) {
    guard let time = envelope.time, let uptime = envelope.uptime, time.seconds.isFinite, uptime.isFinite else {
      note("no time")
      return
    }
    // Of more sleeps the oldest are taken for one.
    let isExact = slept.count <= SleepLog.most || uptime > slept[slept.count - SleepLog.most].at.seconds
    guard envelope.clock == .ntp, isExact else { return }
    let sleepsS = slept.reduce(0) { $0 + ($1.at.seconds < uptime ? $1.seconds : 0) }
    let truth = worldAtStart + uptime + sleepsS
    // Something of the very moment of a sleep is of before it or of after.
    let isDoubtful = slept.contains { ($0.at.seconds - uptime).magnitude < 0.0005 }
    if !isDoubtful, (time.seconds - truth).magnitude > 0.01 { note("\(time.seconds - truth) s off") }
  }

  /// A loss ends with `regained` or `first`, and nothing else begins with them.
  private mutating func checkTurn(_ location: LocationMessage) {
    switch location {
    case .lost: isLost = true
    case .fixed(let position):
      if isLost == true, position.cause != .regained, position.cause != .first { note("\(position.cause) when lost") }
      if isLost == false, position.cause == .regained { note("regained and not lost") }
      if position.cause == .first { firsts += 1 }
      if firsts > begun { note("first again") }
      if let lostS = position.lostS, lostS < 0 { note("lost for \(lostS) s") }
      isLost = false
    }
  }

  private mutating func check() {
    guard let tracker = node.location else { return }
    if let good = tracker.lastGood {
      if !named.contains("\(good.coordinate)") { note("invented \(good.coordinate)") }
      if good.receivedAt > now { note("a fix from later") }
    }
    switch tracker.phase {
    case .acquiring, .fixed:
      let quietS = now - quietFrom
      if quietS > tracker.settings.silenceS + 2, tracker.pending == nil { note("not lost after \(quietS) s") }
    case .lost: break
    }
    if !tracker.odometer.totalM.isFinite || tracker.odometer.tripM > tracker.odometer.totalM { note("odometer") }
    if tracker.devices.heard.count > 8 { note("\(tracker.devices.heard.count) devices") }
    if tracker.counters.epochs < tracker.counters.withheld + tracker.counters.rejected { note("counters") }
  }
}
