internal import CLinux
internal import Daemon
internal import Glibc
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
    let code = startDetachedThread("name-look-up") {
      mailbox.offer(SocketAddress.lookUp(host: host, port: port))
    }
    guard code == 0 else { return LookUpFailure("no thread for the look-up: \(systemErrorText(code))") }
    isRunning = true
    return nil
  }

  /// The answer, once.
  func takeAnswer() -> Answer? {
    guard let answer = mailbox.drain().last else { return nil }
    isRunning = false
    return answer
  }
}

/// pthread_create(3) with a small stack; the error number, or 0.
private func startDetachedThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
  final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  pthread_attr_setstacksize(&attributes, 256 * 1024)
  let start = Unmanaged.passRetained(Start(name, body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    { argument in
      guard let argument else { return nil }
      let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
      judder_name_thread(start.name)
      start.body()
      return nil
    }, start.toOpaque())
  if code != 0 { start.release() }
  return code
}
