internal import Glibc
public import NodeLogic
public import Telemetry

/// A client of gpsd that the caller's poll loop drives: it waits for nothing itself.
///
/// After each call the caller looks at `descriptor`, `wantsRead`, `wantsWrite` and `nextDeadline` again: they change
/// with the state. Every call answers what gpsd said, for the `LocationTracker`.
public final class GpsdClient {
  private enum Connection {
    case none
    case lookingUp
    case connecting(TCPStream, others: [SocketAddress])
    case open(TCPStream)
  }

  /// Where gpsd is.
  public let host: String
  public let port: UInt16
  private var session: GpsdSession
  private var connection = Connection.none
  private var lookUp: NameLookUp?
  /// How many attempts hung: the next one begins with another of the host's addresses.
  private var hung = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 * 1024, alignment: 8)

  /// - Parameters:
  ///   - host: a name or a numeric address, IPv4 or IPv6.
  ///   - settings: the device and the patience.
  public init(host: String, port: UInt16, settings: GpsdSession.Settings = GpsdSession.Settings()) {
    self.host = host
    self.port = port
    session = GpsdSession(settings) { Double.random(in: 0..<1) }
  }

  deinit {
    buffer.deallocate()
  }

  /// `host:port`, for people; an IPv6 address in brackets.
  public var endpoint: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// What to poll just now; nil while only time can change something.
  public var descriptor: Int32? {
    switch connection {
    case .none: nil
    case .lookingUp: lookUp?.descriptor
    case .connecting(let stream, _), .open(let stream): stream.descriptor
    }
  }

  /// Whether to poll for reading.
  public var wantsRead: Bool {
    switch connection {
    case .none, .connecting: false
    case .lookingUp, .open: true
    }
  }

  /// Whether to poll for writing: a connection is being made, or bytes wait.
  public var wantsWrite: Bool {
    switch connection {
    case .none, .lookingUp: false
    case .connecting: true
    case .open(let stream): stream.hasUnsent
    }
  }

  /// When `tick` is due at the latest.
  public var nextDeadline: Instant { session.nextDeadline }

  /// Connections made since the start.
  public var connects: Int { session.connects }

  /// Lines of classes that do not matter, by class.
  public var ignoredLines: [String: Int] { session.ignored }

  /// To be called at `nextDeadline`, and harmless at any other time. The first call starts it.
  public func tick(at now: Instant) -> [GpsdInput] { drive(.tick, at: now) }

  /// To be called when the descriptor is readable, or reports an error or a hang-up.
  public func handleReadable(at now: Instant) -> [GpsdInput] {
    switch connection {
    case .none: return []
    case .lookingUp: return takeAnswer(at: now)
    case .connecting: return finishConnecting(at: now)
    case .open: return read(at: now)
    }
  }

  /// To be called when the descriptor is writable.
  public func handleWritable(at now: Instant) -> [GpsdInput] {
    switch connection {
    case .none, .lookingUp: return []
    case .connecting: return finishConnecting(at: now)
    case .open(let stream): return stream.flush().map { drive(.closed(reason: $0), at: now) } ?? []
    }
  }

  // MARK: The session's effects

  private func drive(_ input: GpsdSession.Input, at now: Instant) -> [GpsdInput] {
    var outputs: [GpsdInput] = []
    var inputs = [input]
    while let input = inputs.popLast() {
      for effect in session.handle(input, at: now) {
        switch effect {
        case .connect: if let result = connect() { inputs.append(result) }
        case .send(let bytes): if let problem = send(bytes) { inputs.append(.closed(reason: problem)) }
        case .close:
          if case .connecting = connection { hung += 1 }
          connection = .none
        case .deliver(let input): outputs.append(input)
        }
      }
      if case .closed = input { connection = .none }
    }
    return outputs
  }

  private func send(_ bytes: [UInt8]) -> String? {
    guard case .open(let stream) = connection else { return nil }
    return stream.send(bytes)
  }

  // MARK: Connecting

  /// What came of the attempt at once, or nil while it is under way.
  private func connect() -> GpsdSession.Input? {
    let addresses = SocketAddress.immediate(host: host, port: port)
    if !addresses.isEmpty { return connect(toOneOf: turned(addresses)) }
    let lookUp = lookUp ?? NameLookUp()
    self.lookUp = lookUp
    if let failure = lookUp.start(host: host, port: port) { return failed(failure) }
    connection = .lookingUp
    return nil
  }

  private func failed(_ failure: LookUpFailure) -> GpsdSession.Input {
    connection = .none
    return .connectFailed(reason: "cannot look up \(SafeText.quoted(host)): \(failure.description)")
  }

  private func takeAnswer(at now: Instant) -> [GpsdInput] {
    guard let answer = lookUp?.takeAnswer() else { return [] }
    let result: GpsdSession.Input?
    switch answer {
    case .failure(let failure): result = failed(failure)
    case .success(let addresses): result = connect(toOneOf: turned(addresses))
    }
    return result.map { drive($0, at: now) } ?? []
  }

  /// An address that lets every attempt hang must not keep the others from their turn.
  private func turned(_ addresses: [SocketAddress]) -> [SocketAddress] {
    let first = addresses.isEmpty ? 0 : hung % addresses.count
    return Array(addresses[first...] + addresses[..<first])
  }

  /// Tries one address after another until one answers or has to be waited for.
  private func connect(toOneOf addresses: [SocketAddress]) -> GpsdSession.Input? {
    var problem = "no address"
    for (index, address) in addresses.enumerated() {
      guard let stream = TCPStream(family: address.family, failure: &problem) else { continue }
      switch stream.connect(to: address) {
      case .connected:
        connection = .open(stream)
        return .connected
      case .underWay:
        connection = .connecting(stream, others: Array(addresses[(index + 1)...]))
        return nil
      case .failed(let reason): problem = reason
      }
    }
    connection = .none
    return .connectFailed(reason: "cannot connect: \(problem)")
  }

  private func finishConnecting(at now: Instant) -> [GpsdInput] {
    guard case .connecting(let stream, let others) = connection else { return [] }
    let result: GpsdSession.Input?
    switch stream.progress() {
    case .underWay: result = nil
    case .connected:
      connection = .open(stream)
      result = .connected
    case .failed(let reason):
      result = others.isEmpty ? .connectFailed(reason: "cannot connect: \(reason)") : connect(toOneOf: others)
    }
    return result.map { drive($0, at: now) } ?? []
  }

  // MARK: Reading

  /// At most a few buffers in one call, so that a flood cannot hold the loop; the rest keeps the descriptor readable.
  private func read(at now: Instant) -> [GpsdInput] {
    var outputs: [GpsdInput] = []
    for _ in 0..<4 {
      guard case .open(let stream) = connection else { return outputs }
      switch stream.receive(into: buffer) {
      case .nothing: return outputs
      case .closed(let reason): return outputs + drive(.closed(reason: reason), at: now)
      case .bytes(let count):
        outputs += drive(.received(Array(UnsafeRawBufferPointer(rebasing: buffer[..<count]))), at: now)
        if count < buffer.count { return outputs }
      }
    }
    return outputs
  }
}
