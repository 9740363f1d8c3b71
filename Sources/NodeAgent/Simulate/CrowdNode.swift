internal import Daemon
internal import MQTT
internal import NodeLogic
internal import Telemetry

/// One node of a crowd: a scripted node, and its session at the broker.
final class CrowdNode {
  enum Life: Equatable {
    case waiting
    case running
    /// It does nothing, and its connection stays.
    case hung
    /// It was stopped, and hands over what is left until then.
    case leaving(until: Instant)
    case gone
  }

  /// How long a stop may take [s].
  private static let leaveS = 2.0

  private var configuration: NodeConfiguration
  private let log: Log
  private var scripted: ScriptedNode
  private var nextBoot: BootNames
  private var link: BrokerLinkage?
  /// When a connection that was cut is tried again.
  private var linkDue: Instant?
  private var underWay: [UInt64: Stream] = [:]
  private(set) var life = Life.waiting
  /// It was connected once.
  private(set) var hasConnected = false

  /// - Parameter configuration: its own, with its name in it.
  init(_ configuration: NodeConfiguration, _ scripted: ScriptedNode, boots: BootNames, log: Log) {
    self.configuration = configuration
    self.scripted = scripted
    nextBoot = boots
    self.log = log
  }

  /// Starts a new run, with a session of its own.
  func start(at now: Instant, _ tally: inout CrowdTally) {
    life = .running
    linkDue = nil
    underWay = [:]
    let boot = nextBoot.next()
    connect(boot)
    carryOut(scripted.start(boot: boot, at: now), at: now, &tally)
  }

  /// Does what is due: what the broker said, samples, fixes, timers.
  func advance(to now: Instant, _ tally: inout CrowdTally) {
    switch life {
    case .waiting, .hung, .gone: return
    case .running, .leaving: break
    }
    if let due = linkDue, now >= due {
      linkDue = nil
      connect(nextBoot.current)
    }
    for event in link?.drain() ?? [] { take(event, at: now, &tally) }
    if case .leaving(let until) = life {
      guard now >= until || link?.isConnected != true || scripted.imminentEvents == 0 else { return }
      link?.release(deadlineS: CrowdNode.leaveS)
      link = nil
      life = .gone
      return
    }
    carryOut(scripted.advance(to: now), at: now, &tally)
  }

  func setClock(_ clock: ClockState, at now: Instant, _ tally: inout CrowdTally) {
    carryOut(scripted.setClock(clock, at: now), at: now, &tally)
  }

  /// Does what a script says. Whoever is not there cannot be shaken; that is no fault of the script.
  func obey(_ action: CrowdAction, at now: Instant, _ tally: inout CrowdTally) {
    switch action {
    case .order(let order): carryOut(scripted.obey(order, at: now), at: now, &tally)
    case .die:
      cut()
      life = .gone
    case .hang: if life == .running { life = .hung }
    case .leave: leave(at: now, &tally)
    case .comeBack:
      if life == .hung { life = .running }
      if life != .running { start(at: now, &tally) }
    case .mark: break
    case .reboot:
      cut()
      start(at: now, &tally)
    case .backlog(let forS):
      guard life == .running else { return }
      cut()
      linkDue = now + forS
      carryOut(scripted.handle(.link(isConnected: false), at: now), at: now, &tally)
    }
  }

  /// Stops it in order, as SIGTERM does. `advance` goes on until what waits is handed over.
  func leave(at now: Instant, _ tally: inout CrowdTally) {
    if life == .hung { life = .running }
    guard life == .running else { return }
    life = .leaving(until: now + CrowdNode.leaveS)
    linkDue = nil
    carryOut(scripted.handle(.stop, at: now), at: now, &tally)
  }

  private func cut() {
    link?.abandon()
    link = nil
    linkDue = nil
    underWay = [:]
  }

  private func connect(_ boot: BootID) {
    do throws(Termination) {
      let link = try BrokerLinkage(configuration, boot: boot, log: log)
      link.open()
      self.link = link
    } catch {
      for line in error.lines { log.error(line) }
    }
  }

  // MARK: - Between node and session

  private func take(_ event: SessionEvent, at now: Instant, _ tally: inout CrowdTally) {
    guard let inputs = link?.inputs(of: event) else { return }
    for input in inputs {
      switch input {
      case .link(true):
        hasConnected = true
        tally.connects += 1
      case .link(false): underWay = [:]
      case .delivered(let token), .unheard(let token):
        if let stream = underWay.removeValue(forKey: token) { tally.acknowledge(stream) }
      case .refused(let token, _), .denied(let token):
        underWay[token] = nil
        tally.refused += 1
      case .full(let token):
        underWay[token] = nil
        tally.returned += 1
      case .dropped: tally.dropped += 1
      default: break
      }
      carryOut(scripted.handle(input, at: now), at: now, &tally)
    }
  }

  private func carryOut(_ effects: [NodeEffect], at now: Instant, _ tally: inout CrowdTally) {
    for effect in effects {
      switch effect {
      case .publish(let outgoing): publish(outgoing, at: now, &tally)
      case .measureUsage:
        // What the process costs is not what the node would.
        let load = ProcessLoad(residentKB: nil, processorS: nil)
        carryOut(scripted.handle(.usage(load), at: now), at: now, &tally)
      case .log(let note): log.debug("\(configuration.name): \(note.text)")
      case .set(let command):
        let reason = "a simulated node has no configuration of its own"
        let answer = ReplyMessage(id: command.id, command.verb, isDone: false, reason: reason)
        carryOut(scripted.handle(.answered(answer), at: now), at: now, &tally)
      case .keepAwake, .keep, .spool, .decided: break
      }
    }
  }

  private func publish(_ outgoing: Outgoing, at now: Instant, _ tally: inout CrowdTally) {
    let stream = outgoing.telegram.body.stream
    guard let answer = link?.publish(outgoing) ?? (link == nil ? .dropped : nil) else {
      tally.publish(stream)
      if let token = outgoing.token { underWay[token] = stream }
      return
    }
    if case .dropped = answer { tally.dropped += 1 } else { tally.returned += 1 }
    carryOut(scripted.handle(answer, at: now), at: now, &tally)
  }
}

/// Names for the runs of one node: they differ from those of every other run of the program, because a fleet tool takes
/// the same name and number for the same event.
struct BootNames {
  private var state: UInt64
  private(set) var current = BootID(0)

  /// - Parameter salt: another one in each run of the program.
  init(salt: UInt64, node: Int) {
    state = salt &+ UInt64(node) &* 0x9e37_79b9_7f4a_7c15
  }

  mutating func next() -> BootID {
    // An odd factor of few zero bits spreads neighbours over all 32 bits (Knuth, multiplicative hashing).
    state = state &* 0xd134_2543_de82_ef95 &+ 1
    current = BootID(UInt32(truncatingIfNeeded: state >> 32))
    return current
  }
}
