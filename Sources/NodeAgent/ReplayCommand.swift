internal import Daemon
internal import NodeLogic
internal import Telemetry

/// `judder-node replay`: a recording through the whole logic, without clock, sensor or broker.
struct ReplayCommand {
  private let configuration: NodeConfiguration
  private let file: String
  private var node: Node
  private let output: StandardOutput
  private var last: Instant?
  /// Samples that came before the rate was known.
  private var held: [Sample] = []
  private var isStarted = false
  private var waveforms: WaveformFiles?
  /// Chunks are only made to be written to files, and would not be published.
  private let hidesWaveforms: Bool
  private var summary = ReplaySummary()

  /// What the t of a message may be, by the contract: 1970 to 2199.
  private static let times = 0.0...7_258_118_399

  /// So many samples tell the rate.
  private static let rateSamples = 64

  /// - Parameter waveforms: where to write the waveform of each shake; nil: nowhere.
  init(
    _ configuration: NodeConfiguration, file: String, waveforms: WaveformFiles? = nil, output: StandardOutput
  ) {
    self.configuration = configuration
    self.file = file
    self.output = output
    var settings = configuration.logic
    settings.motion = settings.motion ?? MotionSettings()
    settings.location = nil
    settings.gpsd = nil
    hidesWaveforms = settings.motion?.waveform == nil
    self.waveforms = waveforms
    if waveforms != nil {
      var waveform = settings.motion?.waveform ?? configuration.waveform
      // There is no link that could be metered.
      waveform.maxPerHour = WaveformSettings.perHourRange.upperBound
      settings.motion?.waveform = waveform
    }
    // Printed is delivered.
    settings.outbox = OutboxSettings()
    // The file's t is the messages' t: instants and wall time are the same here, and nothing vouches for them.
    node = Node(
      boot: BootID(0), settings, clock: ClockState(wallAtStart: WallTime(seconds: 0), quality: .none))
  }

  /// - Throws: what is wrong with the file, as `FILE: line 3: ...`.
  mutating func run() throws(Termination) {
    summary.torn = try readRecording(file, times: ReplayCommand.times) { sample throws(Termination) in
      summary.samples.count(sample)
      try feed(sample)
    }
    try begin()
    try carryOut(node.handle(.stop, at: last ?? .start))
    try waveforms?.finish()
    try output.flush()
    try summary.write(file)
  }

  private mutating func feed(_ sample: Sample) throws(Termination) {
    guard isStarted else {
      held.append(sample)
      if held.count >= ReplayCommand.rateSamples { try begin() }
      return
    }
    last = max(last ?? sample.at, sample.at)
    try carryOut(node.handle(.accelerometer(.samples([sample])), at: last ?? sample.at))
  }

  /// Tells the node of a sensor, now that its rate is known, and hands in what was held.
  private mutating func begin() throws(Termination) {
    guard !isStarted else { return }
    isStarted = true
    let start = held.first?.at ?? .start
    let description = AccelerometerDescription(
      name: file.split(separator: "/").last.map(String.init) ?? file, source: .recording, rateHz: heldRateHz,
      capture: .generated)
    try carryOut(node.handle(.link(isConnected: true), at: start))
    try carryOut(node.handle(.accelerometer(.started(description)), at: start))
    let samples = held
    held = []
    for sample in samples { try feed(sample) }
  }

  /// The median rate of the first samples [Hz]; 1 where there are too few to tell.
  private var heldRateHz: Double {
    let steps = zip(held.dropFirst(), held).map { $0.at - $1.at }.filter { $0 > 0 }.sorted()
    return steps.isEmpty ? 1 : 1 / steps[steps.count / 2]
  }

  private mutating func carryOut(_ effects: [NodeEffect]) throws(Termination) {
    var effects = effects[...]
    while let effect = effects.popFirst() {
      guard case .publish(let outgoing) = effect else { continue }
      summary.count(outgoing.telegram)
      try write(outgoing.telegram)
      // Printed is delivered.
      if let token = outgoing.token { effects += node.handle(.delivered(token), at: last ?? .start) }
    }
  }

  private mutating func write(_ telegram: Telegram) throws(Termination) {
    if case .waveform(let chunk) = telegram.body {
      try waveforms?.take(chunk, of: configuration.name, telegram.envelope)
      if hidesWaveforms { return }
    }
    let topic = Topic(prefix: configuration.prefix, node: configuration.name, stream: telegram.body.stream)
    var line = JSONWriter()
    line.object {
      $0.string("topic", topic.description)
      $0.json("payload", telegram.encode())
    }
    try output.line(line.text)
  }
}
