import CLinux
import Foundation
import Rig
import Telemetry
import Testing

/// A real node with a real gpsd, on a machine whose clock may be worth nothing.
///
/// A container has a clock that is right and that nothing vouches for: what the node makes of GPS time can be held
/// against it. Where the machine's clock is disciplined, the node must say that instead.
@Suite(.serialized) struct GPSTimeTests {
  @Test func whatHappensBeforeTheTimeIsKnownIsPublishedWithTheRightTime() throws {
    let place = try Workplace("e2e-gps-time")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    let proxy = try Proxy(to: broker.port, .refusing)
    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    let keys = [
      "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(gpsd.port)",
      "location.distance_filter_m": "0", "location.interval_s": "1",
    ]
    let started = Date()
    let node = try NodeRun(keys + port(proxy.port), in: place)
    let player = RoutePlayer(NMEARoute(), to: gpsd, rateHz: 2)
    defer { player.stop() }
    // Without a connection: the first positions wait, and are older than the knowledge of the time.
    let isKnown = waitUntil(seconds: 15) {
      node.log.contains { $0.contains("clock: GPS time") } || player.sent > 20
    }
    #expect(isKnown, "\(node.log)")
    let isDisciplined = !node.log.contains { $0.contains("clock: GPS time") }
    proxy.behaviour = .passing
    #expect(waitUntil(seconds: 30) { watcher.locations.count > 8 && watcher.healths.count > 1 }, "\(node.log)")

    let envelopes = watcher.telegrams.map(\.envelope).filter { $0.clock != nil }
    #expect(envelopes.allSatisfy { $0.clock == (isDisciplined ? .ntp : .gps) }, "\(node.log)")
    // By this machine's clock; a fix may be late by what gpsd and a busy machine take.
    let starts = try envelopes.map { try #require($0.clockState).wallAtStart.seconds }
    #expect(starts.allSatisfy { ($0 - started.timeIntervalSince1970).magnitude < 2 }, "\(starts)")
    let first = try #require(envelopes.filter { $0.sequence == 1 }.first)
    #expect(try #require(first.uptime) < 8, "made before the time was known")
  }

  /// Something keeps this machine's clock right, and a node believes that.
  static var isDisciplined: Bool {
    judder_clock_is_synchronised() == 1
  }

  // Complaint 35: the clock is wrong, GPS knows better, and TLS is to work.
  @Test(
    "A certificate that the wrong clock refuses is taken by the receiver's time, and events arrive with the right time",
    .enabled(if: SteppedClock.isHere, "no libfaketime: apt-get install faketime"),
    .enabled(if: !isDisciplined, "the clock of this machine is disciplined, which counts more than GPS"),
    .enabled(if: ChildProcess.find("openssl") != nil, "openssl is not installed"))
  func certificatesAreJudgedByTheReceiversTime() throws {
    let place = try Workplace("e2e-gps-tls")
    let authority = try CertificateAuthority(in: place)
    var options = Broker.Options()
    options.tls = Broker.TLS(identity: try authority.broker(), authorityFile: authority.certificateFile)
    let broker = try Broker(options, in: place)
    try broker.start()
    let watcher = try Watcher(broker, arguments: ["--cafile", authority.certificateFile])
    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    let keys = [
      "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(gpsd.port)",
      "location.distance_filter_m": "0", "location.interval_s": "1",
      "broker.ca_file": "\"\(authority.certificateFile)\"",
      "broker.retry_max_s": "1",
    ]
    let started = Date()
    let clock = try SteppedClock()
    try clock.step(to: -200 * 86_400)
    let node = try NodeRun(keys + port(broker.port), in: place, environment: clock.environment)
    let isRefused = waitUntil(seconds: 15) { node.brokerTroubles.contains { $0.contains("our clock says") } }
    #expect(isRefused, "\(node.log)")
    #expect(watcher.telegrams.isEmpty)
    let player = RoutePlayer(NMEARoute(), to: gpsd, rateHz: 2)
    defer { player.stop() }
    #expect(waitUntil(seconds: 30) { watcher.locations.count > 3 }, "\(node.log)")
    #expect(node.log.contains { $0.contains("clock: GPS time") }, "\(node.log)")
    let envelopes = watcher.telegrams.map(\.envelope).filter { $0.clock != nil }
    #expect(envelopes.allSatisfy { $0.clock == .gps })
    let starts = try envelopes.map { try #require($0.clockState).wallAtStart.seconds }
    #expect(starts.allSatisfy { ($0 - started.timeIntervalSince1970).magnitude < 2 }, "\(starts)")
  }
}
