internal import Foundation

/// A tiny HTTP/1.1 server on 127.0.0.1: takes requests, one a connection, and answers as it is told to.
///
/// `@unchecked Sendable`: what threads share is behind `lock`.
public final class HTTPReceiver: @unchecked Sendable {
  /// What came.
  public struct Request: Sendable {
    /// `POST /hook`, and the headers, one a line.
    public let head: String
    /// The body's bytes.
    public let body: [UInt8]
  }

  /// What to answer.
  public struct Answer: Sendable {
    /// For example `200 OK`.
    public var status: String
    /// Lines without their ends.
    public var headers: [String]
    public var body: [UInt8]
    /// The connection is held, and nothing is answered.
    public var hangs: Bool

    public init(_ status: String = "200 OK", headers: [String] = [], body: [UInt8] = [], hangs: Bool = false) {
      self.status = status
      self.headers = headers
      self.body = body
      self.hangs = hangs
    }
  }

  /// Where it listens.
  public let port: Int
  private let listener: Int32
  private let lock = NSLock()
  private var taken: [Request] = []
  private var isOver = false
  private let answer: @Sendable (Int, Request) -> Answer

  /// - Parameter answer: for the request of that number, from 0.
  public init(_ answer: @escaping @Sendable (Int, Request) -> Answer = { _, _ in Answer() }) throws {
    (listener, port) = try LoopbackSocket.listen()
    self.answer = answer
    Thread.detachNewThread { [self] in serve() }
  }

  /// What came so far.
  public var requests: [Request] { lock.withLock { taken } }

  /// Takes nothing more.
  public func stop() { lock.withLock { isOver = true } }

  private func serve() {
    while let connection = Loopback.accept(listener, isOver: { lock.withLock { isOver } }) {
      Thread.detachNewThread { [self] in take(connection) }
    }
    close(listener)
  }

  private func take(_ connection: Int32) {
    defer { close(connection) }
    var bytes: [UInt8] = []
    while true {
      if let request = Self.request(bytes) { return answer(request, on: connection) }
      guard let more = Loopback.read(connection) else { return }
      bytes += more
    }
  }

  private func answer(_ request: Request, on connection: Int32) {
    let number = lock.withLock {
      taken.append(request)
      return taken.count - 1
    }
    let answer = answer(number, request)
    if answer.hangs {
      while !lock.withLock({ isOver }), !Loopback.isReadable(connection, milliseconds: 50) {}
      return
    }
    let lines = ["HTTP/1.1 \(answer.status)", "Content-Length: \(answer.body.count)", "Connection: close"]
    let head = (lines + answer.headers).joined(separator: "\r\n") + "\r\n\r\n"
    _ = Loopback.write(connection, Array(head.utf8) + answer.body)
  }

  /// Nil: there is more to come.
  private static func request(_ bytes: [UInt8]) -> Request? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
    let length = line.flatMap { Int($0.drop { $0 != ":" }.dropFirst().filter { $0 != " " }) } ?? 0
    guard bytes.count >= end.upperBound + length else { return nil }
    return Request(head: head, body: Array(bytes[end.upperBound...].prefix(length)))
  }
}
