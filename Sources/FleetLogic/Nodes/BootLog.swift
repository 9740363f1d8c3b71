internal import Telemetry

/// Which boots of a node have been seen, which of them is the current one, and where a message belongs among them.
///
/// Order comes from (boot, sequence) alone: wall time may be wrong on a node for ever. Only what shows that a boot is
/// alive just now can make it the current one against another that is, so that neither a will that comes late nor a
/// backlog of an earlier run takes the node's place.
struct BootLog: Equatable, Sendable {
  /// Former boots remembered at the most.
  static let capacity = 8

  /// One run of the node.
  struct Run: Equatable, Sendable {
    var boot: BootID
    /// Rises with each run that became current; 0 for one that was over before the fleet tool heard of it.
    var order: Int
    /// The numbers that came.
    var sequences = SequenceSet()
    /// The numbers that came, and those that the node said it gave up.
    var settled = SequenceSet()
    /// The numbers that the node said it gave up, and the bounds of what it could not read back, the last of them.
    var evicted = SequenceSet()
    var damages: [ClosedRange<UInt64>] = []
    static let damageCapacity = 16
    /// The longest that it is known to have run [s]: by what came live.
    var newestUptime: Double?
    var top: Top?
    /// The best clock that the run is known to have had, the newest of those that are worth the same, ...
    private(set) var clock: ClockState?
    /// ... and how long it had run then [s].
    private var clockUptime = 0.0
    /// How far its clock is behind; nil until something came live since the clock was known.
    private(set) var lag: ClockLag?
    /// It has been heard live, not only through what the broker kept.
    var isConfirmed = false
    /// The levels before the node's name in its last live message.
    var prefix: TopicPrefix?
    /// The first number that came live and soon: whatever is missing above it was missed.
    var firstLive: UInt64?

    init(_ envelope: Envelope, order: Int) {
      boot = envelope.boot
      self.order = order
      _ = learnClock(envelope)
    }

    /// When the run started, by its own clock; nil unless that clock was disciplined.
    var started: WallTime? {
      clock.flatMap { $0.quality == .ntp || $0.quality == .gps ? $0.wallAtStart : nil }
    }

    /// Takes the clock of a message, and answers whether it is worth more than what was known.
    mutating func learnClock(_ envelope: Envelope) -> Bool {
      guard let new = envelope.clockState, let uptime = envelope.uptime, new.quality != .none else { return false }
      let isBetter = clock.map { new.quality.isWorthMore(than: $0.quality) } ?? true
      if let clock, !isBetter {
        guard !clock.quality.isWorthMore(than: new.quality), uptime >= clockUptime else { return false }
      }
      clock = new
      clockUptime = uptime
      if isBetter { lag = nil }
      return isBetter
    }

    mutating func learnLag(_ new: ClockLag) { if lag?.take(new) == nil { lag = new } }

    /// The clock, unless the machine slept since: `uptime` stood meanwhile, and a clock that was set went on.
    func clock(for envelope: Envelope) -> ClockState? {
      guard let clock, let own = envelope.clockState, let uptime = envelope.uptime else { return clock }
      let hasSlept = own.quality != .none && uptime > clockUptime && own.wallAtStart > clock.wallAtStart
      return hasSlept ? nil : clock
    }

    var missing: UInt64 { firstLive.map { settled.missing(from: $0) } ?? 0 }

    mutating func restoreClock(_ clock: ClockState) { self.clock = clock }

    mutating func insert(_ sequence: UInt64) -> SequenceSet.Verdict {
      _ = settled.insert(sequence)
      return sequences.insert(sequence)
    }

    mutating func noteUptime(_ envelope: Envelope, _ evidence: Evidence) {
      guard let uptime = envelope.uptime else { return }
      switch evidence {
      case .live, .event: newestUptime = max(uptime, newestUptime ?? uptime)
      case .will, .retained, .retainedStatus: break
      }
    }
  }

  /// What a message says about whether its boot is alive.
  enum Evidence: Equatable {
    /// Sent only by a boot that is running and connected, and never late: status, acceleration, health.
    case live
    /// An event: it may have waited in the node for long.
    case event(isBacklog: Bool)
    /// The broker says that the connection was lost.
    case will
    /// Kept by the broker, of unknown age.
    case retained
    /// The status kept by the broker: the last thing that was said about the node.
    case retainedStatus
  }

  enum Verdict: Equatable {
    /// The newest of the current boot.
    case newest
    /// The first of a boot that is now the current one.
    case newBoot
    /// Of the current boot, lower in sequence than one seen before.
    case late
    case duplicate
    /// Of a boot that is over.
    case formerBoot
    /// A will of a boot other than the current one.
    case staleWill
  }

  var current: Run?
  /// Oldest first.
  var former: [Run] = []
  /// How many boots became current.
  var count = 0
  /// Live messages of a boot that was thought to be over: two devices with one name do that.
  var interleavings = 0

