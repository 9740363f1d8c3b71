internal import Daemon
internal import FleetLogic
internal import Telemetry

/// What `watch` makes of the fleet: a picture, lines for people, or lines of JSON.
struct Viewer {
  enum Style {
    /// A terminal with a keyboard.
    case screen(LiveScreen)
    /// A terminal without one.
    case table(isColoured: Bool)
    case lines
    case json
  }

  /// Between two drawings of the table [s].
  static let drawingS = 0.5

  let style: Style
  private let output: StandardOutput
  private var screen: Screen

  init(_ style: Style, _ output: StandardOutput) {
    self.style = style
    self.output = output
    screen = Screen(output)
  }

  /// A picture, which lines would spoil.
  var isPicture: Bool {
    switch style {
    case .screen, .table: true
    case .lines, .json: false
    }
  }

  /// What it wants to hear beside nodes and alerts: whether a fleet tool runs, and what it answers.
  func subscriptions(_ configuration: FleetState.Configuration) -> [String] {
    guard live != nil else { return [] }
    return [FleetTopic.status.text(under: configuration.alertsPrefix), WatchRequests.subscription(configuration)]
  }

  /// Lines on the terminal would spoil the picture, which says the same in its own way; nil: they spoil nothing.
  var logLevel: LogLevel? { isPicture && Terminal.size(2) != nil ? .error : nil }

  /// What it is shown on, where that has a keyboard.
  var live: LiveScreen? { if case .screen(let live) = style { live } else { nil } }

  /// Shows what one effect is worth. A picture is drawn at its own pace instead.
  func show(_ effect: Effect, _ fleet: FleetState) throws(Termination) {
    switch style {
    case .screen(let live): if case .change(let change) = effect { live.note(change) }
    case .table: return
    case .lines:
      if let line = line(effect) { try output.line(line) }
    case .json:
      if let json = json(effect, fleet) { try output.line(String(decoding: json, as: UTF8.self)) }
    }
  }

  /// To be called before waiting: lines may still be held back.
  func flush() throws(Termination) { if !isPicture { try output.flush() } }

  mutating func draw(_ fleet: FleetState, at now: Instant) throws(Termination) {
    guard case .table(let isColoured) = style else { return }
    let size = Terminal.size() ?? Terminal.Size(columns: 80, rows: 24)
    let table = FleetTable(width: size.columns, height: size.rows, isColoured: isColoured)
    try screen.show(Array(table.lines(fleet, at: now).prefix(size.rows)))
  }

  mutating func close() {
    live?.close()
    screen.close()
  }

  private func line(_ effect: Effect) -> String? {
    switch effect {
    case .alert(let alert): PlainLine.of(alert)
    case .change(let change): PlainLine.of(change)
    case .link(let link, let moment): PlainLine.of(link, at: moment)
    case .publish, .log, .keep, .answer: nil
    }
  }

  private func json(_ effect: Effect, _ fleet: FleetState) -> [UInt8]? {
    switch effect {
    case .alert(let alert): FleetJSON.alert(alert)
    case .change(let change): fleet.node(change.node).map { FleetJSON.change(change, $0, fleet.clock) }
    case .link(let link, let moment): FleetJSON.link(link, at: moment)
    case .publish, .log, .keep, .answer: nil
    }
  }
}
