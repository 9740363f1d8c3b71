import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

@testable import Sensors

@Suite("A client of a scripted gpsd", .serialized)
struct GpsdClientTests {
  /// Answers as gpsd does, with a fix after each watch.
  private func honest(_ request: String?) -> String? {
    guard let request else { return ScriptedGpsd.banner }
    return request.hasPrefix("?WATCH") ? ScriptedGpsd.echo + ScriptedGpsd.fix : ScriptedGpsd.echo
  }

  @Test(arguments: ["127.0.0.1", "localhost", "0x7f.1"]) func findsGpsdByName(host: String) throws {
    let gpsd = try ScriptedGpsd { self.honest($0) }
    defer { gpsd.stop() }
    let node = GpsdNode(port: gpsd.port, host: host, .everything)
    #expect(node.run(seconds: 10) { !$0.positions.isEmpty })
    #expect(gpsd.requests.hasPrefix(#"?WATCH={"enable":true,"json":true};"#))
  }

  /// kismet#139 hung where a host did not answer.
  @Test func aDeadAddressOfTheHostDoesNotKeepTheOthersFromTheirTurn() throws {
    let dead = try FaultyServer(.deaf)
    let gpsd = try ScriptedGpsd(portOfIPv6: dead.port) { self.honest($0) }
    defer { gpsd.stop() }
    let node = GpsdNode(port: dead.port, host: "localhost", .everything)
    #expect(node.run(seconds: 10) { !$0.positions.isEmpty })
    #expect(node.downs == ["no connection within 2.0 s"])
    dead.stop()
  }

  @Test func looksANameUpWithoutBlocking() throws {
    let gpsd = try ScriptedGpsd { self.honest($0) }
    defer { gpsd.stop() }
    // This machine's own name is in /etc/hosts, and is not numeric.
    let name = ProcessInfo.processInfo.hostName
    let node = GpsdNode(port: gpsd.port, host: name, .everything)
    let before = DispatchTime.now()
    node.run(seconds: 0.01)
    #expect(DispatchTime.now().uptimeNanoseconds - before.uptimeNanoseconds < 1_000_000_000)
    // It answers on the loopback only, so that either it is found or refused by an address of the name.
    #expect(node.run(seconds: 15) { !$0.positions.isEmpty || !$0.downs.isEmpty })
  }

  @Test func saysThatANameIsUnknown() throws {
    let node = GpsdNode(port: 2947, host: "no-such-host.invalid", .quick)
    #expect(node.run(seconds: 20) { !$0.downs.isEmpty })
    let down = try #require(node.downs.first)
    #expect(
      down.hasPrefix(#"cannot look up "no-such-host.invalid""#) || down.hasPrefix("no connection within"), "\(down)")
  }

  @Test func saysOnceThatNobodyListens() throws {
    let node = GpsdNode(port: try Workplace.freePort(), .quick)
    node.run(seconds: 3)
    #expect(node.downs.count == 1)
    #expect(node.downs.first == "cannot connect: Connection refused")
    // Silence counts after 5 s at the earliest.
    #expect(node.run(seconds: 5) { $0.losses == [.gpsdGone] })
    #expect(node.tracker.health(at: node.now).state == .gpsdGone)
    #expect(node.wakes < 200)
  }

  @Test func givesUpAServerThatNeverGreets() throws {
    let gpsd = try ScriptedGpsd { $0 == nil ? "" : ScriptedGpsd.echo }
    defer { gpsd.stop() }
    let node = GpsdNode(port: gpsd.port, .quick)
    #expect(node.run(seconds: 10) { _ in gpsd.connections >= 3 })
    #expect(node.downs.count == 1)
    #expect(node.downs.first?.contains("no VERSION banner") == true)
    #expect(gpsd.requests == "")
  }

  @Test func givesUpAServerThatIsNotGpsd() throws {
    let gpsd = try ScriptedGpsd { _ in "220 mail.example.org ESMTP\r\n" }
    defer { gpsd.stop() }
    let node = GpsdNode(port: gpsd.port, .quick)
    #expect(node.run(seconds: 10) { !$0.downs.isEmpty })
    #expect(node.tracker.health(at: node.now).badLines == 1)
  }

  @Test func reportsThatTheWatchWasRefused() throws {
    let gpsd = try ScriptedGpsd { request in
      request == nil
        ? ScriptedGpsd.banner
        : #"{"class":"ERROR","message":"Invalid WATCH"}"# + "\n" + #"{"class":"WATCH","enable":true,"json":false}"#
          + "\n"
    }
    defer { gpsd.stop() }
    let node = GpsdNode(port: gpsd.port, .quick)
    #expect(node.run(seconds: 10) { !$0.downs.isEmpty })
    #expect(node.errors.first == "Invalid WATCH")
    #expect(node.downs.first?.contains("did not take the WATCH") == true)
  }

  /// aircrack-ng PR#2682 connected over and over because of a big SKY; Home Assistant core PR#177061 and ivkos/gpsd4j#1
  /// took half a line for a message.
  @Test func asksAgainWhenItFallsSilentAndSurvivesLinesOfAnyLength() throws {
    let long = #"{"class":"SKY","satellites":["# + String(repeating: #"{"used":true},"#, count: 4000) + "{}]}\r\n"
    let endless = String(repeating: "z", count: 200_000) + "\r\n"
    let gpsd = try ScriptedGpsd { request in
      guard let request else { return ScriptedGpsd.banner }
      return ScriptedGpsd.echo + (request.hasPrefix("?WATCH") ? long + endless + ScriptedGpsd.fix : "")
    }
    defer { gpsd.stop() }
    let node = GpsdNode(port: gpsd.port, .everything)
    #expect(node.run(seconds: 10) { $0.positions.count >= 3 })
    #expect(gpsd.connections == 1)
    #expect(node.tracker.counters.unreadable[.tooLong] ?? 0 >= 3)
    #expect(node.downs.isEmpty)
  }

  @Test func leaksNoDescriptorOverFiftyConnections() throws {
    let gpsd = try ScriptedGpsd { request in
      request == nil ? ScriptedGpsd.banner + ScriptedGpsd.echo : nil
    }
    defer { gpsd.stop() }
    var session = GpsdSession.Settings.quick
    session.longestBackoffS = 0.02
    let node = GpsdNode(port: gpsd.port, session: session, .quick)
    #expect(node.run(seconds: 30) { _ in gpsd.connections >= 50 })
    // Of this client alone: other tests of this process open and close theirs meanwhile.
    #expect(sockets(connectedTo: gpsd.port) <= 1)
    withExtendedLifetime(node) {}
  }

  @Test func wakesOnlyForItsDeadlinesWhileNothingComes() throws {
    let gpsd = try ScriptedGpsd { request in request == nil ? ScriptedGpsd.banner : ScriptedGpsd.echo }
    defer { gpsd.stop() }
    var session = GpsdSession.Settings.quick
    session.silenceS = 60
    session.longestSilenceS = 60
    let node = GpsdNode(port: gpsd.port, session: session, .quick)
    #expect(node.run(seconds: 5) { $0.isUp })
    #expect(node.run(seconds: 10) { $0.isLost })
    let wakes = node.wakes
    let used = threadSeconds()
    node.run(seconds: 3)
    #expect(node.wakes - wakes <= 2)
    // Of this thread: other suites run beside it.
    #expect(threadSeconds() - used < 0.05)
  }
}
