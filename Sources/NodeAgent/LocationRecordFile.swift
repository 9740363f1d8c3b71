internal import Daemon
internal import Glibc
internal import NodeLogic
internal import Telemetry
internal import Threading

/// The file with what is kept of the location over a restart.
///
/// It is written on a thread of its own: fsync(2) on a worn SD card takes a second and more, and the loop samples. One
/// write runs at a time; of the records that come meanwhile only the newest is written.
final class LocationRecordFile {
  /// How long the end waits for the last write [s].
  static let stopS = 3.0

  private let path: String
  private let log: Log
  private let answers = Mailbox<Result<Void, FileError>>(capacity: 1)
  /// From a write that failed to the next attempt [s].
  private static let retryS = 600.0

  /// What is being written.
  private var writing: LocationRecord?
  private var next: LocationRecord?
  private var retry: EventLoop.Timer?
  private var loop: EventLoop?
  private var hasFailed = false

  init(_ path: String, log: Log) {
    self.path = path
    self.log = log
  }

  /// What was kept; nil where there is nothing or it can't be used, which is said.
  func read() -> LocationRecord? {
    do throws(FileError) {
      let bytes = try readSmallFile(path, limit: LocationRecord.largestBytes)
      do throws(LocationRecord.Damage) {
        return try LocationRecord.decode(bytes)
      } catch {
        log.warning("\(path) \(error): the odometer and the fences are begun anew, and it is written over")
      }
    } catch {
      // The first start, as a rule.
      guard error.code != ENOENT else { return nil }
      log.warning("\(path) \(error): the odometer and the fences are begun anew")
    }
    return nil
  }

  /// Takes notice of what the thread says.
  func start(_ loop: EventLoop) {
    self.loop = loop
    loop.watch(answers.descriptor) { [unowned self] _ in
      takeAnswer()
      // What failed waits for the timer, so that a full disk is not tried without end.
      if !hasFailed { writeNext() }
    }
    retry = loop.timer { [unowned self] _ in writeNext() }
  }

  /// Writes a record, in the background.
  func keep(_ record: LocationRecord) {
    next = record
    writeNext()
  }

  /// Waits for what is being written and for what is still to be, at most so long.
  func stop(deadlineS: Double) {
    let end = MonotonicClock.process.now() + deadlineS
    writeNext()
    while writing != nil {
      let leftS = end - MonotonicClock.process.now()
      guard leftS > 0 else { break }
      var polled = pollfd(fd: answers.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&polled, 1, Int32((leftS * 1000).rounded(.up)))
      takeAnswer()
      if !hasFailed { writeNext() }
    }
    loop?.unwatch(answers.descriptor)
    if let retry { loop?.remove(retry) }
    retry = nil
    if writing != nil { log.warning("\(path): the disk is slow; what was kept last may be missing") }
  }

  private func writeNext() {
    guard writing == nil, let record = next else { return }
    next = nil
    let (path, answers, bytes) = (path, answers, record.encode())
    do throws(WorkerThread.StartFailure) {
      let thread = try WorkerThread(name: "location-record", stackBytes: 128 * 1024) {
        answers.offer(Result { () throws(FileError) in try replaceSmallFile(path, with: bytes) })
      }
      thread.detach()
      writing = record
    } catch {
      next = record
      fail("cannot be written: no thread: \(systemErrorText(error.code))")
    }
  }

  private func takeAnswer() {
    guard let answer = answers.drain().last, let record = writing else { return }
    writing = nil
    switch answer {
    case .success:
      if hasFailed { log.change("location record", .notice, "\(path) is written again") }
      hasFailed = false
    case .failure(let error):
      // Unless a newer one waits.
      next = next ?? record
      fail(error.text + (error.folderRemedy.map { "; \($0)" } ?? ""))
    }
  }

  /// Said once for each reason, however often it is tried.
  private func fail(_ text: String) {
    hasFailed = true
    if let loop { retry?.deadline = loop.clock.now() + Self.retryS }
    log.change("location record", .warning, "\(path) \(text): nothing is kept over a restart meanwhile")
  }
}
