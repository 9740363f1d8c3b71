internal import Daemon
internal import FleetLogic
internal import Telemetry

/// `watch` on a terminal with a keyboard: hands keys and sizes to `WatchScreen`, and draws what it answers.
final class LiveScreen {
  /// What it needs of the loop around it.
  struct Ports {
    var fleet: () -> FleetState
    /// The person wants to end.
    var quit: () -> Void
    /// The terminal is gone.
    var end: (Termination) -> Void
    var publish: (FleetLogic.Publication) -> Void
  }

  /// Between two drawings that nobody asked for [s].
  static let drawingS = 0.5

  private let terminal: KeyboardTerminal
  private var screen: WatchScreen
  private var memory: WatchMemory?
  private var requests: WatchRequests?
  private let author: String
  private let run: String
  private var decoder = KeyDecoder()
  private var loop: EventLoop?
  private var ports: Ports?
  private var drawTimer: EventLoop.Timer?
  private var keyTimer: EventLoop.Timer?
  /// A picture that the terminal had no room for is due.
  private var isLate = false

  /// - Parameters:
  ///   - author: who asks the fleet tool for something.
  ///   - run: names this process in what it asks.
  init(_ terminal: KeyboardTerminal, isColoured: Bool, isUnicode: Bool, author: String, run: String) {
    self.terminal = terminal
    self.author = author
    self.run = run
    let size = Self.size(terminal)
    screen = WatchScreen(width: size.columns, height: size.rows, isColoured: isColoured, isUnicode: isUnicode)
  }

  private static func size(_ terminal: KeyboardTerminal) -> Terminal.Size {
    Terminal.size(terminal.output) ?? Terminal.Size(columns: 80, rows: 24)
  }

  /// Takes the terminal as soon as it may, and draws from now on.
  func start(_ loop: EventLoop, _ ports: Ports) {
    self.loop = loop
    self.ports = ports
    let configuration = ports.fleet().configuration
    memory = WatchMemory(configuration)
    requests = WatchRequests(configuration, author: author, run: run)
    keyTimer = loop.timer { [unowned self] now in press(decoder.keys(at: now), at: now) }
    drawTimer = loop.timer { [unowned self] now in draw(at: now) }
    drawTimer?.deadline = loop.clock.now()
  }

  /// Gives the terminal back.
  func close() {
    loop?.unwatch(terminal.input)
    loop?.unwatch(terminal.output)
    drawTimer?.deadline = nil
    keyTimer?.deadline = nil
    terminal.close()
  }

  // MARK: What there is to show

  func note(_ change: Change) { memory?.note(change) }

  func hear(topic: String, payload: [UInt8]) {
    memory?.hear(topic: topic, payload: payload)
    if let answer = requests?.answer(topic: topic, payload: payload) { say(answer) }
  }

  /// Asks the fleet tool; answers what to show at once.
  private func act(_ action: WatchAction, at now: Instant) -> String {
    guard let ports, case .connected = ports.fleet().link else { return "no link to the broker: nothing was sent" }
    guard let request = requests?.publication(for: action, at: ports.fleet().moment(now)) else { return "" }
    ports.publish(request)
    return "sent; the fleet tool has not answered yet"
  }

  /// Shows one line until the next key, which may hold anything.
  func say(_ text: String) {
    screen.say(text)
    redraw()
  }

  /// Draws as soon as the loop is free.
  func redraw() { if let loop { drawTimer?.deadline = loop.clock.now() } }

  private func draw(at now: Instant) {
    guard let loop, let ports, let memory else { return }
    drawTimer?.deadline = now + Self.drawingS
    guard takeTerminal(loop) else { return }
    attempt { () throws(Termination) in try terminal.pump() }
    isLate = terminal.isBusy
    guard !isLate else { return awaitTerminal(loop) }
    if let silence = requests?.silence(at: now) { screen.say(silence) }
    let size = Self.size(terminal)
    screen.resize(width: size.columns, height: size.rows)
    let lines = screen.lines(ports.fleet(), memory, at: now)
    attempt { () throws(Termination) in _ = try terminal.show(lines, size) }
    awaitTerminal(loop)
  }

  /// The rest of a picture goes out when there is room for it; what came meanwhile is drawn then, once.
  private func awaitTerminal(_ loop: EventLoop) {
    guard terminal.isBusy else { return }
    loop.watch(terminal.output, for: .writable) { [unowned self] _ in
      attempt { () throws(Termination) in try terminal.pump() }
      guard !terminal.isBusy else { return }
      loop.unwatch(terminal.output)
      if isLate { redraw() }
    }
  }

  private func takeTerminal(_ loop: EventLoop) -> Bool {
    if terminal.isOpen { return true }
    guard terminal.open() else { return false }
    loop.watch(terminal.input) { [unowned self] _ in takeKeys() }
    return true
  }

  private func attempt(_ body: () throws(Termination) -> Void) {
    do throws(Termination) {
      try body()
    } catch {
      ports?.end(error)
    }
  }

  // MARK: Keys

  private func takeKeys() {
    guard let loop else { return }
    let now = loop.clock.now()
    switch terminal.read() {
    case .bytes(let bytes):
      press(decoder.keys(bytes, at: now), at: now)
      keyTimer?.deadline = decoder.deadline
    case .closed:
      loop.unwatch(terminal.input)
      ports?.end(Termination(.success))
    }
  }

  private func press(_ keys: [Key], at now: Instant) {
    guard !keys.isEmpty else { return }
    for key in keys {
      switch screen.press(key) {
      case nil: break
      case .quit: return ports?.quit() ?? ()
      case .repaint: terminal.forget()
      case .act(let action): screen.say(act(action, at: now))
      }
    }
    draw(at: now)
  }

  // MARK: Signals

  /// Ctrl-Z: the shell gets its terminal back, until it is told to go on.
  func suspend() {
    loop?.unwatch(terminal.input)
    loop?.unwatch(terminal.output)
    terminal.stopUntilContinued()
    redraw()
  }

  /// Whoever stopped the process may have used the terminal meanwhile.
  func resume() {
    guard terminal.isOpen else { return redraw() }
    if !terminal.reopen() { loop?.unwatch(terminal.input) }
    redraw()
  }
}
