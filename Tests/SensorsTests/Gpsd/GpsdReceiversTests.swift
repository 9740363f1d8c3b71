import Foundation
import NodeLogic
import Rig
import Sensors
import Telemetry
import Testing

/// Several receivers on one gpsd, interleaved on one connection.
@Suite("Several receivers of a real gpsd", .enabled(if: isGpsdHere, "no gpsd"))
struct GpsdReceiversTests {
  /// The second drives along a meridian far from the first.
  private static let far = NMEARoute([NMEARoute.Waypoint(52.5, 13.4), NMEARoute.Waypoint(52.6, 13.4)])

  private final class Pair {
    let rig: GpsdRig
    let near: RoutePlayer
    let far: RoutePlayer

    init(_ source: GpsdRig.Source) throws {
      rig = try GpsdRig(source, in: Workplace(), receivers: 2, opensAtOnce: true)
      guard rig.waitUntilOpen() else { throw RigError("gpsd does not open both receivers") }
      near = RoutePlayer(NMEARoute(), to: rig, rateHz: 5)
      far = RoutePlayer(GpsdReceiversTests.far, to: rig, rateHz: 5, receiver: 1)
    }

    deinit {
      near.stop()
      far.stop()
    }
  }

  private static func isFar(_ position: LocationMessage.Position) -> Bool { position.latitude > 50 }

  private static func heardBoth(_ node: GpsdNode) -> Bool { Set(node.reports.map(\.device)).count == 2 }

  @Test(arguments: [GpsdRig.Source.tcp, .pty]) func staysWithOneAndTakesTheOtherWhenItIsGone(
    source: GpsdRig.Source
  ) async throws {
    let problem = try await onThread { () -> String? in
      let pair = try Pair(source)
      var settings = LocationTracker.Settings.drill
      // The places are 670 km apart, so that the change is a jump: that is another test's matter.
      settings.maxSpeedMPS = 0
      settings.maxAccelerationMPS2 = 0
      let node = GpsdNode(port: pair.rig.port, settings)
      guard node.run(seconds: 15, until: { Self.heardBoth($0) && $0.positions.count > 10 }) else { return "no fixes" }
      guard let first = node.positions.first.map(Self.isFar) else { return "no position" }
      if node.positions.contains(where: { Self.isFar($0) != first }) { return "mixed two receivers" }
      (first ? pair.far : pair.near).pause()
      guard node.run(seconds: 10, until: { $0.positions.last.map(Self.isFar) == !first }) else {
        return "stays with a silent receiver: \(node.story)"
      }
      // Back again: no reason to change once more.
      (first ? pair.far : pair.near).resume()
      let seen = node.positions.count
      node.run(seconds: 2)
      return node.positions[seen...].contains { Self.isFar($0) == first } ? "changed back" : nil
    }
    #expect(problem == nil)
  }

  @Test(arguments: [GpsdRig.Source.tcp, .pty]) func hearsOnlyThePinnedOne(source: GpsdRig.Source) async throws {
    let problem = try await onThread { () -> String? in
      let pair = try Pair(source)
      var session = GpsdSession.Settings.quick
      session.device = pair.rig.devices[1]
      var settings = LocationTracker.Settings.drill
      settings.device = session.device
      let node = GpsdNode(port: pair.rig.port, session: session, settings)
      guard node.run(seconds: 15, until: { $0.positions.count > 10 }) else { return "no fixes" }
      if !node.positions.allSatisfy(Self.isFar) { return "took the other receiver's position" }
      if source == .pty { try pair.rig.unplug(tellsGpsd: true, receiver: 1) } else { pair.far.pause() }
      let reason = source == .pty ? LocationMessage.Loss.Reason.deviceGone : .stalled
      // The other one goes on, and is no substitute.
      guard node.run(seconds: 5, until: { $0.losses.last == reason }) else { return "\(node.story)" }
      node.run(seconds: 1)
      return node.isLost ? nil : "took the other receiver for it"
    }
    #expect(problem == nil)
  }
}
