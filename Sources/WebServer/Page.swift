/// What is answered to a request for one path.
public struct Page: Equatable, Sendable {
  /// The status code, for example 200.
  public var status: Int
  /// For example `text/plain; charset=utf-8`.
  public var contentType: String
  /// Any bytes.
  public var body: [UInt8]

  public init(_ status: Int = 200, contentType: String = "text/plain; charset=utf-8", body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// A line of text.
  init(_ status: Int, line: String) { self.init(status, body: Array("\(line)\n".utf8)) }
}
