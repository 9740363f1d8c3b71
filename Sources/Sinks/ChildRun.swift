internal import CLinux
internal import Daemon
internal import Glibc
internal import Telemetry

/// One run of another program: no shell, a session and process group of its own, bytes on its standard input, what it
/// says bounded, a time limit.
struct ChildRun {
  enum End: Equatable {
    case exited(Int32)
    case killed(signal: Int32)
    case timedOut
    case stopped
  }

  /// What of its output is kept [bytes]; the rest is read and forgotten.
  static let mostOutput = 4096
  /// Between SIGTERM and SIGKILL [s].
  static let graceS = 2.0
  /// How long a run may go on when the tool stops [s].
  static let stopGraceS = 0.5

  /// The first is the program's path.
  let arguments: [String]
  let environment: [String]
  let limitS: Double

  /// Its standard output and error, escaped for a log, one line.
  private(set) var output: [UInt8] = []

  init(_ arguments: [String], environment: [String], limitS: Double) {
    self.arguments = arguments
    self.environment = environment
    self.limitS = limitS
  }

  /// What it said, safe to show; empty: nothing.
  var said: String {
    let words = output.split { $0 == 10 || $0 == 13 }.map { SafeText.escaped(Array($0), limit: 200) }
    return words.prefix(3).joined(separator: " | ")
  }

  /// Starts it and waits for its end.
  /// - Throws: when it could not be started.
  mutating func run(_ input: [UInt8], _ errand: any Errand) throws(SinkProblem) -> End {
    var child = try Child(arguments, environment)
    defer { child.closeAll() }
    let clock = MonotonicClock.process
    var rest = input[...]
    var limit = (clock.now() + limitS, End.timedOut)
    var terminated: End?
    while true {
      if errand.isStopping, limit.1 == .timedOut, terminated == nil {
        limit = (min(limit.0, clock.now() + Self.stopGraceS), .stopped)
      }
      let ready = child.wait(untilS: limit.0 - clock.now(), hasInput: !rest.isEmpty, errand)
      if ready.canTake { rest = child.write(rest) }
      if rest.isEmpty { child.closeInput() }
      read(&child)
      if ready.hasArrivals { errand.attend() }
      if let status = child.status() {
        read(&child)
        if terminated != nil { kill(-child.process, SIGKILL) }
        child.reap()
        return terminated ?? (status.code == CLD_EXITED ? .exited(status.value) : .killed(signal: status.value))
      }
      guard clock.now() >= limit.0 else { continue }
      kill(-child.process, terminated == nil ? SIGTERM : SIGKILL)
      if terminated == nil { terminated = limit.1 }
      limit.0 = clock.now() + (errand.isStopping ? Self.stopGraceS : Self.graceS)
    }
  }

  private mutating func read(_ child: inout Child) {
    for bytes in child.read() { output += bytes.prefix(max(0, Self.mostOutput - output.count)) }
  }
}

/// A process that was started, and the pipes to it.
private struct Child {
  let process: Int32
  private let handle: Int32
  private var input: Int32
  private var outputs: [Int32]

  init(_ arguments: [String], _ environment: [String]) throws(SinkProblem) {
    var ends: [[Int32]] = []
    for _ in 0..<3 {
      var pair: [Int32] = [-1, -1]
      guard judder_pipe(&pair) == 0 else {
        let code = errno
        for end in ends.joined() { close(end) }
        throw SinkProblem("pipe: \(systemErrorText(code))")
      }
      ends.append(pair)
    }
    var (process, handle, code): (Int32, Int32, Int32) = (-1, -1, 0)
    let (arguments_, environment_) = (CStrings(arguments), CStrings(environment))
    code = judder_spawn(
      arguments[0], arguments_.pointers, environment_.pointers, ends[0][0], ends[1][1], ends[2][1], &process, &handle)
    for end in [ends[0][0], ends[1][1], ends[2][1]] { close(end) }
    (self.process, self.handle) = (process, handle)
    input = ends[0][1]
    outputs = [ends[1][0], ends[2][0]]
    for end in [input] + outputs { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    guard code == 0 else {
      closeAll()
      throw SinkProblem("\(SafeText.escaped(arguments[0])): \(systemErrorText(code))")
    }
  }

  /// Waits for anything to do.
  func wait(
    untilS: Double, hasInput: Bool, _ errand: any Errand
  ) -> (canTake: Bool, hasArrivals: Bool) {
    // A descriptor below 0 is passed over, see poll(2).
    let watched = [
      (hasInput ? input : -1, POLLOUT), (outputs[0], POLLIN), (outputs[1], POLLIN), (handle, POLLIN),
      (errand.arrivals, POLLIN), (errand.isStopping ? -1 : errand.ending, POLLIN),
    ]
    var polled = watched.map { pollfd(fd: $0.0, events: Int16($0.1), revents: 0) }
    // Without a handle its end is looked for now and then.
    let waitS = handle < 0 ? min(untilS, 0.02) : untilS
    judder_poll(&polled, polled.count, Int64(max(0, waitS) * 1e9))
    return (polled[0].revents != 0, polled[4].revents != 0)
  }

  /// Answers what is left; nothing when the program takes no more.
  func write(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let count = bytes.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
    if count >= 0 { return bytes.dropFirst(count) }
    return errno == EAGAIN || errno == EINTR ? bytes : []
  }

  mutating func read() -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    for place in outputs.indices where outputs[place] >= 0 {
      var piece = [UInt8](repeating: 0, count: 16_384)
      let count = Glibc.read(outputs[place], &piece, piece.count)
      if count > 0 {
        pieces.append(Array(piece[..<count]))
      } else if count == 0 {
        close(outputs[place])
        outputs[place] = -1
      }
    }
    return pieces
  }

  /// How it ended, while its number is still taken; nil: it runs.
  func status() -> (code: Int32, value: Int32)? {
    var (code, value): (Int32, Int32) = (0, 0)
    guard judder_child_end(process, &code, &value) == 1 else { return nil }
    return (code, value)
  }

  func reap() {
    while waitpid(process, nil, 0) < 0, errno == EINTR {}
  }

  mutating func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  mutating func closeAll() {
    closeInput()
    for place in outputs.indices where outputs[place] >= 0 {
      close(outputs[place])
      outputs[place] = -1
    }
    if handle >= 0 { close(handle) }
  }
}

/// Texts as C takes lists of them: ended by NULL.
private final class CStrings {
  let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: Int

  init(_ texts: [String]) {
    count = texts.count
    pointers = .allocate(capacity: count + 1)
    for (place, text) in texts.enumerated() { pointers[place] = strdup(text) }
    pointers[count] = nil
  }

  deinit {
    for place in 0..<count { free(pointers[place]) }
    pointers.deallocate()
  }
}
