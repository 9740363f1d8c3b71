internal import CLinux
internal import Glibc
internal import Telemetry
internal import Threading

/// How much a line matters.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
  case debug, info, notice, warning, error

  /// The priority of syslog(3), which systemd reads from `<N>`.
  var priority: Int {
    switch self {
    case .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    }
  }

  public static func < (a: LogLevel, b: LogLevel) -> Bool { a.priority > b.priority }
}

/// Lines for the operator, on standard error. Any thread may write.
///
/// Under systemd a line begins with `<N>`, the priority, and the journal adds the time; elsewhere it begins with the
/// time and the level. Every text passes `printableLine`. Nothing here ends or stops the program: what cannot be
/// written within 20 ms, or comes in floods, is dropped, and the next line that goes out says how many are missing.
public final class Log: Sendable {
  private struct State {
    var level: LogLevel
    var writer: LineWriter
    var flood: Allowance
    /// Lines held back by `flood`, not yet confessed.
    var held = 0
    var changes: [String: Change] = [:]
  }

  /// What was last said about a key.
  private struct Change {
    var text: String
    var allowance: Allowance
    /// Changes that were not said.
    var held = 0
  }

  private let state: Lock<State>
  private let clock: MonotonicClock
  private let isJournal: Bool

  /// Keys that `change` remembers; one more, and it starts afresh.
  private static let mostKeys = 1000

  /// - Parameter environment: JOURNAL_STREAM tells whether the descriptor leads to the journal.
  /// - Parameter descriptor: standard error. SIGPIPE is ignored from now on, so that its reader may go away.
  public init(
    level: LogLevel = .info, environment: [String: String], clock: MonotonicClock = .process, descriptor: Int32 = 2
  ) {
    judder_ignore_signal(SIGPIPE)
    self.clock = clock
    isJournal = Log.isJournal(descriptor, environment)
    let flood = Allowance(burst: 200, perSecond: 20)
    state = Lock(State(level: level, writer: LineWriter(descriptor: descriptor), flood: flood))
  }

  /// The least level that is written.
  public var level: LogLevel {
    get { state.withLock { $0.level } }
    set { state.withLock { $0.level = newValue } }
  }

  /// For whoever looks for a fault in the program; the text is only made when it is written.
  public func debug(_ text: @autoclosure () -> String) { if level <= .debug { write(.debug, text()) } }
  /// What goes on as it should.
  public func info(_ text: String) { write(.info, text) }
  /// What an operator wants to know of a healthy program.
  public func notice(_ text: String) { write(.notice, text) }
  /// What is wrong, while the program still does its work.
  public func warning(_ text: String) { write(.warning, text) }
  /// What keeps the program from its work.
  public func error(_ text: String) { write(.error, text) }

  /// Writes one line.
  public func write(_ level: LogLevel, _ text: String) {
    let now = clock.now()
    state.withLock { print(level, text, now, &$0) }
  }

  /// Writes the text if it differs from what was last written for the key: for a state that is found again and again.
  ///
  /// A key that changes all the time says at most 5 changes at once and then one each 10 s; what is said then is the
  /// state at that time, with the number of changes left out.
  public func change(_ key: String, _ level: LogLevel, _ text: String) {
    let now = clock.now()
    state.withLock { state in
      if state.changes.count >= Log.mostKeys, state.changes[key] == nil { state.changes = [:] }
      var change = state.changes[key] ?? Change(text: "", allowance: Allowance(burst: 5, perSecond: 0.1))
      guard text != change.text else { return }
      if change.allowance.take(now) {
        let note = change.held > 0 ? " (\(change.held) changes before it not shown)" : ""
        print(level, text + note, now, &state)
        change.text = text
        change.held = 0
      } else {
        change.held += 1
      }
      state.changes[key] = change
    }
  }

  /// Forgets what was said for a key, so that the same text is a change again.
  public func forget(_ key: String) {
    state.withLock { state in _ = state.changes.removeValue(forKey: key) }
  }

  private func print(_ level: LogLevel, _ text: String, _ now: Instant, _ state: inout State) {
    guard level >= state.level else { return }
    guard state.flood.take(now) else {
      state.held += 1
      return
    }
    let held = state.held
    let missing = { (dropped: Int) in
      self.line(.warning, "\(dropped) lines missing here: the log could not be written")
    }
    if held > 0, state.writer.write(line(.warning, "\(held) lines held back: too many at once"), missing: missing) {
      state.held = 0
    }
    _ = state.writer.write(line(level, text), missing: missing)
  }

  private func line(_ level: LogLevel, _ text: String) -> String {
    let safe = printableLine(text)
    return isJournal ? "<\(level.priority)>\(safe)" : "\(clock.wallClock().rfc3339) \(level.rawValue): \(safe)"
  }

  /// Whether the descriptor is the stream that systemd made for the journal: JOURNAL_STREAM is its device and inode,
  /// and stays in the environment of children whose standard error leads elsewhere. See systemd.exec(5).
  private static func isJournal(_ descriptor: Int32, _ environment: [String: String]) -> Bool {
    guard let stream = environment["JOURNAL_STREAM"] else { return false }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return stream == "\(status.st_dev):\(status.st_ino)"
  }
}

/// A token bucket: so many at once, then so many a second.
struct Allowance {
  let burst: Double
  let perSecond: Double
  private var left: Double
  private var at = Instant.start

  init(burst: Double, perSecond: Double) {
    self.burst = burst
    self.perSecond = perSecond
    left = burst
  }

  mutating func take(_ now: Instant) -> Bool {
    left = min(burst, left + max(0, now - at) * perSecond)
    at = now
    guard left >= 1 else { return false }
    left -= 1
    return true
  }
}
