internal import Daemon
internal import NodeLogic
internal import Telemetry

/// `judder-node tap`: the sensor and the node's logic at work, for the eyes.
final class TapCommand {
  /// Between two drawings, and between two lines [s].
  private static let drawingS = 0.1
  private static let lineS = 1.0

  private let style: ToolStyle
  private let seconds: Double?
  private let output: StandardOutput
  private let session: SensorSession
  private var screen: Screen
  private var state: TapState

  init(
    _ configuration: SensorConfiguration, _ style: ToolStyle, seconds: Double?, log: Log, output: StandardOutput
  ) throws(Termination) {
    self.style = style
    self.seconds = seconds
    self.output = output
    // Lines would spoil the picture, which says the same in its own way.
    if style.isPicture { log.level = .error }
    session = try SensorSession(configuration.accelerometer, log: log)
    screen = Screen(output)
    let clock = ClockProbe(clock: session.clock).read()
    state = TapState(configuration.motion, boot: BootID(0), clock: clock, at: session.clock.now())
  }

  /// - Throws: `unavailable` when no sample came in all the seconds.
  func run() throws(Termination) {
    let tick = { [unowned self] (now: Instant) throws(Termination) in
      try tell(now >= state.nextDeadline ? state.tick(at: now) : [])
      try show(at: now)
    }
    session.every(style.isPicture ? TapCommand.drawingS : TapCommand.lineS, tick)
    let redraw = { [unowned self] () throws(Termination) in try draw() }
    do throws(Termination) {
      try session.run(seconds: seconds, redraw: redraw) { [unowned self] report throws(Termination) in
        try tell(state.handle(report, at: session.clock.now()))
      }
    } catch {
      screen.close()
      throw error
    }
    try finish()
  }

  private func finish() throws(Termination) {
    screen.close()
    let now = session.clock.now()
    // The picture is gone with its screen; one line stays, of the state before the stop.
    if style.isPicture, state.samples > 0 { try output.line(state.line(at: now)) }
    try tell(state.stop(at: now))
    try output.flush()
    guard seconds == nil || session.isInterrupted || state.samples > 0 else {
      throw Termination(.unavailable, [state.failure ?? "no sample came"])
    }
  }

  /// Events go out at once, where lines are written.
  private func tell(_ events: [TapEvent]) throws(Termination) {
    for event in events {
      switch style {
      case .picture: break
      case .lines: try output.line(event.text)
      case .json: try output.line(event.json())
      }
    }
    if !events.isEmpty, !style.isPicture { try output.flush() }
  }

  private func show(at now: Instant) throws(Termination) {
    switch style {
    case .picture: return try draw()
    case .lines: try output.line(state.line(at: now))
    case .json: try output.line(state.json(at: now))
    }
    try output.flush()
  }

  private func draw() throws(Termination) {
    guard case .picture(let isColoured, let isUnicode) = style else { return }
    let size = Terminal.size() ?? Terminal.Size(columns: 80, rows: 24)
    let picture = TapPicture(width: size.columns, isColoured: isColoured, isUnicode: isUnicode)
    let lines = picture.lines(state, at: session.clock.now())
    // A terminal narrower than any picture shows the beginnings; colours would be cut apart.
    let plain = TapPicture(width: size.columns, isUnicode: isUnicode)
    let fitting =
      size.columns >= picture.width
      ? lines
      : plain.lines(state, at: session.clock.now())
        .map { TextWidth.cut($0, to: size.columns) }
    try screen.show(Array(fitting.prefix(size.rows)))
  }
}
