import Foundation
import Rig
import Testing

@testable import WebServer

@Suite struct WebServerTests {
  private func serve(_ change: (inout WebServerSettings) -> Void = { _ in }) throws -> WebServer {
    var settings = WebServerSettings(port: 0)
    change(&settings)
    let server = try WebServer(settings) { Page(503, body: Array("stuck for \($0 > 0)\n".utf8)) }
    server.publish(Page(body: Array("a 1\n".utf8)), at: "/metrics")
    return server
  }

  @Test func aPageIsAnsweredAndItsNextVersionToo() throws {
    let server = try serve()
    let answer = WebClient.ask(port: Int(server.port), "GET /metrics")
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\na 1\n"), "\(answer)")
    #expect(answer.contains("Content-Type: text/plain; charset=utf-8\r\n"))
    server.publish(Page(503, body: Array("b\n".utf8)), at: "/metrics")
    let next = WebClient.ask(port: Int(server.port), "GET /metrics?x=1")
    #expect(next.hasPrefix("HTTP/1.1 503 ") && next.hasSuffix("\r\n\r\nb\n"), "\(next)")
  }

  @Test func headHasNoBody() throws {
    let server = try serve()
    let answer = WebClient.ask(port: Int(server.port), "HEAD /metrics")
    server.stop()
    #expect(answer.contains("Content-Length: 4\r\n") && answer.hasSuffix("\r\n\r\n"), "\(answer)")
  }

  @Test(arguments: [("GET /", "404"), ("GET /metrics/", "404"), ("POST /metrics", "405"), ("DELETE /", "405")])
  func whatIsNotThereIsRefused(line: String, status: String) throws {
    let server = try serve()
    let answer = WebClient.ask(port: Int(server.port), line)
    server.stop()
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    #expect(answer.contains("Allow: GET, HEAD\r\n") == (status == "405"))
  }

  @Test func aBodyIsNotReadBeforeTheAnswer() throws {
    let server = try serve()
    let client = WebClient(port: Int(server.port))
    client.say("POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n")
    #expect(client.all()?.hasPrefix("HTTP/1.1 405 ") == true)
    server.stop()
  }

  @Test(arguments: ["\u{0}\u{1}\r\n\r\n", "GET\r\n\r\n", "GET /metrics HTTP/1.1\r\nno colon\r\n\r\n"])
  func whatIsNoRequestIsRefusedAndTheNextServed(text: String) throws {
    let server = try serve()
    let client = WebClient(port: Int(server.port))
    client.say(text)
    let answer = try #require(client.all(withinS: 8))
    #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.0 4"), "\(answer)")
    #expect(WebClient.ask(port: Int(server.port), "GET /metrics").hasPrefix("HTTP/1.1 200 "))
  }

  @Test func headersBeyondTheLimitEndTheConnection() throws {
    let server = try serve()
    let client = WebClient(port: Int(server.port))
    client.say("GET /metrics HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 100_000))\r\n\r\n")
    #expect(client.all()?.contains("200 OK") == false)
    server.stop()
  }

  // MARK: The token

  @Test(arguments: [
    [], ["Authorization: Bearer"], ["Authorization: Bearer "], ["Authorization: Bearer s3cre"],
    ["Authorization: Bearer s3cretx"], ["Authorization: Basic s3cret"], ["Authorization: s3cret"],
  ])
  func withoutTheTokenNothingIsTold(headers: [String]) throws {
    let server = try serve { $0.token = "s3cret" }
    for line in ["GET /metrics", "GET /unknown", "POST /metrics"] {
      let answer = WebClient.ask(port: Int(server.port), line, headers)
      #expect(answer.hasPrefix("HTTP/1.1 401 "), "\(answer)")
      #expect(answer.contains("WWW-Authenticate: Bearer realm=\"judder\"\r\n"), "\(answer)")
    }
  }

  @Test(arguments: ["Bearer", "bearer", "BEARER"]) func withTheTokenEverythingIs(scheme: String) throws {
    let server = try serve { $0.token = "s3cret" }
    let answer = WebClient.ask(port: Int(server.port), "GET /metrics", ["Authorization: \(scheme) s3cret"])
    #expect(answer.hasSuffix("a 1\n"))
  }

