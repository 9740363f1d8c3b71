internal import Daemon
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// `judder-node fix`: what gpsd says, what would be published, and why the rest would not.
final class FixCommand {
  /// Between two drawings [s].
  private static let drawingS = 0.25

  private let configuration: FixConfiguration
  private let style: ToolStyle
  private let seconds: Double?
  private let log: Log
  private let output: StandardOutput
  private let tool: ToolLoop
  private var screen: Screen
  private var state: FixState
  private var clockWatch: ClockWatch
  private var gpsd: GpsdInlet?
  private var accelerometer: AccelerometerInlet?
  private var nodeTimer: EventLoop.Timer?

  init(
    _ configuration: FixConfiguration, _ style: ToolStyle, seconds: Double?, log: Log, output: StandardOutput
  ) throws(Termination) {
    self.configuration = configuration
    self.style = style
    self.seconds = seconds
    self.log = log
    self.output = output
    // What is wrong with the sensor is said among the events.
    log.level = .error
    tool = try ToolLoop()
    screen = Screen(output)
    clockWatch = ClockWatch(clock: tool.clock)
    state = FixState(
      configuration.logic, prefix: configuration.prefix, name: configuration.name, clock: clockWatch.state,
      record: configuration.recordFile.flatMap { LocationRecordFile($0, log: log).read() }, at: tool.clock.now())
  }

  /// - Throws: `unavailable` when gpsd did not answer in all the seconds.
  func run() throws(Termination) {
    tool.onStop = { [unowned self] in close() }
    nodeTimer = tool.loop.timer { [unowned self] _ in hand { $0.tick(at: $1) } }
    if style.isPicture {
      tool.every(FixCommand.drawingS) { [unowned self] _ throws(Termination) in try draw() }
    }
    do throws(Termination) {
      let redraw = { [unowned self] () throws(Termination) in try draw() }
      try tool.run(seconds: seconds, redraw: redraw) { () throws(Termination) in start() }
    } catch {
      screen.close()
      throw error
    }
    try finish()
  }

  private func start() {
    gpsd = GpsdInlet(configuration.gpsd, loop: tool.loop) { [unowned self] input in hand { $0.handle(input, at: $1) } }
    startAccelerometer()
    nodeTimer?.deadline = state.nextDeadline
  }

  /// Positions are shown without it too.
  private func startAccelerometer() {
    do throws(RecordingFailure) {
      accelerometer = try AccelerometerInlet(configuration.accelerometer, loop: tool.loop, log: log) {
        [unowned self] report in hand { $0.handle(FixCommand.explained(report), at: $1) }
      }
      if accelerometer == nil { hand { $0.lacksSensor("none is configured", at: $1) } }
    } catch {
      let reason = "\(error)"
      hand { $0.lacksSensor(reason, at: $1) }
    }
  }

  private func close() {
    gpsd?.stop()
    gpsd = nil
    accelerometer?.stop()
    accelerometer = nil
  }

  private func finish() throws(Termination) {
    screen.close()
    try output.flush()
    let errors = StandardOutput(descriptor: 2, name: "standard error")
    try errors.line(printableLine(state.summary))
    try errors.flush()
    guard seconds == nil || tool.isInterrupted || state.hasAnswered else {
      throw Termination(.unavailable, ["gpsd at \(configuration.gpsd.endpoint): \(reason)"])
    }
  }

  private var reason: String { if case .down(let reason) = state.link { reason } else { "no answer" } }

  // MARK: What happened

  /// Hands something to the state, and shows what comes of it.
  private func hand(_ body: (inout FixState, Instant) -> [FixEntry]) {
    tool.attempt { () throws(Termination) in
      let now = tool.clock.now()
      if let clock = clockWatch.change(at: now) { try tell(state.handle(clock, at: now)) }
      try tell(body(&state, now))
      nodeTimer?.deadline = state.nextDeadline
    }
  }

  private func tell(_ entries: [FixEntry]) throws(Termination) {
    for entry in entries {
      switch style {
      case .picture: break
      case .lines: try output.line(entry.line(clockWatch.state))
      case .json: try output.line(entry.json())
      }
    }
    if !entries.isEmpty, !style.isPicture { try output.flush() }
  }

  private func draw() throws(Termination) {
    guard case .picture(let isColoured, let isUnicode) = style else { return }
    let size = Terminal.size() ?? Terminal.Size(columns: 80, rows: 24)
    let picture = FixPicture(width: size.columns, rows: size.rows, isColoured: isColoured, isUnicode: isUnicode)
    let now = tool.clock.now()
    if size.columns >= picture.width { return try screen.show(picture.lines(state, at: now)) }
    // A terminal narrower than any picture shows the beginnings; colours would be cut apart.
    let plain = FixPicture(width: size.columns, rows: size.rows, isUnicode: isUnicode)
    try screen.show(plain.lines(state, at: now).map { TextWidth.cut($0, to: size.columns) })
  }

  /// Why it cannot be read, where another program has it. Unlike other tools this one goes on without it.
  private static func explained(_ report: AccelerometerReport) -> AccelerometerReport {
    guard case .failed = report, SensorSession.explained(report) != report else { return report }
    return .failed(reason: "another program has it, judder-node run for one")
  }
}
