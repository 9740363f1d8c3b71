internal import Foundation

/// A TCP proxy on 127.0.0.1 that delays, slows down, swallows and resets, on demand and by chance.
///
/// One thread serves all connections. What a connection suffers is drawn from a seed; when its bytes come is still up
/// to the kernel, so that two runs are alike and not the same.
///
/// `@unchecked Sendable`: what changes is only touched under the lock, or by the proxy's own thread.
public final class FaultyProxy: @unchecked Sendable {
  /// What is wrong with the way between client and server.
  public struct Faults: Sendable, Equatable {
    /// From the client to the server, and back.
    public var toServer = Way()
    public var toClient = Way()
    public var arrivals = Arrivals.taken
    /// Each connection is reset at a random moment, on average after this long [s]; nil: never.
    public var resetMeanS: Double?

    public init(
      toServer: Way = Way(), toClient: Way = Way(), arrivals: Arrivals = .taken, resetMeanS: Double? = nil
    ) {
      self.toServer = toServer
      self.toClient = toClient
      self.arrivals = arrivals
      self.resetMeanS = resetMeanS
    }

    /// The same in both directions.
    public init(bothWays way: Way) {
      self.init(toServer: way, toClient: way)
    }

    /// Takes connections and hands nothing on, in neither direction.
    public static var blackHole: Faults { Faults(bothWays: Way(.swallowing)) }
  }

  /// What becomes of the bytes in one direction.
  public struct Way: Sendable, Equatable {
    public var flow: Flow
    /// How late bytes arrive [s], and by how much at most that differs from one chunk to the next.
    public var delayS: Double
    public var jitterS: Double
    /// How many bytes a second pass; nil: as many as come.
    public var bytesPerS: Double?
    public var cut: Cut

    public init(
      _ flow: Flow = .passing, delayS: Double = 0, jitterS: Double = 0, bytesPerS: Double? = nil, cut: Cut = .never
    ) {
      self.flow = flow
      self.delayS = delayS
      self.jitterS = jitterS
      self.bytesPerS = bytesPerS
      self.cut = cut
    }
  }

  /// Whether bytes pass.
  public enum Flow: Sendable, Equatable {
    case passing
    /// What comes is read and lost, the end of the connection too. A connection that has lost bytes passes none in this
    /// direction ever again.
    case swallowing
    /// Nothing is read: bytes wait at their sender, and arrive when the stall is over, as TCP has it.
    case stalled
  }

  /// When a connection is reset for what passes: part of a chunk is handed on, the rest is lost.
  public enum Cut: Sendable, Equatable {
    case never
    /// At any chunk, with this chance; 0...1.
    case chunks(chance: Double)
    /// At a chunk that begins with an MQTT PUBLISH, with this chance; 0...1.
    case publishes(chance: Double)
  }

  /// What becomes of new connections.
  public enum Arrivals: Sendable, Equatable {
    case taken
    /// Taken and reset at once.
    case reset
    /// Nobody listens.
    case refused
  }

  /// One of the two directions.
  public enum Direction: Sendable {
    case toServer
    case toClient
  }

  /// What has passed so far.
  public struct Statistics: Sendable, Equatable {
    /// Connections that came.
    public var connections = 0
    /// Connections that this proxy reset.
    public var resets = 0
    /// Bytes that the client and the server have sent, handed on or not.
    public var sentByClient = 0
    public var sentByServer = 0
    /// Bytes that were handed on.
    public var passedToServer = 0
    public var passedToClient = 0
  }

  enum Command {
    case reset
    case resetAfter(bytesToServer: Int)
    case endOf(Direction)
  }

  struct Shared {
    var faults: Faults
    var commands: [Command] = []
    var statistics = Statistics()
    var isOver = false
  }

  /// Where it listens on 127.0.0.1.
  public let port: Int
  private let lock = NSLock()
  private var shared: Shared
  private let wakeUp: WakePipe
  private let ended = DispatchSemaphore(value: 0)

  /// Listens at once.
  ///
  /// - Parameters:
  ///   - target: the port of 127.0.0.1 to hand on to.
  ///   - seed: of all chance.
  /// - Throws: `RigError` when there is no port or no descriptor left.
  public init(to target: Int, _ faults: Faults = Faults(), port: Int? = nil, seed: UInt64 = 1) throws {
    self.port = try port ?? Workplace.freePort()
    shared = Shared(faults: faults)
    let wakeUp = try WakePipe()
    self.wakeUp = wakeUp
    var engine = FaultyProxyEngine(port: self.port, target: target, seed: seed, wakeUp: wakeUp)
    if faults.arrivals != .refused { try engine.listen() }
    let loop = SendableEngine(engine)
    // Not kept alive by its thread: `deinit` ends it.
    Thread.detachNewThread { [weak self, ended] in
      loop.engine.run { body in
        guard let self else { return false }
        return self.lock.withLock {
          body(&self.shared)
          return !self.shared.isOver
        }
      }
      ended.signal()
    }
  }

  deinit {
    lock.withLock { shared.isOver = true }
    wakeUp.signal()
  }

  /// What is wrong with the way, from now on.
  public var faults: Faults {
    get { lock.withLock { shared.faults } }
    set { change { $0.faults = newValue } }
  }

  /// What has passed since the start.
  public var statistics: Statistics { lock.withLock { shared.statistics } }

  /// Resets every connection now; new ones are taken.
  public func reset() { change { $0.commands.append(.reset) } }

  /// Resets the connection that is the first to have sent this many bytes more to the server; the last of them pass.
  public func reset(afterBytesToServer count: Int) {
    change { $0.commands.append(.resetAfter(bytesToServer: count)) }
  }

  /// Ends one direction of every connection (FIN); the other goes on.
  public func halfClose(_ direction: Direction) { change { $0.commands.append(.endOf(direction)) } }

  /// Stops listening and closes everything; returns when it is done.
  public func stop() {
    let wasOver = lock.withLock {
      defer { shared.isOver = true }
      return shared.isOver
    }
    guard !wasOver else { return }
    wakeUp.signal()
    _ = ended.wait(timeout: .now() + 2)
  }

  private func change(_ body: (inout Shared) -> Void) {
    lock.withLock { body(&shared) }
    wakeUp.signal()
  }
}

/// The engine on its way to its thread.
///
/// `@unchecked Sendable`: only that thread touches it.
private final class SendableEngine: @unchecked Sendable {
  var engine: FaultyProxyEngine

  init(_ engine: FaultyProxyEngine) {
    self.engine = engine
  }
}

/// Ends a poll(2) on another thread.
final class WakePipe: Sendable {
  let reader: Int32
  private let writer: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw RigError("no pipe left: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    close(reader)
    close(writer)
  }

  func signal() { _ = write(writer, "x", 1) }

  func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(reader, &bytes, bytes.count) > 0 {}
  }
}
