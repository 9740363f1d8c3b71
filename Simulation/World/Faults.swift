import DiskFaults
import Glibc
import Spool
import Telemetry

/// Lets things go wrong, each kind on its own, until the world is to be quiet.
final class Faults {
  private unowned let world: World
  private let network: Network
  private let nodes: [SimulatedNode]
  private let fleet: SimulatedFleet
  private var chance: Chance
  private var broker: SimulatedBroker? { network.broker }

  init(_ world: World, _ network: Network, _ nodes: [SimulatedNode], _ fleet: SimulatedFleet, chance: Chance) {
    self.world = world
    self.network = network
    self.nodes = nodes
    self.fleet = fleet
    self.chance = chance
  }

  func start() {
    for (kind, meanS) in world.plan.faults.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      plan(kind, meanS: meanS)
    }
  }

  private func plan(_ kind: FaultKind, meanS: Double) {
    world.after(chance.waitS(meanS: meanS), "fault \(kind.rawValue)") { [unowned self] in
      guard !world.isQuiet else { return }
      happen(kind)
      plan(kind, meanS: meanS)
    }
  }

  /// From now on everything works.
  func end() {
    if broker?.isUp == false { broker?.start(remembers: true) }
    broker?.denied = []
    broker?.isOverQuota = false
    for node in nodes {
      mend(node)
      node.refusesAsFull = false
      node.disk.diesAfterCall = nil
    }
    if !fleet.isRunning { fleet.start() }
  }

  private func happen(_ kind: FaultKind) {
    switch kind {
    case .linkReset, .linkBlackHole, .linkHalfOpen, .linkSlow: link(kind)
    case .brokerKill, .brokerRestart: restartBroker(kind)
    case .brokerDenies, .brokerQuota: refuse(kind)
    case .nodeKill, .powerCut, .cutInDiskCall, .cleanRestart: stop(chance.pick(nodes), kind)
    case .diskFull, .diskReadOnly, .diskSyncFails, .diskSlow: harm(chance.pick(nodes), kind)
    case .fleetKill:
      if fleet.isRunning {
        world.fault(kind.rawValue)
        fleet.die()
      }
    case .fleetRestart:
      if fleet.isRunning {
        world.fault(kind.rawValue)
        fleet.restart()
      }
    case .clockJump: jump()
    case .suspend: sleep(chance.pick(nodes))
    case .sessionFull:
      let node = chance.pick(nodes)
      world.fault(kind.rawValue)
      node.refusesAsFull = true
      later(chance.double(1...20)) { node.refusesAsFull = false }
    }
  }

  /// What a fault leads to, also once the world is quiet.
  private func later(_ delayS: Double, _ action: @escaping () -> Void) { world.after(delayS, "a fault ends", action) }

  // MARK: Network and broker

  private func link(_ kind: FaultKind) {
    let connections = nodes.compactMap { $0.session?.connection } + [fleet.connection].compactMap { $0 }
    guard !connections.isEmpty else { return }
    let connection = chance.pick(connections)
    world.fault(kind.rawValue, connection.session.client)
    switch kind {
    case .linkReset: network.reset(connection)
    case .linkBlackHole: network.blackHole(connection)
    case .linkHalfOpen: network.halfOpen(connection)
    default:
      connection.delayFactor = chance.pick([5, 20])
      later(chance.double(5...60)) { connection.delayFactor = 1 }
    }
    guard kind != .linkSlow, chance.oneIn(3) else { return }
    // And there is no way for a while.
    let session = connection.session
    session.isReachable = false
    later(chance.pick([5, 60, 400])) { session.isReachable = true }
  }

  private func restartBroker(_ kind: FaultKind) {
    guard let broker, broker.isUp else { return }
    world.fault(kind.rawValue)
    if kind == .brokerRestart || chance.oneIn(4) { broker.save() }
    broker.kill()
    let remembers = kind == .brokerRestart || chance.oneIn(2)
    later(chance.pick([0.5, 5, 60, 300])) { if !broker.isUp { broker.start(remembers: remembers) } }
  }

  private func refuse(_ kind: FaultKind) {
    guard let broker else { return }
    world.fault(kind.rawValue)
    if kind == .brokerDenies {
      broker.denied = [chance.pick(["/location", "/geofence", "/shake", "/evicted"])]
      later(chance.pick([5, 60, 300])) { broker.denied = [] }
    } else {
      broker.isOverQuota = true
      later(chance.pick([1, 20, 120])) { broker.isOverQuota = false }
    }
  }

  // MARK: Nodes and their disks

  private func stop(_ node: SimulatedNode, _ kind: FaultKind) {
    guard node.isRunning else { return }
    switch kind {
    case .cutInDiskCall:
      guard node.spool != nil else { return }
      // Tells itself when it comes.
      chance.oneIn(2) ? cutSoon(node.disk) : cutAtNextChange(of: node.disk)
    case .cleanRestart:
      world.fault(kind.rawValue, node.name)
      node.restart()
    default:
      world.fault(kind.rawValue, node.name)
      node.die(cutsPower: kind == .powerCut)
    }
  }

  private func cutSoon(_ disk: SimulatedDisk) { disk.diesAfterCall = disk.calls + chance.int(1...12) }

  /// In the middle of what is rare: where files get other names or go, or just after.
  private func cutAtNextChange(of disk: SimulatedDisk) {
    let kind = chance.pick([DiskCall.Kind.rename, .unlink, .unlink, .truncate])
    let later = chance.int(0...3)
    disk.fault = { [unowned disk] call in
      guard call.kind == kind else { return nil }
      disk.diesAfterCall = call.number + later
      disk.fault = { _ in nil }
      return nil
    }
  }

  private func harm(_ node: SimulatedNode, _ kind: FaultKind) {
    guard node.spool != nil else { return }
    world.fault(kind.rawValue, node.name)
    let disk = node.disk
    switch kind {
    case .diskFull: disk.capacityBytes = disk.sizeBytes + chance.pick([0, 100, 5000])
    case .diskReadOnly: disk.isReadOnly = true
    case .diskSyncFails:
      var own = chance.fork()
      let often = chance.pick([1, 2, 10])
      disk.fault = { call in
        call.kind == .sync || call.kind == .syncDirectory ? (own.oneIn(often) ? EIO : nil) : nil
      }
    default: node.spool?.serviceS = 0.1...chance.pick([0.5, 3])
    }
    later(chance.pick([1, 30, 300])) { [unowned self] in mend(node) }
  }

  private func mend(_ node: SimulatedNode) {
    node.disk.capacityBytes = nil
    node.disk.isReadOnly = false
    node.disk.fault = { _ in nil }
    node.spool?.serviceS = 0.0002...0.004
  }

  // MARK: Time

  private func jump() {
    let errorS: Double? = chance.pick([400 * 86_400, -86_400, nil, 0, 0, 0.5])
    world.fault(FaultKind.clockJump.rawValue, errorS.map { "by \($0) s" } ?? "to 1970")
    if chance.oneIn(4) { return fleet.setClock(errorS: errorS ?? 0) }
    chance.pick(nodes).setClock(errorS: errorS, quality: chance.pick([.ntp, .rtc, .none]))
  }

  private func sleep(_ node: SimulatedNode) {
    guard node.isRunning else { return }
    let seconds: Double = chance.pick([3, 60, 600])
    world.fault(FaultKind.suspend.rawValue, "\(node.name) for \(seconds) s")
    node.sleep(seconds)
  }
}
