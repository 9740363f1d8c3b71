import NodeLogic
import Telemetry
import Testing

/// A node with fences: what it publishes, and what it keeps over a restart.
@Suite struct NodeGeofenceTests {
  private static let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)

  /// A node on a drive to the east at 10 m/s through a circle of 100 m around 47 N 8 E.
  private struct Drive {
    var node: Node
    var effects: [NodeEffect] = []
    var now = Instant.start
    /// The broker acknowledges whatever it gets.
    var isAcknowledged = false
    /// The receiver gives no time.
    var isSilentOnTime = false

    init(_ record: LocationRecord? = nil, fences: [Geofence]? = nil, clock: ClockState = NodeGeofenceTests.clock) throws
    {
      var settings = NodeSettings()
      settings.location = LocationTracker.Settings()
      settings.location?.fences = try fences ?? [GeofenceFixture.circle()]
      node = Node(boot: BootID(7), settings, clock: clock, record: record)
      hand(.gpsd(.link(.up(release: "3.22"))), at: .start)
    }

    mutating func hand(_ input: NodeInput, at now: Instant) {
      self.now = now
      let new = node.handle(input, at: now)
      effects += new
      guard isAcknowledged else { return }
      for case .publish(let outgoing) in new {
        if let token = outgoing.token { hand(.delivered(token), at: now) }
      }
    }

    /// From now on there is a broker that acknowledges everything.
    mutating func connect(at now: Instant) {
      isAcknowledged = true
      hand(.link(isConnected: true), at: now)
    }

    /// At one place east of the middle, or on the way from one to another, at 10 m/s.
    mutating func go(from: Double, to: Double, seconds: Int, at start: Double) throws {
      for second in 0..<seconds {
        let east = from + (to - from) * Double(second) / Double(seconds)
        var report = GpsdPosition(device: "/dev/a", mode: 3)
        let place = try GeofenceTests.near(east: east, north: 0)
        (report.latitude, report.longitude, report.ephM) = (place.latitude, place.longitude, 4)
        report.speedMPS = from == to ? 0 : 10
        report.time = isSilentOnTime ? nil : WallTime(seconds: 1_800_000_000 + start + Double(second))
        hand(.gpsd(.report(.position(report))), at: Instant(seconds: start + Double(second)))
        hand(.tick, at: Instant(seconds: start + Double(second) + 0.4))
      }
    }

    var telegrams: [Telegram] {
      effects.compactMap { if case .publish(let outgoing) = $0 { outgoing.telegram } else { nil } }
    }

    var crossings: [(Envelope, GeofenceMessage)] {
      telegrams.compactMap { if case .geofence(let message) = $0.body { ($0.envelope, message) } else { nil } }
    }

    var records: [LocationRecord] {
      effects.compactMap { if case .keep(let record) = $0 { record } else { nil } }
    }
  }

  @Test func crossingsAreEventsThatSurviveAnOutage() throws {
    var drive = try Drive()
    try drive.go(from: -400, to: 400, seconds: 80, at: 0)
    #expect(drive.crossings.isEmpty, "there is no connection")
    drive.hand(.link(isConnected: true), at: Instant(seconds: 100))
    for second in 101..<160 {
      for sequence in drive.telegrams.compactMap(\.envelope.sequence) {
        drive.hand(.delivered(sequence), at: Instant(seconds: Double(second)))
      }
      drive.hand(.tick, at: Instant(seconds: Double(second) + 0.5))
    }
    let crossings = drive.crossings
    try #require(crossings.map(\.1.event) == [.enter, .leave])
    #expect(crossings.allSatisfy { $0.1.fence == "depot" && !$0.1.isFirst })
    #expect(crossings.allSatisfy { $0.0.sequence != nil })
    // Their times are those of the crossings.
    let times = crossings.compactMap(\.0.uptime)
    #expect((30...38).contains(times[0]) && (50...58).contains(times[1]), "\(times)")
    #expect(((crossings[1].1.insideS ?? 0) - times[1] + times[0]).magnitude < 1e-6)
    let notes = drive.effects.compactMap { if case .log(let note) = $0 { note.text } else { nil } }
    #expect(notes.contains { $0.hasPrefix("geofence: entered 'depot', ") })
  }

  @Test func eachCrossingIsKeptAsSoonAsTheBrokerHasIt() throws {
    var drive = try Drive()
    drive.connect(at: .start)
    try drive.go(from: -400, to: 400, seconds: 80, at: 0)
    #expect(drive.records.map(\.fences.count) == [1, 0])
    let since = try #require(drive.records.first?.fences.first?.since)
    #expect((30...38).contains(since.seconds - 1_800_000_000), "\(since)")
  }

  @Test func crossingThatNobodyHasIsFoundAgainAfterAPowerCut() throws {
    var before = try Drive()
    try before.go(from: -400, to: 0, seconds: 40, at: 0)
    before.hand(.stop, at: Instant(seconds: 50))
    let record = try #require(before.records.last)
    #expect(record.fences == [], "the enter waits in memory, and is gone with it")
    #expect(record.odometer.totalM > 300)
    var drive = try Drive(record)
    drive.connect(at: .start)
    try drive.go(from: 0, to: 0, seconds: 60, at: 1)
    #expect(drive.crossings.map(\.1.event) == [.enter])
    #expect(drive.crossings.first?.1.isFirst == true)
    #expect(drive.records.last?.fences.map(\.name) == ["depot"])
  }

  @Test(arguments: [(200.0, 1_000_000...1_000_060.0), (1000, 0...60)])
  func aPauseWithoutPowerBeginsATripWhenItIsLong(pauseS: Double, tripM: ClosedRange<Double>) throws {
    let kept = LocationRecord(
      boot: BootID(1), odometer: Odometer(totalM: 2_000_000, tripM: 1_000_000),
      written: WallTime(seconds: 1_800_000_000 - pauseS))
    var drive = try Drive(kept, fences: [], clock: ClockState(wallAtStart: WallTime(seconds: 5), quality: .none))
    drive.connect(at: .start)
    // The receiver says what time it is.
    try drive.go(from: 0, to: 0, seconds: 40, at: 0)
    try drive.go(from: 0, to: 60, seconds: 6, at: 40)
    drive.hand(.stop, at: Instant(seconds: 47))
    let odometer = try #require(drive.records.last).odometer
    #expect(tripM.contains(odometer.tripM), "\(odometer)")
    #expect(odometer.totalM > 2_000_000)
    #expect(drive.records.last?.written != nil)
  }

  /// The time is known only on the way: a stop of two minutes and a half is no end of the trip.
  @Test func aPauseThatIsToldTooLateEndsNoTrip() throws {
    let kept = LocationRecord(
      boot: BootID(1), odometer: Odometer(totalM: 2_000_000, tripM: 1_000_000),
      written: WallTime(seconds: 1_800_000_000 - 1000))
    var drive = try Drive(kept, fences: [], clock: ClockState(wallAtStart: WallTime(seconds: 5), quality: .none))
    drive.isSilentOnTime = true
    drive.connect(at: .start)
    try drive.go(from: 0, to: 600, seconds: 60, at: 1)
    drive.hand(.clock(Self.clock), at: Instant(seconds: 62))
    try drive.go(from: 600, to: 600, seconds: 150, at: 63)
    try drive.go(from: 600, to: 700, seconds: 10, at: 213)
    drive.hand(.stop, at: Instant(seconds: 224))
    let odometer = try #require(drive.records.last).odometer
    #expect(odometer.tripM > 1_000_000, "\(odometer)")
  }

  @Test func restartInsideTellsNothingAndLeavingTellsHowLong() throws {
    var before = try Drive()
    before.connect(at: .start)
    try before.go(from: -400, to: 0, seconds: 40, at: 0)
    before.hand(.stop, at: Instant(seconds: 50))
    let record = try #require(before.records.last)
    #expect(record.odometer.totalM > 300)

    var clock = Self.clock
    clock.wallAtStart = clock.wallAtStart + 1000
    var drive = try Drive(record, clock: clock)
    drive.hand(.link(isConnected: true), at: .start)
    try drive.go(from: 0, to: 0, seconds: 200, at: 1)
    #expect(drive.crossings.isEmpty)
    #expect(drive.records.isEmpty, "nothing has changed")
    try drive.go(from: 0, to: 400, seconds: 40, at: 201)
    let leave = try #require(drive.crossings.first?.1)
    #expect(drive.crossings.count == 1)
    #expect(leave.event == .leave)
    #expect((1170...1200).contains(leave.insideS ?? 0), "\(leave)")
    let odometerM = drive.telegrams.compactMap {
      if case .location(.fixed(let position)) = $0.body { position.odometerM } else { nil }
    }
    #expect((odometerM.first ?? 0) == record.odometer.totalM)
  }

  /// A node that stands costs no write, one that drives one in ten minutes.
  @Test func recordIsWrittenAtMostEveryTenMinutesOnTheRoad() throws {
    var drive = try Drive(fences: [])
    try drive.go(from: 0, to: 0, seconds: 3600, at: 0)
    #expect(drive.records.isEmpty)
    drive = try Drive(fences: [])
    try drive.go(from: 0, to: 72_000, seconds: 7200, at: 0)
    #expect((11...12).contains(drive.records.count), "\(drive.records.count)")
    let written = drive.records.map { $0.encode().count }
    #expect(written.allSatisfy { $0 < 120 })
    drive.hand(.stop, at: Instant(seconds: 7300))
    #expect((71_000...72_500).contains(drive.records.last?.odometer.totalM ?? 0))
  }

  @Test func locationSwitchedOffAndOnGoesOn() throws {
    var drive = try Drive()
    try drive.go(from: -400, to: 0, seconds: 40, at: 0)
    let settings = drive.node.settings
    var without = settings
    without.location = nil
    drive.effects += drive.node.reconfigure(without, at: Instant(seconds: 50))
    let odometer = try #require(drive.records.last).odometer
    drive.effects += drive.node.reconfigure(settings, at: Instant(seconds: 60))
    drive.hand(.gpsd(.link(.up(release: "3.22"))), at: Instant(seconds: 61))
    drive.connect(at: Instant(seconds: 61))
    try drive.go(from: 0, to: 0, seconds: 20, at: 62)
    #expect(drive.crossings.map(\.1.event) == [.enter], "the one from before")
    #expect(odometer.totalM > 300)
    drive.hand(.stop, at: Instant(seconds: 90))
    #expect(drive.records.last?.odometer == odometer)
  }

  @Test func theRecordGoesToAnotherFileThoughNothingChanged() {
    var settings = NodeSettings()
    settings.location = LocationTracker.Settings()
    let record = LocationRecord(boot: BootID(1), odometer: Odometer(totalM: 5000, tripM: 10))
    var node = Node(boot: BootID(2), settings, clock: Self.clock, record: record)
    let effects = node.keepAnew(at: Instant(seconds: 600))
    #expect(effects == [.keep(record)])
  }
}
