/// What a run is like: drawn from its seed alone.
struct Plan {
  /// Where an event's duty ends.
  enum Delivery { case auto, broker, fleet }

  var nodes: Int
  /// How long things go wrong, and how long they are left alone afterwards [s].
  var troubleS: Double
  var quietS: Double
  /// After the trouble life goes on for so long, and then nothing new is measured [s].
  var aftermathS = 600.0
  var delivery: Delivery
  /// Reason codes in PUBACK: MQTT 5.
  var isVersion5: Bool
  var keepaliveS: Double
  /// The spool's cap; nil: no spool, events wait in memory.
  var capBytes: Int?
  var capAgeS: Double?
  var memoryBytes: Int
  var hasWaveforms: Bool
  /// From one fix to the next [s], on average.
  var fixS: Double
  /// From one shake to the next [s], on average.
  var shakeS: Double
  /// From one fault of each kind to the next [s], on average; nil: there is none of this kind.
  var faults: [FaultKind: Double]
  /// The fleet tool's session outlasts its connection.
  var fleetSessionPersists: Bool
  /// How many messages the broker keeps for a client that is away.
  var brokerQueue: Int
  /// One way over the network [s].
  var delayS: ClosedRange<Double>
  /// The fleet tool is not there at all for the first part of the run [s].
  var fleetAbsentS: Double

  /// A rule that is broken on purpose.
  var mutation: Mutation?

  init(seed: UInt64) {
    var chance = Chance(seed: seed ^ 0x5EED_0F_A_91A9)
    nodes = chance.pick([1, 1, 2])
    troubleS = chance.pick([600, 1800, 3600])
    quietS = 7200
    delivery = chance.pick([.auto, .fleet, .fleet, .auto, .broker])
    isVersion5 = !chance.oneIn(3)
    keepaliveS = chance.pick([15, 60])
    capBytes = chance.oneIn(8) ? nil : chance.pick([65_536, 98_304, 262_144, 4_000_000, 32_000_000])
    capAgeS = chance.oneIn(5) ? chance.pick([300, 1200]) : nil
    memoryBytes = chance.pick([20_000, 100_000, 1_000_000])
    hasWaveforms = chance.oneIn(6)
    fixS = chance.pick([1, 5, 15])
    shakeS = chance.pick([60, 300])
    fleetSessionPersists = !chance.oneIn(3)
    brokerQueue = chance.pick([20, 100, 1000])
    delayS = chance.pick([0.001...0.01, 0.02...0.2, 0.1...0.6])
    fleetAbsentS = chance.oneIn(4) ? chance.double(60...1500) : 0
    faults = [:]
    for kind in FaultKind.allCases where !chance.oneIn(3) { faults[kind] = chance.pick(kind.meansS) }
  }

  /// The same within some minutes, for tests that must not take long.
  mutating func shorten() {
    let factor = 240 / troubleS
    troubleS = 240
    aftermathS = 150
    fleetAbsentS *= factor
    fixS = min(fixS, 5)
    for (kind, meanS) in faults { faults[kind] = max(15, meanS * factor) }
  }
}

/// What goes wrong.
enum FaultKind: String, CaseIterable {
  case linkReset, linkBlackHole, linkHalfOpen, linkSlow
  case brokerKill, brokerRestart, brokerDenies, brokerQuota
  case nodeKill, powerCut, cutInDiskCall, cleanRestart
  case diskFull, diskReadOnly, diskSyncFails, diskSlow
  case fleetKill, fleetRestart
  case clockJump, suspend, sessionFull

  /// How far apart they may be on average [s].
  var meansS: [Double] {
    switch self {
    case .linkReset, .linkSlow, .sessionFull: [20, 120, 600]
    case .cutInDiskCall, .powerCut, .nodeKill, .fleetKill: [60, 300, 900]
    case .diskFull, .diskReadOnly, .diskSyncFails, .diskSlow: [120, 600]
    default: [120, 600, 1800]
    }
  }
}
