import DiskFaults
import NodeLogic
import Spool

/// What is looked at after every step, and in the end.
final class Watch {
  private let world: World
  private let nodes: [SimulatedNode]
  private var diskCalls: [Int]

  init(_ world: World, _ nodes: [SimulatedNode]) {
    self.world = world
    self.nodes = nodes
    diskCalls = nodes.map { _ in 0 }
  }

  func afterStep() {
    for (index, node) in nodes.enumerated() where node.disk.calls != diskCalls[index] {
      diskCalls[index] = node.disk.calls
      checkDisk(node)
    }
  }

  /// The state beside the segments, and the record that finds that there is no room [bytes].
  private static let besideBytes = 4096

  /// The folder keeps to its cap but for the segment that is being written.
  private func checkDisk(_ node: SimulatedNode) {
    guard let limits = node.limits else { return }
    let mostBytes = limits.capBytes + limits.segmentBytes + Watch.besideBytes
    world.expect(
      node.disk.sizeBytes <= mostBytes, .i5Cap,
      "\(node.disk.sizeBytes) bytes where \(mostBytes) are allowed: \(files(node.disk))")
  }

  private func files(_ disk: SimulatedDisk) -> [String] {
    disk.fileNames.map { "\($0) \(disk.bytes(of: $0)?.count ?? 0)" }
  }

  /// Whether nothing is under way any more.
  func isDrained(_ fleet: SimulatedFleet, _ broker: SimulatedBroker) -> Bool {
    nodes.allSatisfy { $0.isRunning && !$0.isAsleep && $0.node?.pendingEvents == 0 } && !fleet.hasWork && broker.isEmpty
  }

  func atTheEnd() {
    world.oracle.judge()
    for node in nodes {
      world.expect(node.isRunning, .drains, "\(node.name) does not run")
      let waiting = node.node?.pendingEvents ?? 0
      world.expect(waiting == 0, .drains, "\(waiting) events of \(node.name) wait for ever")
    }
  }
}
