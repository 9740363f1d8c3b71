internal import Daemon
internal import NodeLogic
internal import Spool
internal import SpoolWords
internal import Telemetry
internal import Threading

/// The node's spool: hands wishes to its thread, and its words to the node. Nothing here waits for a disk.
final class SpoolLinkage {
  /// How long the end waits for the disk [s]: seven syncs of 0.3 s.
  static let stopS = 2.2
  /// What waits for the thread at the most, beyond its own queue.
  private static let mostWaiting = 4096
  private static let retryS = 0.1

  private let thread: SpoolThread
  private let folder: String
  private let log: Log
  private let originS: Double
  /// What the thread had no room for, in order.
  private var waiting: [SpoolRequest] = []
  private var retry: EventLoop.Timer?
  private var loop: EventLoop?

  /// Begins to read the folder, on a thread of its own. Nil where there is no thread left, which is said.
  init?(_ settings: SpoolSettings, of name: String, boot: BootID, log: Log) {
    folder = settings.directory
    self.log = log
    originS = Double(MonotonicClock.process.originNanoseconds) * 1e-9
    do throws(WorkerThread.StartFailure) {
      thread = try SpoolThread(
        folder: settings.directory, boot: boot.value, owner: name, limits: settings.limits)
    } catch {
      log.warning("spool: no thread: \(systemErrorText(error.code)): events stay in memory")
      return nil
    }
  }

  func start(loop: EventLoop, take: @escaping (SpoolWord) -> Void) {
    self.loop = loop
    loop.watch(thread.descriptor) { [unowned self] _ in
      for report in thread.drain() { if let word = SpoolWord(report, folder: folder) { take(word) } }
      offerWaiting()
    }
    retry = loop.timer { [unowned self] _ in offerWaiting() }
  }

  func ask(_ wish: SpoolWish) {
    if let request = SpoolRequest(wish, originS: originS) { ask(request) }
  }

  func reconfigure(_ settings: SpoolSettings) { ask(.configure(settings.limits)) }

  /// Brings everything to the disk, and answers what the thread had still to say.
  func stop(deadlineS: Double) -> [SpoolWord] {
    offerWaiting()
    loop?.unwatch(thread.descriptor)
    if let retry { loop?.remove(retry) }
    if !thread.stop(withinS: deadlineS) {
      log.warning("spool: \(folder) is slow; what came last may be missing at the next start")
    }
    return thread.drain().compactMap { SpoolWord($0, folder: folder) }
  }

  private func ask(_ request: SpoolRequest) {
    if waiting.isEmpty, thread.offer(request) { return }
    if case .release = request, waiting.count >= Self.mostWaiting {
      // The node recognises the event when it is read again, and releases it then; after a restart it goes out again.
      return log.change("spool queue", .warning, "spool: \(folder) is slow; something delivered may be sent again")
    }
    waiting.append(request)
    if let loop { retry?.deadline = loop.clock.now() + Self.retryS }
  }

  private func offerWaiting() {
    let taken = waiting.firstIndex { !thread.offer($0) } ?? waiting.count
    waiting.removeFirst(taken)
    if !waiting.isEmpty, let loop { retry?.deadline = loop.clock.now() + Self.retryS }
  }
}
