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

  /// How often it is looked whether everything has arrived, and what comes after it [s].
  private static let lookS = 30.0
  private static let restS = 90.0

  static func play(
    seed: UInt64, isShort: Bool = false, _ mutation: Mutation? = nil, print output: ((String) -> Void)? = nil
  ) -> Outcome {
    var plan = Plan(seed: seed)
    if isShort { plan.shorten() }
    plan.mutation = mutation
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
    world.run(untilS: plan.troubleS + plan.aftermathS) { check.afterStep() }
    world.isStill = true
    let endS = plan.troubleS + plan.quietS
    while world.violation == nil, world.nowS < endS, !check.isDrained(fleet, broker) {
      world.run(untilS: world.nowS + lookS) { check.afterStep() }
    }
    world.run(untilS: world.nowS + restS) { check.afterStep() }
    // Who has just connected says where it is.
    for _ in 0..<60 where world.violation == nil && !check.isDrained(fleet, broker) {
      world.run(untilS: world.nowS + 1) { check.afterStep() }
    }
    if world.violation == nil { check.atTheEnd() }
    return Outcome(
      seed: seed, violation: world.violation, steps: world.steps, faults: world.faults, counts: world.oracle.counts,
      trace: world.trace.lines)
  }
}
