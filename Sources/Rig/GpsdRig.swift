public import Foundation

/// A real gpsd on a free loopback port, fed by us in place of a receiver, with the faults of the field.
///
/// `@unchecked Sendable`: everything that changes is behind `lock`.
public final class GpsdRig: @unchecked Sendable {
  /// How the sentences reach gpsd.
  public enum Source: Sendable {
    /// gpsd connects to a server of ours. Starts in no time; gpsd does not notice when it is unplugged.
    case tcp
    /// A pseudo-terminal in place of a serial port. Unplugging it is noticed as with a USB receiver.
    case pty
  }

  /// Where gpsd listens on 127.0.0.1.
  public let port: Int
  /// The folder of gpsd's log and control socket.
  public let folder: URL
  /// Kept for as long as gpsd writes into it.
  private let workplace: Workplace
  private let lock = NSLock()
  private let opensAtOnce: Bool
  private let kind: Source
  private var source: any ReceiverSource
  private var child: ChildProcess?
  private var starts = 0

  /// Starts gpsd.
  ///
  /// - Parameters:
  ///   - opensAtOnce: gpsd opens the receiver at once (`-n`) rather than when the first client watches.
  ///   - isStarted: false leaves gpsd off until `start()`.
  /// - Throws: `RigError` when there is no gpsd, or it does not listen within 10 s.
  public init(
    _ kind: Source = .tcp, in workplace: Workplace, opensAtOnce: Bool = false, isStarted: Bool = true
  ) throws {
    self.workplace = workplace
    self.kind = kind
    self.opensAtOnce = opensAtOnce
    folder = workplace.folder.appendingPathComponent("gpsd-\(UUID().uuidString.prefix(4))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = try Workplace.freePort()
    source = try GpsdRig.open(kind)
    if isStarted { try start() }
  }

  deinit {
    child?.stop(seconds: 2)
    source.close()
  }

  /// The receiver's name, as gpsd calls it.
  public var device: String { lock.withLock { source.name } }
  public var identifier: Int32 { lock.withLock { child?.identifier ?? -1 } }
  public var isRunning: Bool { lock.withLock { child?.isRunning ?? false } }

  /// gpsd's own log of the present run.
  public func log() -> String { lock.withLock { child.map { $0.outputText() + $0.errorText() } ?? "" } }

  // MARK: gpsd

  /// Starts gpsd and waits until it listens.
  public func start() throws {
    let child = try lock.withLock { () throws -> ChildProcess in
      starts += 1
      // The shared memory that gpsd exports is keyed by number: each rig gets its own.
      let key = "0x" + String(0x4A75_0000 + port, radix: 16)
      let control = folder.appendingPathComponent("control-\(starts)").path
      let child = try ChildProcess(
        "gpsd",
        ["-N", "-b", "-D", "3", "-S", String(port), "-F", control] + (opensAtOnce ? ["-n"] : []) + [source.name],
        name: "gpsd-\(starts)", in: folder, environment: ["GPSD_SHM_KEY": key])
      self.child = child
      return child
    }
    guard waitUntil(seconds: 10, { GpsdRig.isListening(port) || !child.isRunning }), child.isRunning else {
      throw RigError("gpsd does not listen on port \(port): \(child.errorText().suffix(400))")
    }
  }

  /// Ends gpsd as an administrator does, or with SIGKILL.
  public func stop(signal: Int32 = SIGTERM) {
    let child = lock.withLock { self.child }
    child?.stop(signal: signal, seconds: 5)
    lock.withLock { source.forgetReader() }
  }

  /// Ends gpsd in order and starts another on the same port.
  public func restart() throws {
    stop()
    try start()
  }

  /// Stops the process where it is, as a machine without memory left does; `resume` lets it go on.
  public func hang() { lock.withLock { child?.send(signal: SIGSTOP) } }
  public func resume() { lock.withLock { child?.send(signal: SIGCONT) } }

  /// Waits until gpsd has opened the receiver: what is sent before is flushed away. Unless it `opensAtOnce`, it does so
  /// when a client watches.
  public func waitUntilOpen(seconds: Double = 15) -> Bool {
    let logged = waitUntil(seconds: seconds) {
      lock.withLock { source.accept() } && log().contains(": activated GPS (fd")
    }
    // The line is logged a moment before the flush.
    if logged { usleep(50_000) }
    return logged
  }

  // MARK: The receiver

  /// Sends bytes as the receiver; lost when gpsd does not listen to it.
  ///
  /// - Throws: `RigError` when gpsd takes nothing for 10 s.
  public func send(_ bytes: [UInt8]) throws {
    try lock.withLock {
      _ = source.accept()
      try source.write(bytes)
    }
  }

  /// Sends sentences as the receiver; lost when gpsd does not listen to it.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends a recording, its `#` header included: gpsd takes the century from the header's `Date:`.
  ///
  /// - Parameter pauseS: between two sentences, or between 256 bytes of a binary recording.
  public func send(_ recording: ReceiverRecording, pauseS: Double = 0) throws {
    try send(recording.header)
    for piece in recording.pieces {
      try send(piece)
      if pauseS > 0 { usleep(UInt32(pauseS * 1e6)) }
    }
  }

  /// Pulls the receiver out.
  ///
  /// - Parameter tellsGpsd: as the udev rule does for a USB receiver. Without it gpsd 3.22 finds out by itself, late or
  ///   never, and goes on listing a receiver that is silent.
  public func unplug(tellsGpsd: Bool = false) throws {
    let (old, control) = lock.withLock {
      source.close()
      return (source.name, folder.appendingPathComponent("control-\(starts)").path)
    }
    if tellsGpsd { try UnixSocket.request("-\(old)\r\n", at: control) }
  }

  /// Puts it back in, under a new name where it is a pseudo-terminal, and tells gpsd as the udev rule does.
  public func replug() throws {
    let (old, new, control) = try lock.withLock {
      let old = source.name
      source = try source.reopened()
      return (old, source.name, folder.appendingPathComponent("control-\(starts)").path)
    }
    guard kind == .pty else { return }
    try UnixSocket.request("-\(old)\r\n", at: control)
    try UnixSocket.request("+\(new)\r\n", at: control)
  }

  private static func open(_ kind: Source) throws -> any ReceiverSource {
    switch kind {
    case .tcp: try TCPReceiver()
    case .pty: try PseudoTerminalReceiver()
    }
  }

  /// Whether somebody listens: a connection that is made and closed.
  static func isListening(_ port: Int) -> Bool {
    guard let probe = try? LoopbackSocket.connect(port) else { return false }
    close(probe)
    return true
  }
}
