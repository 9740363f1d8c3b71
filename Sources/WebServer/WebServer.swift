internal import CMicrohttpd
internal import Glibc
internal import Threading

/// A small HTTP server that answers with pages made beforehand, by libmicrohttpd on one thread of its own. GET and HEAD
/// only; one request a connection.
///
/// The thread never waits for whoever makes the pages: it takes the last ones under a lock. A client that is stuck, or
/// says too much or too little, costs one of a few connections for a few seconds.
public final class WebServer: Sendable {
  /// Answered where the maker of the pages is stuck, by how long nothing was heard of it [s].
  public typealias Excuse = @Sendable (Double) -> Page

  /// Where it listens.
  public let port: UInt16
  private let desk: Desk
  private let engine: Engine

  /// Binds and begins to serve; until the first `publish` every path is unknown.
  public init(_ settings: WebServerSettings, excuse: @escaping Excuse) throws(WebServerFailure) {
    let (listener, port) = try ListeningSocket.open(settings)
    self.port = port
    desk = Desk(settings, excuse)
    guard let engine = Engine(listener, desk) else {
      close(listener)
      throw WebServerFailure(code: 0, description: "cannot listen on \(settings.place): no thread is left")
    }
    self.engine = engine
  }

  /// Replaces the page of a path.
  public func publish(_ page: Page, at path: String) { desk.publish(page, at: path) }

  /// The maker of the pages is well. To be called every few seconds; also ends connections that last too long.
  public func beat() { desk.beat() }

  /// Ends the thread and all connections. A second call does nothing.
  public func stop() { engine.stop() }

  deinit { stop() }
}

/// libmicrohttpd's thread.
///
/// `@unchecked Sendable`: the handle is only touched under the lock.
private final class Engine: @unchecked Sendable {
  private let handle: Lock<OpaquePointer?>
  /// What the thread's callbacks are given; alive until the thread has ended.
  private let desk: Desk

  init?(_ listener: Int32, _ desk: Desk) {
    let settings = desk.settings
    let daemon = judder_http_start(
      listener,
      { context, connection, url, method, _, _, _, _ in
        guard let context, let connection, let url, let method else { return judder_http_closed }
        let desk = Unmanaged<Desk>.fromOpaque(context).takeUnretainedValue()
        return desk.answer(connection, path: String(cString: url), method: String(cString: method))
      },
      { context, connection, _, code in
        guard let context, let connection else { return }
        let desk = Unmanaged<Desk>.fromOpaque(context).takeUnretainedValue()
        desk.note(judder_http_descriptor(connection), isOpen: judder_http_begins(code))
      }, Unmanaged.passUnretained(desk).toOpaque(), UInt32(settings.connections), settings.requestBytes,
      UInt32(settings.idleS))
    guard let daemon else { return nil }
    self.desk = desk
    handle = Lock(daemon)
  }

  func stop() {
    // Joins the thread, which takes the desk's lock and never this one.
    handle.withLock { daemon in
      if let daemon { MHD_stop_daemon(daemon) }
      daemon = nil
    }
  }
}
