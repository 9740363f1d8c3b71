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
    /// The same behind a link that keeps its name when it is plugged in again, as udev's names in /dev/serial/by-id.
    /// gpsd does not know such a name for a pseudo-terminal, and asks the receiver what it is: that takes it 1.2 s.
    case link
  }

  /// Where gpsd listens on 127.0.0.1.
  public let port: Int
  /// The folder of gpsd's log and control socket.
  public let folder: URL
  /// Kept for as long as gpsd writes into it.
  private let workplace: Workplace
  private let lock = NSLock()
  private let opensAtOnce: Bool
  /// Sockets that listen before gpsd does, as those of systemd's gpsd.socket; nil where gpsd opens its own.
  private let activation: (input: FileHandle, output: FileHandle)?
  private let kind: Source
  private var sources: [any ReceiverSource]
  private var child: ChildProcess?
  private var starts = 0

  /// Starts gpsd.
  ///
  /// - Parameters:
  ///   - receivers: how many it has; further down they are counted from 0.
  ///   - opensAtOnce: gpsd opens the receiver at once (`-n`) rather than when the first client watches.
  ///   - isStarted: false leaves gpsd off until `start()`.
  ///   - isActivated: the port takes connections from now on, whether gpsd runs or not, as under systemd's gpsd.socket;
  ///     gpsd is handed the socket (sd_listen_fds(3)). Implies that it is off until `start()`.
  /// - Throws: `RigError` when there is no gpsd, or it does not listen within 10 s.
  public init(
    _ kind: Source = .tcp, in workplace: Workplace, receivers: Int = 1, opensAtOnce: Bool = false,
    isStarted: Bool = true, isActivated: Bool = false
  ) throws {
    self.workplace = workplace
    self.kind = kind
    self.opensAtOnce = opensAtOnce
    folder = workplace.folder.appendingPathComponent("gpsd-\(UUID().uuidString.prefix(4))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = try Workplace.freePort()
    activation = isActivated ? try GpsdRig.listen(port: port, control: folder.appendingPathComponent("control")) : nil
    let folder = folder
    sources = try (0..<receivers).map { try GpsdRig.open(kind, link: folder.appendingPathComponent("gps\($0)").path) }
    if isStarted, !isActivated { try start() }
  }

  deinit {
    child?.stop(seconds: 2)
    for source in sources { source.close() }
  }

  /// The first receiver's name, as gpsd calls it.
  public var device: String { devices[0] }
  /// The names of all receivers.
  public var devices: [String] { lock.withLock { sources.map(\.name) } }
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
      let arguments =
        ["-N", "-b", "-D", "3", "-S", String(port), "-F", control] + (opensAtOnce ? ["-n"] : []) + sources.map(\.name)
      // The shell becomes gpsd and keeps its number, by which gpsd knows that the descriptors are for it: from 3 on,
      // the control socket first.
      let handOver = [
        "-c", #"export LISTEN_PID=$$ LISTEN_FDS=2; exec gpsd "$@" 3>&1 4<&0 </dev/null >/dev/null"#, "gpsd",
      ]
      let child = try ChildProcess(
        activation == nil ? "gpsd" : "/bin/sh", activation == nil ? arguments : handOver + arguments,
        name: "gpsd-\(starts)", in: folder,
        environment: ["GPSD_SHM_KEY": key].merging(activation == nil ? [:] : ["PATH": GpsdRig.path]) { $1 },
        sockets: activation)
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
    lock.withLock { for source in sources { source.forgetReader() } }
  }

  /// Ends gpsd in order and starts another on the same port.
  public func restart() throws {
    stop()
    try start()
  }

  /// Stops the process where it is, as a machine without memory left does; `resume` lets it go on.
  public func hang() { lock.withLock { child?.send(signal: SIGSTOP) } }
  public func resume() { lock.withLock { child?.send(signal: SIGCONT) } }

  /// Waits until gpsd has opened all receivers: what is sent before is flushed away. Unless it `opensAtOnce`, it does
  /// so when a client watches.
  public func waitUntilOpen(seconds: Double = 15) -> Bool {
    let logged = waitUntil(seconds: seconds) {
      let (isTaken, count) = lock.withLock { (sources.allSatisfy { $0.accept() }, sources.count) }
      return isTaken && log().components(separatedBy: ": activated GPS (fd").count > count
    }
    // The line is logged a moment before the flush.
    if logged { usleep(50_000) }
    return logged
  }

  // MARK: The receivers

  /// Sends bytes as a receiver; lost when gpsd does not listen to it.
  ///
  /// - Throws: `RigError` when gpsd takes nothing for 10 s.
  public func send(_ bytes: [UInt8], receiver: Int = 0) throws {
    try lock.withLock {
      _ = sources[receiver].accept()
      try sources[receiver].write(bytes)
    }
  }

  /// Sends sentences as a receiver; lost when gpsd does not listen to it.
  public func send(_ text: String, receiver: Int = 0) throws { try send(Array(text.utf8), receiver: receiver) }

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

  /// Pulls a receiver out.
  ///
  /// - Parameter tellsGpsd: as the udev rule does for a USB receiver. Without it gpsd 3.22 finds out by itself, late or
  ///   never, and goes on listing a receiver that is silent.
  public func unplug(tellsGpsd: Bool = false, receiver: Int = 0) throws {
    let old = lock.withLock {
      sources[receiver].close()
      return sources[receiver].name
    }
    if tellsGpsd { try tell("-\(old)") }
  }

  /// Puts it back in, under a new name where it is a `pty`.
  ///
  /// - Parameter tellsGpsd: as the udev rule does. Without it gpsd opens a `link` again only when a client watches.
  public func replug(tellsGpsd: Bool = true, receiver: Int = 0) throws {
    let (old, new) = try lock.withLock {
      let old = sources[receiver].name
      if kind != .tcp { sources[receiver].close() }
      sources[receiver] = try sources[receiver].reopened()
      return (old, sources[receiver].name)
    }
    guard tellsGpsd, kind != .tcp else { return }
    try tell("-\(old)")
    try tell("+\(new)")
  }

  private func tell(_ line: String) throws {
    let name = activation == nil ? "control-\(lock.withLock { starts })" : "control"
    let control = folder.appendingPathComponent(name).path
    try UnixSocket.request(line + "\r\n", at: control)
  }

  private static func open(_ kind: Source, link: String) throws -> any ReceiverSource {
    switch kind {
    case .tcp: try TCPReceiver()
    case .pty: try PseudoTerminalReceiver()
    case .link: try PseudoTerminalReceiver(link: link)
    }
  }

  private static func listen(port: Int, control: URL) throws -> (input: FileHandle, output: FileHandle) {
    (
      FileHandle(fileDescriptor: try Loopback.listen(port: port), closeOnDealloc: true),
      FileHandle(fileDescriptor: try UnixSocket.listen(at: control.path), closeOnDealloc: true)
    )
  }

  /// With the folders where Debian keeps its daemons.
  private static var path: String {
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin:/usr/local/sbin"
  }

  /// Whether somebody listens: a connection that is made and closed.
  static func isListening(_ port: Int) -> Bool {
    guard let probe = try? LoopbackSocket.connect(port) else { return false }
    close(probe)
    return true
  }
}
