import DiskFaults
import NodeLogic
import Spool

/// The spool of one run of a node, on a thread of its own as far as time goes: requests wait, take a while, and are
/// answered later.
final class SpoolWorker {
  /// Requests that the spool's thread lets wait: `SpoolThread`'s own.
  private static let capacity = 1024

  unowned let world: World
  let disk: SimulatedDisk
  private(set) var core: SpoolCore<WatchedDisk>
  private var waiting: [SpoolRequest] = []
  private var isBusy = false
  private var isEnded = false
  private var ticksAtS = Double.infinity
  private var chance: Chance
  /// The spool's clock, which stands while the machine sleeps [s].
  private let clockS: () -> Double
  /// How long the machine sleeps still [s].
  var pauseS: () -> Double = { 0 }
  /// What it says, in order.
  var tell: (SpoolReport) -> Void = { _ in }
  /// The disk died in the middle of a call.
  var died: () -> Void = {}
  /// How long the disk takes [s].
  var serviceS: ClosedRange<Double> = 0.0002...0.004
  /// Requests that waited at once, at the most.
  private(set) var mostWaiting = 0

  init(
    _ world: World, _ disk: SimulatedDisk, boot: UInt32, limits: SpoolLimits, chance: Chance,
    clockS: @escaping () -> Double
  ) {
    self.world = world
    self.disk = disk
    self.chance = chance
    self.clockS = clockS
    core = SpoolCore(disk: WatchedDisk(disk, world.plan.mutation), boot: boot, limits: limits)
  }

  func start() {
    isBusy = true
    world.after(chance.double(0.001...0.1), "spool opens") { [weak self] in
      self?.work { spool in spool.core.open(atS: spool.clockS()) }
    }
  }

  func offer(_ request: SpoolRequest) {
    waiting.append(request)
    mostWaiting = max(mostWaiting, waiting.count)
    world.expect(waiting.count <= SpoolWorker.capacity, .memory, "\(waiting.count) requests wait for the spool")
    if !isBusy { serve() }
  }

  /// The program is gone.
  func end() { isEnded = true }

  /// Everything that waits is carried out at once, and then the spool ends in order.
  func stop() {
    let requests = waiting + [.stop]
    waiting = []
    for request in requests where !isEnded {
      let reports = core.handle(request, atS: clockS())
      if disk.isDead { return died() }
      for report in reports { tell(report) }
    }
  }

  private func serve() {
    isBusy = true
    world.after(chance.double(serviceS), "spool works") { [weak self] in
      guard let self, !isEnded else { return }
      guard !waiting.isEmpty else { return rest() }
      let requests = Array(waiting.prefix(16))
      waiting.removeFirst(requests.count)
      work { spool in
        var reports: [SpoolReport] = []
        for request in requests where !spool.disk.isDead {
          reports += spool.core.handle(request, atS: spool.clockS())
        }
        return reports
      }
    }
  }

  private func work(_ body: (SpoolWorker) -> [SpoolReport]) {
    guard !isEnded else { return }
    let reports = body(self)
    if disk.isDead { return died() }
    if !reports.isEmpty {
      world.after(chance.double(0...0.002), "spool tells") { [weak self] in
        for report in reports {
          guard let self, !isEnded else { return }
          tell(report)
        }
      }
    }
    rest()
  }

  private func rest() {
    isBusy = false
    if !waiting.isEmpty { return serve() }
    guard let nextS = core.nextDeadlineS else { return }
    // A wait never ends before its time, as rounding here may.
    let delayS = max(0, nextS - clockS()) + 1e-5 + pauseS()
    let atS = world.nowS + delayS
    guard atS < ticksAtS - 1e-9 || ticksAtS <= world.nowS else { return }
    ticksAtS = atS
    world.after(delayS, "spool ticks") { [weak self] in
      guard let self, !isEnded, ticksAtS == atS else { return }
      ticksAtS = .infinity
      // A request that is being served lets it tick afterwards.
      if isBusy { return }
      work { spool in spool.core.tick(atS: spool.clockS()) }
    }
  }
}
