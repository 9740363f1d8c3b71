import Rig
import Telemetry

@testable import NodeLogic

/// An outbox among a disk that fails, a link that breaks, a broker that forgets, subscribers that come and go, a fleet
/// tool that is away at times, and kills; with the account of what became of each event.
struct OutboxModel {
  /// What must never be; a few at the most.
  private(set) var problems: [String] = []
  private(set) var delivered = 0
  private(set) var sends = 0

  private var random: SeededRandom
  private var outbox: Outbox
  private var settings = OutboxSettings()
  private var spool = ModelSpool()
  private var now = Instant.start
  private var bootNumber: UInt32 = 1
  private var appended = 0

  // The account.
  private var owed: Set<EventKey> = []
  private var acknowledged: Set<EventKey> = []
  private var explained: Set<EventKey> = []
  private var stored: Set<EventKey> = []

  // The broker and the fleet tool.
  private var inFlight: [Outgoing] = []
  private var atBroker: [Telegram] = []
  private var silent: Set<Stream> = []
  private var closed: Set<Stream> = []
  private var isFleetThere = true
  private var isOver = false

  init(seed: UInt64, _ delivery: OutboxSettings.Delivery, hasSpool: Bool = true) {
    random = SeededRandom(seed: seed)
    settings.delivery = delivery
    settings.hasSpool = hasSpool
    settings.memoryBytes = 6000
    settings.window = 1 + Int.random(in: 0..<20, using: &random)
    outbox = Outbox(boot: BootID(1), settings)
    if Bool.random(using: &random) { spool.capEvents = 60 }
    if hasSpool { spool.open(BootID(1)) }
  }

  /// Lives so many steps, then heals everything, and says what is still owed.
  mutating func run(steps: Int) {
    for _ in 0..<steps {
      step()
      settle()
    }
    heal()
    if !owed.isEmpty { note("owed: \(owed.map { "\($0.boot)/\($0.sequence)" }.sorted().prefix(5))") }
    if outbox.count > 0 { note("\(outbox.count) still wait, \(outbox.unsaved) unsaved") }
  }

  private mutating func note(_ problem: String) {
    if problems.count < 5 { problems.append("\(now.seconds): \(problem)") }
  }