  @Test func secretsAreComparedWhole() {
    #expect(isSame(Array("abc".utf8)[...], Array("abc".utf8)))
    for other in ["", "ab", "abcd", "abd", "xbc"] { #expect(!isSame(Array(other.utf8)[...], Array("abc".utf8))) }
  }

  // MARK: A maker that is stuck, and clients that are

  @Test func pagesOfAMakerThatIsStuckAreNotAnswered() throws {
    let server = try serve { $0.staleS = 0 }
    #expect(WebClient.ask(port: Int(server.port), "GET /metrics").hasSuffix("stuck for true\n"))
    #expect(WebClient.ask(port: Int(server.port), "GET /other").hasPrefix("HTTP/1.1 404 "))
  }

  @Test func clientsThatSayNothingKeepOthersOutForAShortTimeOnly() throws {
    let server = try serve {
      $0.connections = 4
      $0.idleS = 1
    }
    let silent = (0..<8).map { _ in WebClient(port: Int(server.port)) }
    let end = Date(timeIntervalSinceNow: 10)
    var answer = ""
    while !answer.hasSuffix("a 1\n"), Date() < end { answer = WebClient.ask(port: Int(server.port), "GET /metrics") }
    #expect(answer.hasSuffix("a 1\n"))
    #expect(silent.count == 8)
  }

  @Test func aClientThatDribblesIsCutOff() throws {
    let server = try serve {
      $0.idleS = 30
      $0.connectionS = 0.2
    }
    let client = WebClient(port: Int(server.port))
    client.say("GET /metrics HTTP/1.1\r\n")
    let end = Date(timeIntervalSinceNow: 10)
    var isCutOff = false
    while !isCutOff, Date() < end {
      client.say("X: y\r\n")
      server.beat()
      isCutOff = client.all(withinS: 0.05) != nil
    }
    #expect(isCutOff)
    #expect(WebClient.ask(port: Int(server.port), "GET /metrics").hasSuffix("a 1\n"))
  }

  @Test func aClientThatReadsNothingHoldsNobodyUp() throws {
    let server = try serve()
    server.publish(Page(body: [UInt8](repeating: UInt8(ascii: "x"), count: 30_000_000)), at: "/large")
    let stuck = WebClient(port: Int(server.port), receiveBufferBytes: 4096)
    stuck.say("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
    for _ in 0..<20 { #expect(WebClient.ask(port: Int(server.port), "GET /metrics").hasSuffix("a 1\n")) }
    server.publish(Page(body: []), at: "/large")
    server.stop()
    server.stop()
  }

  // MARK: Where it listens

  @Test func aPortThatIsTakenIsSaid() throws {
    let first = try serve()
    let failure = #expect(throws: WebServerFailure.self) { try serve { $0.port = first.port } }
    #expect(failure?.description == "cannot listen on 127.0.0.1:\(first.port): Address already in use")
    #expect(failure?.code == EADDRINUSE)
    first.stop()
    #expect(throws: Never.self) { try serve { $0.port = first.port } }
  }

  @Test func anAddressOfAnotherMachineIsSaid() throws {
    let failure = #expect(throws: WebServerFailure.self) { try serve { $0.address = "192.0.2.1" } }
    #expect(failure?.description == "cannot listen on 192.0.2.1:0: Cannot assign requested address")
    #expect(throws: WebServerFailure.self) { try serve { $0.address = "localhost" } }
  }

  @Test(
    arguments: [
      ("127.0.0.1", true), ("127.8.9.1", true), ("::1", true), ("0.0.0.0", false), ("::", false), ("192.0.2.1", false),
      ("::ffff:127.0.0.1", false), ("localhost", nil), ("", nil), ("1.2.3", nil),
    ] as [(String, Bool?)])
  func onlyLoopbackIsLoopback(address: String, isLoopback: Bool?) {
    #expect(WebServerSettings(address: address, port: 1).isLoopback == isLoopback)
  }
}
