import FleetLogic
import Foundation
import Rig
import Testing

@testable import Sinks

/// A webhook over TLS: `openssl s_server` is the receiver.
@Suite struct SecureWebTests {
  /// Answers one request, whatever it is, once a client trusts its certificate.
  private func receiver(_ identity: CertificateAuthority.Identity, port: Int, in place: Workplace) throws
    -> ChildProcess
  {
    let answer = #"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"#
    return try ChildProcess(
      "sh",
      [
        // What is open for reading and writing has no end: the receiver stays until it is stopped.
        "-c",
        "mkfifo \"$4\"; exec 3<>\"$4\"; printf '\(answer)' >&3; "
          + "exec openssl s_server -quiet -accept \"$1\" -cert \"$2\" -key \"$3\" <&3", "sh",
        "127.0.0.1:\(port)", identity.certificateFile, identity.keyFile, place.path("answer-\(port)"),
      ], name: "receiver", in: place.folder)
  }

  private func bench(_ port: Int, _ authorities: String, in place: Workplace) throws -> SinkBench {
    let http = HTTPSettings(authorities: authorities, limitS: 5)
    return try SinkBench(
      .webhook(WebhookSettings(url: "https://127.0.0.1:\(port)/hook", http: http)), place: place, tries: 1)
  }

  @Test(.timeLimit(.minutes(1))) func onlyACertificateThatSomebodyVouchesForIsTold() throws {
    let place = try Workplace("secure-web")
    let authority = try CertificateAuthority("ours", in: place)
    let stranger = try CertificateAuthority("theirs", in: place)
    let identity = try authority.broker("receiver")
    do {
      let port = try Workplace.freePort()
      let server = try receiver(identity, port: port, in: place)
      defer { server.stop() }
      let bench = try bench(port, stranger.certificateFile, in: place)
      try bench.sink.deliver(try alert("1"))
      #expect(
        eventually {
          bench.take()
          return bench.state.problem?.description.contains("certificate") ?? false
        }, "\(bench.lines)\(server.errorText())")
      #expect(bench.state.queued == 1 && bench.state.givenUp == 0, "it waits, whatever number of tries is set")
      #expect(!server.outputText().contains("POST"))
    }
    let port = try Workplace.freePort()
    let server = try receiver(identity, port: port, in: place)
    defer { server.stop() }
    let bench = try bench(port, authority.certificateFile, in: place)
    #expect(bench.waitForDelivery(1), "\(bench.lines)\(server.errorText())")
    #expect(server.outputText().contains("POST /hook HTTP/1.1"), "\(server.outputText())")
  }
}
