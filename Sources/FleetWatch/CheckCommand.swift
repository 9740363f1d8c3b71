internal import BrokerLink
internal import Daemon
internal import FleetLogic
internal import MQTT
internal import Store
internal import Telemetry
internal import Waveforms

/// `judder-fleet check`: everything the fleet tool needs, tried once; a line for each finding.
enum CheckCommand {
  /// - Parameter file: the configuration that is read; nil: there is none.
  /// - Throws: `findings` when anything is wrong.
  static func run(
    file: String?, to output: StandardOutput, load: () throws(ConfigurationFailure) -> FleetConfiguration
  ) throws(Termination) {
    var report = CheckReport(output)
    let configuration: FleetConfiguration
    do throws(ConfigurationFailure) {
      configuration = try load()
    } catch {
      try report.end(error)
    }
    let rules = configuration.fleet.rules.map(\.name).joined(separator: ", ")
    try report.add(Finding(.good, "configuration", "\(file ?? "defaults, no file"): rules \(rules)"))
    for warning in configuration.warnings { try report.add(Finding(.warning, "configuration", warning)) }
    try report.add(store(configuration.store))
    try report.add(admission(configuration))
    if let http = configuration.http { try report.add(http.finding) }
    for sink in configuration.sinks { for finding in sink.findings { try report.add(finding) } }
    if let waveforms = configuration.waveforms { try report.add(folder(waveforms)) }
    let watch = ClockWatch(clock: .process)
    try report.add(clock(watch.state, at: MonotonicClock.process.now(), configuration.fleet.rules))
    for finding in broker(configuration) { try report.add(finding) }
    try report.end()
  }

  /// Who is taken in, and who asked in vain as far as the database says.
  private static func admission(_ configuration: FleetConfiguration) -> Finding {
    let fleet = configuration.fleet
    let text =
      switch fleet.admission {
      case .all: "every node is taken in, up to \(fleet.maxNodes)"
      case .listed(let patterns):
        "taken in are \(fleet.labels.count) nodes by their names, and \(patterns.count) patterns of names"
      }
    guard let file = configuration.store?.file, let note = try? QuarantineList.note(HistoryReader(file)), note.nodes > 0
    else { return Finding(.good, "nodes", text) }
    return Finding(
      .warning, "nodes", "\(text); about \(note.nodes) others spoke up to \(note.time.second) and were not",
      remedy: "see judder-fleet nodes --quarantine, then fleet.allow and fleet.max_nodes")
  }

  /// What the machine's clock is worth to the rules: where nothing vouches for it, the shakes of several nodes are not
  /// held against each other.
  static func clock(_ state: ClockState, at now: Instant, _ rules: [Rule]) -> Finding {
    let time = state.wall(at: now).rfc3339
    guard state.quality == .none else { return Finding(.good, "clock", "\(time), \(state.quality.rawValue)") }
    let text = "\(time), nothing vouches for it: the times of alerts may be wrong"
    let waiting = rules.filter { $0.kind == .together }.map(\.name)
    guard !waiting.isEmpty else { return Finding(.good, "clock", text) }
    return Finding(
      .warning, "clock", "\(text), and \(waiting.joined(separator: ", ")) waits (kind together)",
      remedy: "let systemd-timesyncd or chrony set it")
  }

  private static func store(_ settings: StoreSettings?) -> Finding {
    guard let settings else { return Finding(.good, "store", StoreSettings.absence) }
    do throws(StoreProblem) {
      return room(try HistoryStore.inspect(settings), settings)
    } catch {
      return Finding(.problem, "store", error.description)
    }
  }

  /// Less room than this takes no batch of events, with what the log of the database needs [bytes].
  private static let leastBytes: Int64 = 1 << 20

  /// What is there, and whether its disk has room for what it may take.
  static func room(_ found: HistoryStore.Inspection, _ settings: StoreSettings) -> Finding {
    let text = "\(settings.file): \(text(found))"
    guard let free = found.freeBytes, free < max(leastBytes, settings.capBytes - found.sizeBytes) else {
      return Finding(.good, "store", text)
    }
    if free < leastBytes {
      return Finding(
        .problem, "store", "\(text); its disk is full: nothing more is kept, and no node is told that it is",
        remedy: "make room there")
    }
    let room = Decimal.text(Double(free + found.sizeBytes) / 1_048_576, decimals: 0)
    let cap = Decimal.text(Double(settings.capBytes) / 1_048_576, decimals: 0)
    return Finding(
      .warning, "store", "\(text); its disk has room for \(room) MB of the \(cap) MB that store.cap_mb allows",
      remedy: "make room there, or lower store.cap_mb")
  }

  private static func text(_ found: HistoryStore.Inspection) -> String {
    guard found.sizeBytes > 0 else { return "not there yet, made by run" }
    let events = found.events.map { "\($0) events" } ?? "too many events to count"
    let megabytes = Decimal.text(Double(found.sizeBytes) / 1_048_576, decimals: 1)
    let check = found.isCheckWhole ? "nothing is damaged" : "nothing is damaged as far as there was time to look"
    let lost = found.lostEvents == 0 ? "" : ", \(found.lostEvents) events were lost with damaged pages"
    return "\(events), \(megabytes) MB, \(check)\(lost)" + (found.isInUse ? ", in use by a judder-fleet that runs" : "")
  }

  private static func folder(_ waveforms: WaveformKeeping) -> Finding {
    guard let trouble = WaveformKeeper.trouble(waveforms) else {
      let formats = waveforms.formats.map(\.rawValue).joined(separator: ", ")
      return Finding(.good, "waveforms", "\(waveforms.directory): \(formats)")
    }
    return Finding(.problem, "waveforms", trouble, remedy: "make the folder, and let this user write to it")
  }

  private static func broker(_ configuration: FleetConfiguration) -> [Finding] {
    let fleet = FleetState(
      configuration.fleet, clock: ClockState(wallAtStart: WallTime(seconds: 0), quality: .none))
    var settings = configuration.broker
    settings.subscriptions = fleet.subscriptions.map { BrokerSettings.Subscription($0) }
    var targets: [BrokerTrial.Target] = []
    if configuration.fleet.publishes { targets.append(.init("\(configuration.fleet.alertsPrefix)/check")) }
    if configuration.store != nil { targets.append(acknowledgement(configuration.fleet.prefix)) }
    if configuration.fleet.control == .allowed { targets.append(answer(configuration.fleet.alertsPrefix)) }
    var trial = BrokerTrial(settings, targets: targets)
    return trial.run()
  }

  /// Without an id it answers nobody.
  private static func answer(_ prefix: TopicPrefix) -> BrokerTrial.Target {
    let topic = FleetTopic.reply.text(under: prefix)
    return BrokerTrial.Target(
      topic, remedy: "people who ask for something are not answered: let it publish on \(topic) in the access list")
  }

  /// As to a node, with a name that none has. Without a run it acknowledges nothing even to one that had it.
  private static func acknowledgement(_ prefix: PrefixPattern) -> BrokerTrial.Target {
    let levels = prefix.levels.map { $0 == "+" ? "judder-fleet-check" : $0 } + ["judder-fleet-check", "ack"]
    return BrokerTrial.Target(
      levels.joined(separator: "/"),
      remedy: "no node is told what is stored, and those that know this tool keep everything: let it publish on "
        + "\(prefix)/+/ack in the broker's access list")
  }
}
