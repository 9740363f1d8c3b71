import DiskFaults
import NodeLogic
import Spool
import Telemetry
import Testing

@testable import Simulate

/// Three days without a broker, and a spool that is far too small for them: the node's own logic and the real spool, on
/// a disk in memory.
@Suite struct LongOutageTests {
  @Test func threeDaysFillTheSpoolAndNoMoreAndShakesGoLast() throws {
    var device = Device(capBytes: 500_000)
    let (outageS, shakeEveryS, fixEveryS) = (72 * 3600, 900, 45)
    for second in stride(from: fixEveryS, through: outageS, by: fixEveryS) {
      device.now = Instant(seconds: Double(second))
      device.hand(.gpsd(.report(device.fix(second))))
      if second % shakeEveryS == 0 { device.hand(.accelerometer(Surroundings.shake(until: device.now))) }
      device.rest()
    }
    #expect(device.largestBytes <= device.limits.capBytes + device.limits.segmentBytes)
    #expect(device.largestBytes > device.limits.capBytes / 2)

    device.connect()
    for _ in 0..<20_000 where !device.isDrained { device.pass(0.05) }
    #expect(device.isDrained)
    let made = device.lastSequence
    #expect(made > UInt64(outageS / fixEveryS), "\(made)")
    // Each number arrived, or was told as given up, and none was both.
    #expect(device.delivered.count + device.evicted.count == Int(made))
    #expect(device.delivered.isDisjoint(with: device.evicted))
    #expect(device.toldCount == device.evicted.count, "the counts are those of the numbers")
    let gone = Dictionary(grouping: device.evicted) { device.streams[$0] }.mapValues(\.count)
    #expect(gone[.location, default: 0] > 2000, "\(gone)")
    #expect(gone.keys.allSatisfy { $0 == .location || $0 == .orientation }, "shakes go last: \(gone)")
    let shakes = device.streams.values.count { $0 == .shake }
    #expect(shakes > outageS / shakeEveryS && device.shakes == shakes, "\(device.shakes) of \(shakes)")
  }
}

/// A node with its spool, where every wait is over at once.
private struct Device {
  let limits: SpoolLimits
  var now = Instant.start
  private let disk = SimulatedDisk()
  private var node: Node
  private var spool: SpoolCore<SimulatedDisk>
  private(set) var largestBytes = 0
  private(set) var delivered: Set<UInt64> = []
  private(set) var evicted: Set<UInt64> = []
  private(set) var toldCount = 0
  /// What each number was, as it was made.
  private(set) var streams: [UInt64: Telemetry.Stream] = [:]
  private(set) var shakes = 0
  private var inputs: [NodeInput] = []

  init(capBytes: Int) {
    limits = SpoolLimits(capBytes: capBytes, capAgeS: nil)
    var settings = NodeSettings()
    settings.healthIntervalS = 86_400
    var location = LocationTracker.Settings(distanceFilterM: 0, intervalS: 3600, maxAccuracyM: 0, lostAfterS: 600)
    location.maxSpeedMPS = 0
    location.maxAccelerationMPS2 = 0
    location.settleS = 0
    settings.location = location
    settings.motion = MotionSettings(.handheld)
    settings.outbox.hasSpool = true
    settings.outbox.spoolBytes = capBytes
    settings.outbox.delivery = .broker
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    node = Node(boot: BootID(7), settings, clock: clock)
    spool = SpoolCore(disk: disk, boot: 7, limits: limits)
    for report in spool.open(atS: 0) { hear(report) }
    hand(.gpsd(.link(.up(release: "3.22"))))
  }

  var lastSequence: UInt64 { max(delivered.max() ?? 0, evicted.max() ?? 0) }
  var isDrained: Bool { node.pendingEvents == 0 }

  /// Some metres from the one before.
  func fix(_ second: Int) -> GpsdReport {
    var position = GpsdPosition(device: "/dev/ttyS0", mode: 3)
    position.latitude = 47 + Double(second % 1000) * 1e-4
    position.longitude = 8
    position.ephM = 3
    position.time = WallTime(seconds: 1_800_000_000 + now.seconds)
    return .position(position)
  }

  mutating func connect() { hand(.link(isConnected: true)) }

  mutating func pass(_ seconds: Double) {
    now = now + seconds
    rest()
  }

  /// What is due by now.
  mutating func rest() {
    while let due = spool.nextDeadlineS, due <= now.seconds {
      let reports = spool.tick(atS: now.seconds)
      for report in reports { hear(report) }
      if reports.isEmpty { break }
    }
    hand(.tick)
    largestBytes = max(largestBytes, disk.sizeBytes)
  }

  /// One after the other: what follows from an input comes when all that it asks for is done.
  mutating func hand(_ input: NodeInput) {
    inputs.append(input)
    guard inputs.count == 1 else { return }
    var next = 0
    while next < inputs.count {
      take(inputs[next])
      next += 1
    }
    inputs = []
  }

  private mutating func take(_ input: NodeInput) {
    for effect in node.handle(input, at: now) {
      switch effect {
      case .publish(let outgoing): send(outgoing)
      case .spool(let wish):
        if case .append(let event, _, _) = wish { streams[event.sequence] = event.stream }
        let reports = spool.handle(SpoolRequest(wish), atS: now.seconds)
        largestBytes = max(largestBytes, disk.sizeBytes)
        for report in reports { hear(report) }
      case .log, .measureUsage, .keepAwake, .decided, .keep: break
      }
    }
  }

  private mutating func hear(_ report: SpoolReport) {
    if let word = report.word { hand(.spool(word)) }
  }

  /// The broker takes everything.
  private mutating func send(_ outgoing: Outgoing) {
    guard let token = outgoing.token, let sequence = outgoing.telegram.envelope.sequence else { return }
    delivered.insert(sequence)
    switch outgoing.telegram.body {
    case .shake: shakes += 1
    case .evicted(let message):
      for run in message.exactRuns ?? [] { evicted.formUnion(run) }
      toldCount += message.count ?? 0
    default: break
    }
    hand(.delivered(token))
  }
}
