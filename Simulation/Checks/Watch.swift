import NodeLogic

/// What is looked at after every step, and in the end.
struct Watch {
  private let world: World
  private let nodes: [SimulatedNode]

  init(_ world: World, _ nodes: [SimulatedNode]) {
    self.world = world
    self.nodes = nodes
  }

  func afterStep() {}

  func atTheEnd(_ fleet: SimulatedFleet) {
    world.oracle.judge()
    for node in nodes {
      world.expect(node.isRunning, .drains, "\(node.name) does not run")
      let waiting = node.node?.pendingEvents ?? 0
      world.expect(waiting == 0, .drains, "\(waiting) events of \(node.name) wait for ever")
    }
  }
}
