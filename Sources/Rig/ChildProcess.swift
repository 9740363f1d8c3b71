public import Foundation

/// A program started for a test or the demo: its output goes to files of its own, and every wait is bounded.
///
/// `@unchecked Sendable`: `Process` is only started and signalled from the thread that owns the value.
public final class ChildProcess: @unchecked Sendable {
  /// What its output files are called.
  public let name: String
  /// Where its standard output went.
  public let output: URL
  /// Where its standard error went.
  public let errors: URL
  private let process = Process()

  /// Starts `program` (a path, or a name looked up in PATH and the sbin folders).
  ///
  /// - Parameters:
  ///   - directory: takes `<name>.out` and `<name>.err`.
  ///   - terminal: takes standard output instead of the file.
  ///   - hasKeyboard: the terminal is its standard input, too.
  ///   - sockets: what it gets as standard input and output instead of nothing and the file.
  /// - Throws: `RigError` when there is no such program, or it does not start.
  public init(
    _ program: String, _ arguments: [String] = [], name: String? = nil, in directory: URL,
    environment: [String: String] = [:], terminal: PseudoTerminal? = nil, hasKeyboard: Bool = false,
    sockets: (input: FileHandle, output: FileHandle)? = nil
  ) throws {
    guard let path = ChildProcess.find(program) else { throw RigError("\(program): not found in PATH") }
    self.name = name ?? URL(fileURLWithPath: program).lastPathComponent
    output = directory.appendingPathComponent("\(self.name).out")
    errors = directory.appendingPathComponent("\(self.name).err")
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ChildProcess.inherited.merging(environment) { _, new in new }
    let files = (output: try ChildProcess.appending(to: output), errors: try ChildProcess.appending(to: errors))
    // The child has its own; those of this process would stay open for as long as Foundation keeps the ended child.
    defer {
      try? files.output.close()
      try? files.errors.close()
    }
    let keyboard = hasKeyboard ? terminal.map { FileHandle(fileDescriptor: $0.slave) } : nil
    process.standardInput = sockets?.input ?? keyboard ?? FileHandle.nullDevice
    process.standardOutput =
      sockets?.output ?? terminal.map { FileHandle(fileDescriptor: $0.slave) } ?? files.output
    process.standardError = files.errors
    process.terminationHandler = { OrphanGuard.shared.forget($0.processIdentifier) }
    try ChildProcess.withNoSignalBlocked {
      try process.run()
      OrphanGuard.shared.watch(process.processIdentifier)
      // It may have ended before it was watched.
      if !process.isRunning { OrphanGuard.shared.forget(process.processIdentifier) }
    }
  }

  /// A child inherits the mask of the thread that starts it. Worker threads of Dispatch, on which tests run, block
  /// every signal: a child started there would never notice a SIGTERM.
  private static func withNoSignalBlocked(_ body: () throws -> Void) rethrows {
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }

  /// The environment without what would configure the programs under test, or connect them to this process's manager.
  private static var inherited: [String: String] {
    let own = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "CREDENTIALS_DIRECTORY", "JOURNAL_STREAM"]
    return ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("JUDDER_") && !own.contains($0.key) }
  }

  deinit { if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) } }

  /// The process id, and whether it has not ended yet.
  public var identifier: Int32 { process.processIdentifier }
  public var isRunning: Bool { process.isRunning }

  /// What it has printed so far.
  public func outputText() -> String { (try? String(decoding: Data(contentsOf: output), as: UTF8.self)) ?? "" }
  public func errorText() -> String { (try? String(decoding: Data(contentsOf: errors), as: UTF8.self)) ?? "" }

  /// Sends a signal, unless it has ended.
  public func send(signal: Int32) {
    if process.isRunning { Glibc.kill(process.processIdentifier, signal) }
  }

  /// Waits for its end; nil when it still runs after `seconds`. A death by signal n is -n.
  public func wait(seconds: Double) -> Int32? {
    guard waitUntil(seconds: seconds, { !process.isRunning }) else { return nil }
    return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
  }

  /// Asks it to end, and kills it when it does not within `seconds`. Answers as `wait`, or nil when it was killed.
  @discardableResult
  public func stop(signal: Int32 = SIGTERM, seconds: Double = 5) -> Int32? {
    send(signal: SIGCONT)
    send(signal: signal)
    if let status = wait(seconds: seconds) { return status }
    send(signal: SIGKILL)
    _ = wait(seconds: 5)
    return nil
  }

  /// The path of a program, looked up as a shell does, and in the sbin folders, where Debian keeps its daemons.
  public static func find(_ program: String) -> String? {
    if program.contains("/") { return FileManager.default.isExecutableFile(atPath: program) ? program : nil }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin", "/usr/local/sbin"]
    return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static func appending(to file: URL) throws -> FileHandle {
    if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    return handle
  }
}

/// Why a rig could not do what it was asked.
public struct RigError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}

/// Looks every 10 ms until `condition` holds; false when it does not within `seconds`.
public func waitUntil(seconds: Double, _ condition: () -> Bool) -> Bool {
  let end = DispatchTime.now() + seconds
  while !condition() {
    if DispatchTime.now() > end { return condition() }
    usleep(10_000)
  }
  return true
}
