internal import Daemon
public import FleetLogic
internal import Telemetry
internal import Threading

/// A sink whose receiver may be slow, away or broken: alerts go to a thread, which keeps them on the disk until they
/// are delivered. Nothing that the thread does makes the loop wait.
public final class QueuedSink: Sink {
  /// Alerts that wait for the thread to take them in; more are refused.
  static let inboxCapacity = 2000
  static let outboxCapacity = 256

  /// As in the configuration.
  public let name: String
  private let worker: SinkWorker
  private var thread: WorkerThread?
  private var nextToken: UInt64 = 1
  /// Given to the thread, and not yet on the disk or done with.
  private var open: [UInt64: Alert] = [:]
  private var isStopped = false
  /// Reports that came while the end was waited for.
  private var held: [SinkReport] = []

  init(name: String, _ courier: any Courier & Sendable, _ queue: QueueSettings) {
    self.name = name
    worker = SinkWorker(name: name, courier, queue)
  }

  /// Starts the thread, which also delivers what an earlier run left.
  public func start() throws(SinkProblem) {
    guard thread == nil, !isStopped else { return }
    do throws(WorkerThread.StartFailure) {
      thread = try WorkerThread(name: "sink") { [worker] in worker.run() }
    } catch {
      throw SinkProblem("no thread left for it; raise TasksMax")
    }
  }

  /// Gives the alert to the thread; `takeSettled` says when it is safe.
  public func deliver(_ alert: Alert) throws(SinkProblem) {
    guard !isStopped else { throw SinkProblem("it is stopped") }
    try start()
    let parcel = Parcel(token: nextToken, json: FleetJSON.alert(alert), mayBeThere: alert.mayHaveBeenTold)
    guard worker.inbox.offer(parcel) else { throw SinkProblem("its queue takes alerts too slowly") }
    open[nextToken] = alert
    nextToken += 1
  }

  /// Readable when there is something to settle or to log.
  public var descriptor: Int32? { worker.outbox.descriptor }

  /// Alerts that are on the disk now, or done with, and what is to be logged.
  public func takeSettled() -> (alerts: [Alert], entries: [LogEntry]) {
    var alerts: [Alert] = []
    var entries: [LogEntry] = []
    let reports = held + worker.outbox.drain()
    held = []
    for report in reports {
      switch report {
      case .log(let entry): entries.append(entry)
      case .settled(let tokens): alerts += tokens.compactMap { open.removeValue(forKey: $0) }
      }
    }
    return (alerts, entries)
  }

  /// How it does just now.
  public var state: SinkState? { worker.state.withLock { $0 } }

  /// So that several end at the same time.
  public func beginStop() {
    isStopped = true
    if thread != nil { worker.stop() }
  }

  /// Ends a try that is under way, and takes in what has arrived. Answers false when the thread did not end in time.
  @discardableResult
  public func stop(withinS: Double) -> Bool {
    beginStop()
    guard let thread else { return true }
    let deadline = MonotonicClock.process.now() + withinS
    var isOver = false
    while !isOver, MonotonicClock.process.now() < deadline {
      isOver = worker.waitForEnd(withinS: 0.05)
      held += worker.outbox.drain()
    }
    if isOver { thread.join() } else { thread.detach() }
    self.thread = nil
    return isOver
  }
}

/// An alert on its way to the thread.
struct Parcel: Sendable {
  let token: UInt64
  let json: [UInt8]
  let mayBeThere: Bool
}

/// What the thread says.
enum SinkReport: Sendable {
  case settled([UInt64])
  case log(LogEntry)
}

/// How a sink with a thread keeps and tries.
public struct QueueSettings: Equatable, Sendable {
  /// Its own folder, whose parent's parent is there; nil: it keeps in memory only.
  public var folder: String?
  /// How much waits at the most.
  public var notices: Int
  /// Likewise [bytes].
  public var bytes: Int
  /// Tries that failed by what may be the notice's fault, before it is given up.
  public var tries: Int
  /// The longest wait between two tries [s].
  public var retryMaxS: Double
  /// Tries a minute at the most; nil: any number.
  public var perMinute: Int?
  /// The first of several waits so long for the others [s].
  public var collectS: Double

  public init(
    folder: String? = nil, notices: Int = 10_000, bytes: Int = 16 << 20, tries: Int = 10, retryMaxS: Double = 300,
    perMinute: Int? = nil, collectS: Double = 0
  ) {
    self.folder = folder
    self.notices = notices
    self.bytes = bytes
    self.tries = tries
    self.retryMaxS = retryMaxS
    self.perMinute = perMinute
    self.collectS = collectS
  }

  var bounds: NoticeQueue.Bounds { NoticeQueue.Bounds(notices: notices, bytes: bytes) }

  var pace: DeliveryPace.Settings {
    DeliveryPace.Settings(
      tries: tries, retryFirstS: min(1, retryMaxS), retryMaxS: retryMaxS, perMinute: perMinute, collectS: collectS)
  }
}
