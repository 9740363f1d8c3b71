import Foundation
import NodeLogic
import Rig
import Sensors
import Telemetry
import Testing

/// What goes wrong with a real gpsd in the field, and what is published about it, beside the faults of
/// `GpsdDrillTests`.
@Suite("More faults of a real gpsd", .serialized, .enabled(if: isGpsdHere, "no gpsd"))
struct GpsdFaultTests {
  @Test func restartedQuicklyIsNoLoss() throws {
    let rig = try GpsdRig(in: Workplace())
    let node = GpsdNode(port: rig.port, .quick)
    #expect(node.run(seconds: 10) { $0.isUp })
    #expect(rig.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(), to: rig, rateHz: 5)
    defer { player.stop() }
    #expect(node.run(seconds: 15) { $0.positions.count >= 3 })
    let seen = node.positions.count
    try rig.restart()
    #expect(node.run(seconds: 10) { $0.client.connects >= 2 && $0.positions.count > seen + 5 })
    #expect(node.losses.isEmpty)
  }

  @Test func stretchOfARouteWithoutAFix() throws {
    let rig = try GpsdRig(in: Workplace(), opensAtOnce: true)
    let node = GpsdNode(port: rig.port, .quick)
    #expect(rig.waitUntilOpen())
    let route = NMEARoute(speedMPS: 20, withoutFix: [0..<1, 4..<7])
    let player = RoutePlayer(route, to: rig, rateHz: 5)
    defer { player.stop() }
    #expect(node.run(seconds: 30) { $0.positions.contains { $0.cause == .regained } })
    #expect(node.losses.last == .noFix)
    #expect(node.losses.allSatisfy { $0 == .noFix })
    for position in node.positions {
      // A receiver's time is the route's, so that the place at that time is known.
      let time = try #require(position.fixTime).seconds - route.start.timeIntervalSince1970
      let state = route.state(at: time)
      let actual = try #require(Coordinate(latitude: state.latitude, longitude: state.longitude))
      let published = try #require(Coordinate(latitude: position.latitude, longitude: position.longitude))
      #expect(published.distanceM(to: actual) < 1)
      #expect(abs(try #require(position.speedMPS) - 20) < 0.1)
    }
  }

  @Test func absentAtTheStart() throws {
    let rig = try GpsdRig(in: Workplace(), isStarted: false)
    let node = GpsdNode(port: rig.port, .quick)
    #expect(node.run(seconds: 10) { $0.losses == [.gpsdGone] })
    try rig.start()
    #expect(node.run(seconds: 10) { $0.isUp })
    #expect(rig.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(), to: rig, rateHz: 5)
    defer { player.stop() }
    #expect(node.run(seconds: 10) { $0.positions.first?.cause == .first })
  }

  @Test func pinnedDeviceThatGpsdDoesNotHave() throws {
    let rig = try GpsdRig(in: Workplace())
    var session = GpsdSession.Settings.quick
    session.device = "/dev/ttyACM9"
    var settings = LocationTracker.Settings.quick
    settings.device = session.device
    let node = GpsdNode(port: rig.port, session: session, settings)
    #expect(node.run(seconds: 15) { $0.losses == [.deviceGone] })
    #expect(node.errors == ["No such device as /dev/ttyACM9"])
    #expect(node.downs.isEmpty)
  }

  @Test func probeTellsWhatItFinds() throws {
    let workplace = try Workplace()
    let nobody = GpsdProbe.run(host: "127.0.0.1", port: UInt16(try Workplace.freePort()), seconds: 3, now: now)
    #expect(nobody.count == 1)
    #expect(nobody[0].isProblem && nobody[0].text.contains("Connection refused") && nobody[0].remedy != nil)

    let rig = try GpsdRig(in: workplace, opensAtOnce: true)
    #expect(rig.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(), to: rig, rateHz: 5)
    defer { player.stop() }
    let found = GpsdProbe.run(host: "localhost", port: UInt16(rig.port), seconds: 10, now: now)
    #expect(found.first.map { if case .answers(release: .some) = $0 { true } else { false } } == true)
    #expect(found.last.map { if case .fix = $0 { true } else { false } } == true, "\(found.map(\.text))")
    #expect(found.allSatisfy { !$0.isProblem })
    let missing = GpsdProbe.run(host: "127.0.0.1", port: UInt16(rig.port), device: "/dev/x", seconds: 2, now: now)
    #expect(missing.last == .deviceMissing("/dev/x", known: [rig.device]))
    player.pause()
    usleep(300_000)
    let silent = GpsdProbe.run(host: "127.0.0.1", port: UInt16(rig.port), seconds: 1, now: now)
    #expect(silent.last == .silent(afterS: 1), "\(silent.map(\.text))")
  }

  private func now() -> Instant { Instant(seconds: Double(DispatchTime.now().uptimeNanoseconds) * 1e-9) }
}