  private mutating func oneIn(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &random) == 0 }

  // MARK: What happens

  private mutating func step() {
    now = now + [0.01, 0.1, 0.1, 1, 7, 70][Int.random(in: 0..<6, using: &random)]
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<12: append()
    case 12, 13: connect()
    case 14: breakLink(isThrownOut: oneIn(4))
    case 15..<24: answer()
    case 24..<28: spool.commit()
    case 28: spool.isBroken = settings.hasSpool
    case 29, 30: spool.repair()
    case 31: if oneIn(4) { silent.formSymmetricDifference([[Stream.shake, .location].randomElement(using: &random)!]) }
    case 32: if oneIn(4) { closed.formSymmetricDifference([.location]) }
    case 33: isFleetThere.toggle()
    case 34: if oneIn(3) { atBroker = [] }
    case 35: if oneIn(6) { kill() }
    default: deliverToFleet()
    }
  }

  private mutating func append() {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      appended += 1
      var telegram: Telegram =
        switch Int.random(in: 0..<4, using: &random) {
        case 0: OutboxFixture.shake(appended)
        case 1: OutboxFixture.chunk(appended)
        default: OutboxFixture.location(Double(appended % 90))
        }
      telegram.envelope.boot = outbox.boot
      outbox.append(telegram, at: now)
      owed.insert(EventKey(boot: outbox.boot, sequence: outbox.lastSequence))
    }
  }

  private mutating func connect() {
    if !outbox.isConnected { outbox.connect(at: now) }
  }

  private mutating func breakLink(isThrownOut: Bool) {
    // What was on its way may have arrived, in its order.
    let arrived = inFlight.prefix(Int.random(in: 0...inFlight.count, using: &random))
    atBroker += arrived.map(\.telegram).filter { !closed.contains($0.body.stream) }
    inFlight = []
    outbox.disconnect(isThrownOut: isThrownOut, at: now)
  }

  private mutating func answer() {
    for _ in 0..<Int.random(in: 1...20, using: &random) where !inFlight.isEmpty {
      let outgoing = inFlight.removeFirst()
      guard let token = outgoing.token, let sequence = outgoing.telegram.envelope.sequence else { continue }
      let stream = outgoing.telegram.body.stream
      if closed.contains(stream) {
        outbox.deny(token, at: now)
      } else if silent.contains(stream) {
        outbox.leaveUnheard(token, at: now)
      } else if !isOver, oneIn(40) {
        outbox.takeBack(token, retryS: 0.2, at: now)
      } else if !isOver, oneIn(40) {
        outbox.refuse(token, isPermanent: oneIn(3), at: now)
      } else {
        acknowledged.insert(EventKey(boot: outgoing.telegram.envelope.boot, sequence: sequence))
        atBroker.append(outgoing.telegram)
        outbox.deliver(token, at: now)
        delivered += 1
        if !outbox.isFleet { read(outgoing.telegram) }
      }
    }
  }

  /// Whoever gets it knows it, and what it explains.
  private mutating func read(_ telegram: Telegram) {
    guard let sequence = telegram.envelope.sequence else { return }
    let key = EventKey(boot: telegram.envelope.boot, sequence: sequence)
    stored.insert(key)
    owed.remove(key)
    guard case .evicted(let message) = telegram.body, let runs = message.exactRuns else { return }
    for number in runs.flatMap({ Array($0) }) {
      let key = EventKey(boot: message.boot ?? telegram.envelope.boot, sequence: number)
      explained.insert(key)
      owed.remove(key)
    }
  }

  private mutating func deliverToFleet() {
    guard isFleetThere, settings.delivery != .broker else { return }
    let batch = atBroker.prefix(Int.random(in: 1...30, using: &random))
    atBroker.removeFirst(batch.count)
    for telegram in batch { read(telegram) }
    for boot in Set(batch.map(\.envelope.boot)) where isOver || !oneIn(5) {
      var known = SequenceRuns()
      for key in stored.union(explained) where key.boot == boot { known.insert(key.sequence) }
      let first = known.runs.first.flatMap { $0.lowerBound == 1 ? $0.upperBound : nil } ?? 0
      let also = known.runs.filter { $0.lowerBound > first }.prefix(64)
      if !outbox.confirm(AckMessage(boot: boot, sequence: first, also: Array(also)), at: now), boot == outbox.boot {
        note("an honest acknowledgement is strange: \(first), \(also)")
      }
    }
  }

  /// The process is gone, and what only it knew.
  private mutating func kill() {
    guard settings.hasSpool else { return }
    let kept = spool
    spool.words = []
    bootNumber += 1
    var forgotten: [Bool] = (0..<400).map { _ in false }
    for index in forgotten.indices { forgotten[index] = oneIn(2) }
    spool.open(BootID(bootNumber)) { forgotten[Int($0.sequence) % 400] }
    // Nobody was promised what was not reported stored.
    owed = owed.filter { key in
      kept.isStored(key.boot, key.sequence) || spool.holds(key.boot, key.sequence)
        || kept.isNoted(key.boot, key.sequence) || kept.tells(of: key)
    }
    inFlight = []
    outbox = Outbox(boot: BootID(bootNumber), settings)
    now = .start
  }

  // MARK: What follows

  /// Lets the parts talk until all is said.
  private mutating func settle() {
    for _ in 0..<50 {
      for telling in outbox.takeTellings(at: now, isForced: isOver) {
        let envelope = Envelope(boot: outbox.boot, time: WallTime(seconds: 1), clock: .ntp, uptime: 1)
        outbox.append(Telegram(envelope, .evicted(telling.message)), note: telling.note, at: now)
        owed.insert(EventKey(boot: outbox.boot, sequence: outbox.lastSequence))
      }
      for outgoing in outbox.next(at: now) {
        sends += 1
        inFlight.append(outgoing)
      }
      let wishes = outbox.takeWishes(at: now)
      for wish in wishes { take(wish) }
      let words = spool.words
      spool.words = []
      for word in words { outbox.hear(word, at: now) }
      check()
      if wishes.isEmpty, words.isEmpty { break }
    }
  }

  private mutating func take(_ wish: SpoolWish) {
    if case .release(let boot, let run) = wish {
      for number in run where spool.holds(boot, number) {
        let key = EventKey(boot: boot, sequence: number)
        let hasEnded = outbox.isFleet ? stored.contains(key) : acknowledged.contains(key) || stored.contains(key)
        if hasEnded || explained.contains(key) || spool.tells(of: key) { continue }
        note("\(boot)/\(number) is released too early")
      }
    }
    spool.handle(wish)
  }

  private mutating func check() {
    if outbox.underWayCount > outbox.window { note("\(outbox.underWayCount) under way") }
    let boundBytes = 6000 + (outbox.feed.outstandingCount + outbox.window + 1) * 1200
    let exempt = outbox.entries.values.filter { $0.note != nil }.reduce(0) { $0 + $1.bytes }
    if outbox.memoryBytes > boundBytes + exempt { note("\(outbox.memoryBytes) bytes in memory") }
    let unsaved = outbox.entries.values.filter { $0.keeping != .stored }
    if unsaved.count != outbox.unsaved { note("\(outbox.unsaved) unsaved counted, \(unsaved.count) there") }
    if unsaved.reduce(0, { $0 + $1.bytes }) != outbox.unsavedBytes { note("unsaved bytes") }
    if outbox.tokens.count != outbox.entries.count { note("tokens") }
    if let deadline = outbox.nextDeadline, deadline < now { late += 1 } else { late = 0 }
    if late > 50 { note("always at \(outbox.nextDeadline?.seconds ?? 0)") }
  }

  private var late = 0

  /// Everything works from now on, for long enough that what is due comes.
  private mutating func heal() {
    isOver = true
    (silent, closed, isFleetThere) = ([], [], true)
    spool.repair()
    outbox.disconnect(at: now)
    inFlight = []
    for _ in 0..<3000 {
      now = now + 5
      connect()
      spool.commit()
      answer()
      deliverToFleet()
      settle()
      if owed.isEmpty, outbox.count == 0, inFlight.isEmpty { break }
    }
  }
}
