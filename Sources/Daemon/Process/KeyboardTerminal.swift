internal import CLinux
internal import Glibc
internal import Telemetry

/// A terminal with a keyboard: keys come one by one, and pictures are drawn on its alternate screen. What was there
/// before comes back however the process ends, but for SIGKILL.
///
/// Writing never waits: a picture that the terminal does not take goes out as it does; no other is begun until then.
/// Used by one thread; one value a process.
public final class KeyboardTerminal {
  /// What came from the keyboard.
  public enum Input: Equatable, Sendable {
    case bytes([UInt8])
    /// The terminal is gone.
    case closed
  }

  /// Alternate screen, no cursor, and no wrapping: a character that is wider than thought harms only its own line.
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  /// Cancels first what may have been cut in the middle.
  private static let leave = "\u{18}\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  /// How long giving back may take on a terminal that takes nothing [s].
  private static let leaveS = 0.3

  /// Where keys come from: to be polled.
  public let input: Int32
  /// Where pictures go: to be polled for writing while `isBusy`.
  public let output: Int32
  private let ownsOutput: Bool
  private var waiting: ArraySlice<UInt8> = []
  private var repaint = Repaint()
  /// It is taken: raw, and on its alternate screen.
  public private(set) var isOpen = false

  /// Nil unless both descriptors are terminals. Nothing changes before `open`.
  public init?(input: Int32 = 0, output: Int32 = 1) {
    guard isatty(input) == 1, isatty(output) == 1 else { return nil }
    self.input = input
    let writer = judder_terminal_writer(output)
    // Where that is refused, writing may wait.
    ownsOutput = writer >= 0
    self.output = writer >= 0 ? writer : output
  }

  deinit {
    close()
    if ownsOutput { Glibc.close(output) }
  }

  /// A picture is still on its way.
  public var isBusy: Bool { !waiting.isEmpty }

  /// Takes the terminal, unless it is taken. False while the process is in the background.
  public func open() -> Bool {
    guard judder_terminal_is_ours(input) == 1 else { return false }
    guard !isOpen else { return true }
    let leave = Array(Self.leave.utf8)
    let taken = leave.withUnsafeBytes {
      judder_terminal_take(input, output, $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count)
    }
    guard taken == 0 else { return false }
    isOpen = true
    repaint.forget()
    waiting = ArraySlice(Self.enter.utf8)
    return true
  }

  /// Gives the terminal back as it was.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    waiting = ArraySlice(Self.leave.utf8)
    let end = MonotonicClock.process.now() + Self.leaveS
    while isBusy, (try? pump()) != nil, isBusy {
      let left = end - MonotonicClock.process.now()
      guard left > 0 else { break }
      var entry = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
      _ = judder_poll(&entry, 1, Int64(left * 1e9))
    }
    waiting = []
    judder_terminal_give_back()
  }

  /// Gives the terminal back, and stops as Ctrl-Z makes a process stop; returns when it goes on.
  public func stopUntilContinued() {
    close()
    kill(getpid(), SIGSTOP)
  }

  /// From now on nothing is known of what the terminal shows.
  public func forget() { repaint.forget() }

  /// After the process stood still, when somebody else may have used the terminal: takes it anew. False in the
  /// background, where it is left alone.
  public func reopen() -> Bool {
    isOpen = false
    waiting = []
    return open()
  }

  /// Draws lines, none of which may be wider than the terminal. False, and nothing is drawn, while another picture is
  /// on its way.
  ///
  /// - Throws: as `pump`.
  public func show(_ lines: [String], _ size: Terminal.Size) throws(Termination) -> Bool {
    try pump()
    guard isOpen, !isBusy else { return false }
    waiting = ArraySlice(repaint.text(lines, size).utf8)
    try pump()
    return true
  }

  /// Hands over what the terminal takes just now.
  ///
  /// - Throws: success without a word when the terminal is gone.
  public func pump() throws(Termination) {
    while !waiting.isEmpty {
      let count = waiting.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        waiting.removeFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: return
      default:
        waiting = []
        throw Termination(.success)
      }
    }
  }

  /// What was typed; to be called when `input` is readable.
  public func read() -> Input {
    var buffer = [UInt8](repeating: 0, count: 1024)
    let count = Glibc.read(input, &buffer, buffer.count)
    if count > 0 { return .bytes(Array(buffer.prefix(count))) }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? .bytes([]) : .closed
  }
}