  /// Nil when it is not remembered.
  func run(of boot: BootID) -> Run? {
    current?.boot == boot ? current : former.first { $0.boot == boot }
  }

  /// Changes what is known of a run. Nil when it is not remembered.
  mutating func update<Answer>(_ boot: BootID, _ body: (inout Run) -> Answer) -> Answer? {
    if var run = current, run.boot == boot {
      // Not in two places at once, or its ranges would be copied.
      current = nil
      defer { current = run }
      return body(&run)
    }
    return former.firstIndex { $0.boot == boot }.map { body(&former[$0]) }
  }

  /// The best clock that the run of a message is known to have had, where it can be better than the message's own; nil
  /// when nothing vouched for any, or the run is not remembered.
  func clock(for envelope: Envelope) -> ClockState? {
    run(of: envelope.boot)?.clock(for: envelope)
  }

  /// Takes the clock of a message whose run is known, and answers a clock that is worth more than what was known.
  mutating func learnClock(_ envelope: Envelope) -> ClockState? {
    if current?.boot == envelope.boot { return current?.learnClock(envelope) == true ? current?.clock : nil }
    guard let index = former.firstIndex(where: { $0.boot == envelope.boot }) else { return nil }
    return former[index].learnClock(envelope) ? former[index].clock : nil
  }

  /// Where the message belongs. Remembers it.
  /// - Parameter isPresent: the current boot counts as connected.
  mutating func judge(_ envelope: Envelope, _ evidence: Evidence, isPresent: Bool) -> (verdict: Verdict, order: Int) {
    if current?.boot == envelope.boot { return (note(envelope, evidence), current?.order ?? 0) }
    if let index = former.firstIndex(where: { $0.boot == envelope.boot }) {
      return judgeFormer(index, envelope, evidence, isPresent: isPresent)
    }
    if evidence == .will, current?.isConfirmed == true { return (.staleWill, 0) }
    guard startsNewBoot(envelope, evidence) else {
      var run = Run(envelope, order: 0)
      if let sequence = envelope.sequence { _ = run.insert(sequence) }
      run.noteUptime(envelope, evidence)
      remember(run, isOldest: true)
      return (.formerBoot, 0)
    }
    start(Run(envelope, order: count + 1))
    _ = note(envelope, evidence)
    return (.newBoot, count)
  }

  /// Notes a message of the current boot.
  private mutating func note(_ envelope: Envelope, _ evidence: Evidence) -> Verdict {
    if evidence == .live { current?.isConfirmed = true }
    let isYoung = envelope.uptime.map { $0 + Self.disorderS >= current?.newestUptime ?? 0 } ?? true
    current?.noteUptime(envelope, evidence)
    guard let sequence = envelope.sequence else { return .newest }
    // One that is old may have been sent before: a node repeats the event that the broker is to keep.
    if current?.firstLive == nil, isYoung, case .event = evidence { current?.firstLive = sequence }
    switch current?.insert(sequence) {
    case .late: return .late
    case .duplicate: return .duplicate
    case .newest, nil: return .newest
    }
  }

  private mutating func judgeFormer(_ index: Int, _ envelope: Envelope, _ evidence: Evidence, isPresent: Bool)
    -> (Verdict, Int)
  {
    switch evidence {
    case .will: return (.staleWill, 0)
    case .live:
      let isSupplanted = current?.isConfirmed == true && isPresent
      if current?.isConfirmed == true { interleavings += 1 }
      if isSupplanted { return (.formerBoot, former[index].order) }
      var run = former.remove(at: index)
      run.order = count + 1
      start(run)
      return (note(envelope, evidence), count)
    case .event, .retained, .retainedStatus:
      former[index].noteUptime(envelope, evidence)
      if let sequence = envelope.sequence, former[index].insert(sequence) == .duplicate {
        return (.duplicate, former[index].order)
      }
      return (.formerBoot, former[index].order)
    }
  }

  /// Whether a boot never heard of before is the one that runs now.
  private func startsNewBoot(_ envelope: Envelope, _ evidence: Evidence) -> Bool {
    guard let current else { return true }
    switch evidence {
    case .live, .retainedStatus: return true
    case .will: return !current.isConfirmed
    case .retained: return false
    case .event(isBacklog: true): return false
    case .event(isBacklog: false):
      // A node says `online` before anything else, so this is rare: believe good clocks, else the newcomer. Should it
      // be an old event after all, the running boot takes its place again with its next live message.
      guard let ours = current.started, let theirs = Run(envelope, order: 0).started else { return true }
      return theirs > ours
    }
  }

  private mutating func start(_ run: Run) {
    if let current { remember(current, isOldest: false) }
    current = run
    count += 1
  }

  private mutating func remember(_ run: Run, isOldest: Bool) {
    if former.count >= Self.capacity {
      // Not one that the node ran only just now, if it can be helped.
      guard !isOldest else { return }
      former.removeFirst()
    }
    former.insert(run, at: isOldest ? 0 : former.count)
  }
}
