internal import Daemon
internal import Glibc
internal import Telemetry
internal import Threading

/// The file with what was set over the broker, written on a thread of its own: fsync(2) on a worn SD card takes a
/// second and more, and the loop samples. One write runs at a time; the next has what came meanwhile.
final class SettingsFile {
  /// How long the end waits for the last write [s].
  static let stopS = 2.0

  private let path: String
  private let loop: EventLoop
  private let answers = Mailbox<FileError?>(capacity: 1)
  /// Who waits for the write that runs.
  private var running: [(FileError?) -> Void]?
  private var next: (bytes: [UInt8], waiting: [(FileError?) -> Void])?

  init(_ path: String, loop: EventLoop) {
    self.path = path
    self.loop = loop
    loop.watch(answers.descriptor) { [unowned self] _ in takeAnswer() }
  }

  /// Writes the bytes in the place of those before, and then says what went wrong, if anything.
  func write(_ bytes: [UInt8], then: @escaping (FileError?) -> Void) {
    next = (bytes, (next?.waiting ?? []) + [then])
    writeNext()
  }

  /// Waits for what is being written and for what is still to be.
  func stop() {
    let end = MonotonicClock.process.now() + Self.stopS
    while running != nil {
      let leftS = end - MonotonicClock.process.now()
      guard leftS > 0 else { break }
      var polled = pollfd(fd: answers.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&polled, 1, Int32((leftS * 1000).rounded(.up)))
      takeAnswer()
    }
    loop.unwatch(answers.descriptor)
  }

  private func writeNext() {
    guard running == nil, let (bytes, waiting) = next else { return }
    next = nil
    let (path, answers) = (path, answers)
    do throws(WorkerThread.StartFailure) {
      let thread = try WorkerThread(name: "settings", stackBytes: 128 * 1024) {
        do throws(FileError) {
          try replaceSmallFile(path, with: bytes)
          answers.offer(nil)
        } catch {
          answers.offer(error)
        }
      }
      thread.detach()
      running = waiting
    } catch {
      let problem = FileError(code: error.code, text: "cannot be written: no thread: \(systemErrorText(error.code))")
      for each in waiting { each(problem) }
    }
  }

  private func takeAnswer() {
    guard let answer = answers.drain().last, let waiting = running else { return }
    running = nil
    for each in waiting { each(answer) }
    writeNext()
  }
}
