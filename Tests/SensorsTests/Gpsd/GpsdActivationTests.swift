import NodeLogic
import Rig
import Sensors
import Telemetry
import Testing

/// systemd owns the port, and takes connections for a gpsd that does not run yet.
@Suite("A socket-activated gpsd", .enabled(if: isGpsdHere, "no gpsd"))
struct GpsdActivationTests {
  @Test func isAwaitedWithinTheBannersDeadlineAndFoundOnceItRuns() async throws {
    let problem = try await onThread { () -> String? in
      let rig = try GpsdRig(in: Workplace(), opensAtOnce: true, isActivated: true)
      let node = GpsdNode(port: rig.port, .drill)
      // Connected, and nobody greets.
      guard node.run(seconds: 3, until: { !$0.downs.isEmpty }) else { return "waits for ever" }
      guard node.client.connects >= 1, node.downs[0].contains("no VERSION banner within 1.0 s") else {
        return "\(node.downs)"
      }
      guard node.run(seconds: 5, until: \.isLost), node.losses == [.gpsdGone] else { return "\(node.story)" }
      try rig.start()
      guard node.run(seconds: 10, until: \.isUp), rig.waitUntilOpen() else { return "not up: \(rig.log().suffix(500))" }
      let player = RoutePlayer(NMEARoute(), to: rig, rateHz: 5)
      defer { player.stop() }
      guard node.run(seconds: 10, until: { !$0.isLost }) else { return "no fix: \(node.story)" }
      // gpsd ends and systemd goes on listening: the same again.
      rig.stop()
      guard node.run(seconds: 5, until: { $0.losses.last == .gpsdGone }) else { return "\(node.story)" }
      try rig.start()
      guard node.run(seconds: 15, until: { !$0.isLost }) else { return "not back: \(node.story)" }
      return sockets(connectedTo: rig.port) == 1 ? nil : "\(sockets(connectedTo: rig.port)) sockets"
    }
    #expect(problem == nil)
  }
}
