internal import Daemon
internal import Threading

/// Looks a name up on a thread of its own, because getaddrinfo(3) blocks for as long as the name servers are silent.
///
/// At most one look-up runs at a time: one that outlives its attempt answers the next attempt.
final class NameLookUp {
  typealias Answer = Result<[SocketAddress], LookUpFailure>

  private let mailbox = Mailbox<Answer>(capacity: 1)
  private var isRunning = false

  /// Readable when there is an answer.
  var descriptor: Int32 { mailbox.descriptor }

  /// Starts a look-up, unless one is still running. Answers what went wrong, or nil.
  func start(host: String, port: UInt16) -> LookUpFailure? {
    if isRunning { return nil }
    let mailbox = mailbox
    do throws(WorkerThread.StartFailure) {
      let thread = try WorkerThread(name: "name-look-up", stackBytes: 256 * 1024) {
        mailbox.offer(SocketAddress.lookUp(host: host, port: port))
      }
      thread.detach()
      isRunning = true
      return nil
    } catch {
      return LookUpFailure("no thread for the look-up: \(systemErrorText(error.code))")
    }
  }

  /// The answer, once.
  func takeAnswer() -> Answer? {
    guard let answer = mailbox.drain().last else { return nil }
    isRunning = false
    return answer
  }
}
