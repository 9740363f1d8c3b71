/// One run from its seed: trouble for a while, then quiet, and then everything must have arrived.
struct Run {
  /// What a run came to.
  struct Outcome {
    var seed: UInt64
    var violation: Violation?
    var steps: Int
    var faults: [String: Int]
    var counts: Oracle.Counts
    var trace: [String]
  }

  /// After trouble, before which moment nothing new is measured any more [s].
  private static let stillS = 900.0

  static func play(seed: UInt64, print output: ((String) -> Void)? = nil) -> Outcome {
    let plan = Plan(seed: seed)
    let world = World(plan, seed: seed)
    world.trace.output = output
    var chance = Chance(seed: seed)
    let network = Network(world, chance: chance.fork())
    let broker = SimulatedBroker(world, network, chance: chance.fork())
    network.broker = broker
    let fleet = SimulatedFleet(world, network, chance: chance.fork())
    let nodes = (0..<plan.nodes).map { SimulatedNode(world, network, index: $0, chance: chance.fork()) }
    let faults = Faults(world, network, nodes, fleet, chance: chance.fork())
    world.note("\(plan)")
    world.parts = [network, broker, fleet, faults] + nodes
    for node in nodes { node.start() }
    world.after(plan.fleetAbsentS, "fleet tool comes") { if !fleet.isRunning { fleet.start() } }
    faults.start()
    let check = Watch(world, nodes)
    world.run(untilS: plan.troubleS) { check.afterStep() }
    world.isQuiet = true
    world.note("QUIET")
    faults.end()
    world.run(untilS: plan.troubleS + plan.quietS - stillS) { check.afterStep() }
    world.isStill = true
    world.run(untilS: plan.troubleS + plan.quietS) { check.afterStep() }
    if world.violation == nil { check.atTheEnd(fleet) }
    return Outcome(
      seed: seed, violation: world.violation, steps: world.steps, faults: world.faults, counts: world.oracle.counts,
      trace: world.trace.lines)
  }
}
