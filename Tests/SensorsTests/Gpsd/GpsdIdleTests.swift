import Foundation
import NodeLogic
import Rig
import Sensors
import Testing

/// While nothing comes the client waits, whatever the reason: wadda/gps3#26 and merkaartor PR#167 spun.
@Suite("A client of gpsd while nothing comes", .enabled(if: isGpsdHere, "no gpsd"))
struct GpsdIdleTests {
  private static let seconds = 6.0

  /// Processor time of the thread [ms], and how often it woke, over `seconds` at the settings of the field.
  private struct Cost: Sendable {
    var milliseconds: Double
    var wakes: Int
  }

  private static func cost(of node: GpsdNode) -> Cost {
    let used = threadSeconds()
    let wakes = node.wakes
    node.run(seconds: seconds)
    return Cost(milliseconds: (threadSeconds() - used) * 1000, wakes: node.wakes - wakes)
  }

  /// A node at the defaults, with a fix from a gpsd.
  private static func withFix(_ body: (GpsdRig, RoutePlayer) -> Void) throws -> Cost {
    let rig = try GpsdRig(in: Workplace(), opensAtOnce: true)
    let player = RoutePlayer(NMEARoute(), to: rig, rateHz: 5)
    defer { player.stop() }
    let node = GpsdNode(port: rig.port, session: GpsdSession.Settings(), LocationTracker.Settings())
    guard node.run(seconds: 15, until: { !$0.positions.isEmpty }) else { throw RigError("no fix") }
    body(rig, player)
    node.run(seconds: 0.5)
    return cost(of: node)
  }

  @Test func aSilentReceiver() async throws {
    let cost = try await onThread { try Self.withFix { $1.pause() } }
    #expect(cost.wakes <= 6 && cost.milliseconds < 30, "\(cost)")
  }

  @Test func aHungGpsd() async throws {
    let cost = try await onThread {
      try Self.withFix {
        $1.pause()
        $0.hang()
      }
    }
    #expect(cost.wakes <= 6 && cost.milliseconds < 30, "\(cost)")
  }

  @Test func aGpsdThatIsGone() async throws {
    let cost = try await onThread { try Self.withFix { rig, _ in rig.stop() } }
    #expect(cost.wakes <= 12 && cost.milliseconds < 30, "\(cost)")
  }

  /// Half open: the connection never completes.
  @Test func aPortThatLetsItHang() async throws {
    let cost = try await onThread {
      let server = try FaultyServer(.deaf)
      let node = GpsdNode(port: server.port, session: GpsdSession.Settings(), LocationTracker.Settings())
      node.run(seconds: 0.2)
      return Self.cost(of: node)
    }
    #expect(cost.wakes <= 4 && cost.milliseconds < 30, "\(cost)")
  }

  /// EOF on every connection, at once.
  @Test func aServerThatHangsUp() async throws {
    let (cost, connections) = try await onThread {
      let server = try ScriptedGpsd { _ in nil }
      defer { server.stop() }
      let node = GpsdNode(port: server.port, session: GpsdSession.Settings(), LocationTracker.Settings())
      return (Self.cost(of: node), server.connections)
    }
    #expect((2...6).contains(connections))
    #expect(cost.wakes <= 30 && cost.milliseconds < 30, "\(cost)")
  }
}
