import DiskFaults
import NodeLogic
import Spool
import SpoolWords
import Telemetry
import Testing

@testable import Simulate

/// Three days without a broker, and a spool that is far too small for them: the node's own logic and the real spool, on
/// a disk in memory.
@Suite struct LongOutageTests {
  private static let (outageS, shakeEveryS, fixEveryS) = (72 * 3600, 900, 45)

  /// What tells of losses is given up itself, many times over; by size, and by age.
  @Test(arguments: [SpoolLimits(capBytes: 65_536, capAgeS: nil), SpoolLimits(capBytes: 500_000, capAgeS: 7200)])
  func whatIsToldOfLossesOutlastsBeingGivenUp(limits: SpoolLimits) {
    var device = Device(limits)
    device.live(Self.outageS, fixEveryS: Self.fixEveryS, shakeEveryS: Self.shakeEveryS)
    device.connect()
    device.drain()
    let gone = device.evicted.reduce(into: [Telemetry.Stream: Int]()) { $0[device.streams[$1]!, default: 0] += 1 }
    #expect(gone[.evicted, default: 0] > 10 && gone[.shake, default: 0] > 100, "\(gone)")
    #expect(device.delivered.count + device.evicted.count == device.streams.count)
    #expect(device.delivered.isDisjoint(with: device.evicted))
    #expect(device.toldCount == device.evicted.count && device.toldCounts == gone)
    #expect(device.largestBytes <= limits.capBytes + limits.segmentBytes)
  }

  /// Else the test before says nothing.
  @Test func itIsNoticedWhereThatIsForgotten() {
    var device = Device(SpoolLimits(capBytes: 65_536, capAgeS: nil))
    device.dropsTellings = true
    device.live(Self.outageS, fixEveryS: Self.fixEveryS, shakeEveryS: Self.shakeEveryS)
    device.connect()
    device.drain()
    #expect(device.delivered.count + device.evicted.count < device.streams.count)
  }

  @Test func threeDaysFillTheSpoolAndNoMoreAndShakesGoLast() throws {
    var device = Device(capBytes: 500_000)
    device.live(Self.outageS, fixEveryS: Self.fixEveryS, shakeEveryS: Self.shakeEveryS)
    device.connect()
    device.drain()
    let made = device.lastSequence
    #expect(made > UInt64(Self.outageS / Self.fixEveryS), "\(made)")
    // Each number arrived, or was told as given up, and none was both.
    #expect(device.delivered.count + device.evicted.count == Int(made))
    #expect(device.delivered.isDisjoint(with: device.evicted))
    #expect(device.toldCount == device.evicted.count, "the counts are those of the numbers")
    #expect(device.largestBytes <= device.limits.capBytes + device.limits.segmentBytes)
    #expect(device.largestBytes > device.limits.capBytes / 2)
    let gone = Dictionary(grouping: device.evicted) { device.streams[$0] }.mapValues(\.count)
    #expect(gone[.location, default: 0] > 2000, "\(gone)")
    #expect(gone.keys.allSatisfy { $0 == .location || $0 == .orientation }, "shakes go last: \(gone)")
    let shakes = device.streams.values.count { $0 == .shake }
    #expect(shakes > Self.outageS / Self.shakeEveryS && device.shakes == shakes, "\(device.shakes) of \(shakes)")
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

  /// What given-up events told of losses does not reach the node.
  var dropsTellings = false
  private(set) var toldCounts: [Telemetry.Stream: Int] = [:]

  init(capBytes: Int) { self.init(SpoolLimits(capBytes: capBytes, capAgeS: nil)) }

  init(_ limits: SpoolLimits) {
    self.limits = limits
    var settings = NodeSettings()
    settings.healthIntervalS = 86_400
    var location = LocationTracker.Settings(distanceFilterM: 0, intervalS: 3600, maxAccuracyM: 0, lostAfterS: 600)
    location.maxSpeedMPS = 0
    location.maxAccelerationMPS2 = 0
    location.settleS = 0
    settings.location = location
    settings.motion = MotionSettings(.handheld)
    settings.outbox.hasSpool = true
    settings.outbox.spoolBytes = limits.capBytes
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

  /// Moves and is shaken now and then, without a link.
  mutating func live(_ seconds: Int, fixEveryS: Int, shakeEveryS: Int) {
    for second in stride(from: fixEveryS, through: seconds, by: fixEveryS) {
      now = Instant(seconds: Double(second))
      hand(.gpsd(.report(fix(second))))
      if second % shakeEveryS == 0 { hand(.accelerometer(Surroundings.shake(until: now))) }
      rest()
    }
  }

  mutating func drain() {
    for _ in 0..<20_000 where !isDrained { pass(0.05) }
    #expect(isDrained)
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
        guard let request = SpoolRequest(wish, originS: 0) else { continue }
        let reports = spool.handle(request, atS: now.seconds)
        largestBytes = max(largestBytes, disk.sizeBytes)
        for report in reports { hear(report) }
      case .log, .measureUsage, .keepAwake, .decided, .keep, .set: break
      }
    }
  }

  private mutating func hear(_ report: SpoolReport) {
    guard let word = SpoolWord(report, folder: "spool") else { return }
    hand(.spool(dropsTellings ? word.withoutTellings : word))
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
      toldCounts.merge(message.counts) { $0 + $1 }
    default: break
    }
    hand(.delivered(token))
  }
}

extension SpoolWord {
  /// The same without what given-up events told.
  fileprivate var withoutTellings: SpoolWord {
    switch self {
    case .evicted(var eviction):
      eviction.tellings = []
      return .evicted(eviction)
    case .opened(var contents):
      for index in contents.evictions.indices { contents.evictions[index].tellings = [] }
      return .opened(contents)
    default: return self
    }
  }
}
