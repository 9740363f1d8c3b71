import NodeLogic
import Telemetry
import Testing

/// A node's traffic without its samples: what goes out, when, and how large.
private struct Traffic {
  var budget: DataBudget
  var now = Instant.start
  var windowS = 10.0
  var changes: [DataBudget.Change] = []
  private var windowDue = 0.0
  private var healthDue = 300.0
  private var shakeDue: Double
  private let shakesPerDay: Double
  var largestStretch = 1.0

  init(limitMB: Double, shakesPerDay: Double, windowS: Double = 10) {
    budget = DataBudget(
      .init(limitBytes: limitMB * 1e6, topicBytes: 14, keepaliveS: 120, isEncrypted: true), at: .start)
    budget.setConnected(true, at: .start)
    self.windowS = windowS
    self.shakesPerDay = shakesPerDay
    shakeDue = shakesPerDay > 0 ? 86_400 / shakesPerDay : .infinity
  }

  var stretch: Double { budget.stretch(upTo: 3600 / windowS) }

  mutating func run(untilDay day: Double) {
    while now.seconds < day * 86_400 {
      now = Instant(seconds: min(windowDue, healthDue, shakeDue, day * 86_400))
      if now.seconds >= windowDue {
        send(.acceleration(Traffic.window))
        largestStretch = max(largestStretch, stretch)
        windowDue = now.seconds + min(windowS * stretch, 3600)
      }
      if now.seconds >= healthDue {
        send(.health(Traffic.health))
        healthDue += 300
      }
      if now.seconds >= shakeDue {
        for phase in [ShakeMessage.Phase.began, .ended] { send(.shake(Traffic.shake(phase))) }
        shakeDue += 86_400 / shakesPerDay
      }
    }
  }

  private mutating func send(_ body: Telegram.Body) {
    let telegram = Traffic.telegram(body, at: now)
    if let change = budget.charge(telegram, at: now) { changes.append(change) }
  }

  static func telegram(_ body: Telegram.Body, at now: Instant) -> Telegram {
    let sequence: UInt64? = body.stream.isEvent ? 4711 : nil
    return Telegram(
      Envelope(
        boot: BootID(0xc0ffee), sequence: sequence, time: WallTime(seconds: 1_796_011_510.24), clock: .ntp,
        uptime: 123_456.81), body)
  }

  static let window: AccelerationMessage = {
    var message = AccelerationMessage(
      windowS: 9.99, filter: .raw, meanG: Vector(0.00213, -0.01187, 0.99862), count: 999, missed: 1)
    message.rmsG = 0.004127
    message.peakG = 0.012904
    message.peakToPeakG = Vector(0.01563, 0.01172, 0.02344)
    message.rateHz = 99.871
    message.clipped = 0
    return message
  }()

  static let health: HealthMessage = {
    var message = HealthMessage(
      spool: .init(events: 0, bytes: 0, oldestS: nil, evicted: 0),
      link: .init(connects: 12, unacknowledged: 0, dropped: 34, refused: 0))
    var accelerometer = HealthMessage.Accelerometer(state: .running, gaps: 2, dropped: 0)
    accelerometer.rateHz = 99.871
    accelerometer.ageS = 0.012
    accelerometer.noiseMg = 1.234
    message.accelerometer = accelerometer
    var gps = HealthMessage.GPS(state: .fix, rejected: 3, badLines: 0)
    gps.ageS = 0.4
    gps.satellites = 9
    message.gps = gps
    message.residentKB = 8192
    message.processorS = 123.456
    return message
  }()

  static func shake(_ phase: ShakeMessage.Phase) -> ShakeMessage {
    ShakeEvent(
      id: 17, phase: phase, at: .s(100), start: .s(99), end: .s(100), peakG: 1.234567, energyG2S: 0.123456789,
      cavGS: 0.123456, frequencyHz: 4.567, reversals: 7, axis: .x
    ).message(
      clock: ClockState(wallAtStart: WallTime(seconds: 1_796_011_510), quality: .ntp),
      place: Place(latitude: 47.3768866, longitude: 8.541694, fixAgeS: 12.345))
  }
}

@Suite struct DataBudgetTests {
  @Test func aNoisyMonthStaysWithinTheBudgetAndUsesIt() {
    for limitMB in [20.0, 40, 60] {
      var traffic = Traffic(limitMB: limitMB, shakesPerDay: 40)
      traffic.run(untilDay: 29.999)
      let used = traffic.budget.usedBytes / 1e6
      #expect(used <= limitMB && used > 0.98 * limitMB, "\(used) MB of \(limitMB), stretched \(traffic.stretch)")
      #expect(traffic.changes == [.stretching], "it does not flap")
      #expect(traffic.stretch > 1)
    }
  }

  @Test func noThirtyDaysGoBeyondTheLimitThoughADayWasSaved() {
    var traffic = Traffic(limitMB: 40, shakesPerDay: 0, windowS: 3600)
    traffic.run(untilDay: 40)
    #expect(traffic.changes.isEmpty && traffic.stretch == 1, "an hour's windows are no strain")
    let before = traffic.budget.usedBytes
    traffic.windowS = 10
    traffic.run(untilDay: 69.9)
    #expect(traffic.budget.usedBytes <= 40e6)
    #expect(traffic.budget.usedBytes > before && traffic.changes == [.stretching])
  }

  @Test func enoughIsNotStretched() {
    var traffic = Traffic(limitMB: 500, shakesPerDay: 40)
    traffic.run(untilDay: 10)
    #expect(traffic.changes.isEmpty)
    #expect(traffic.largestStretch == 1)
  }

  @Test func eventsAndTheLinkAloneAreSaidToBeTooMuch() {
    var traffic = Traffic(limitMB: 5, shakesPerDay: 40)
    traffic.run(untilDay: 30)
    #expect(traffic.changes.prefix(2) == [.stretching, .exceeded])
    #expect((traffic.stretch - 360).magnitude < 1e-9, "an hour a window")
    #expect(traffic.budget.usedBytes > 5e6)
  }

  @Test func whenItIsQuietAgainWindowsAreAsConfiguredAgain() {
    var traffic = Traffic(limitMB: 40, shakesPerDay: 0)
    traffic.run(untilDay: 5)
    #expect(traffic.changes == [.stretching])
    traffic.windowS = 3600
    traffic.run(untilDay: 7)
    #expect(traffic.changes == [.stretching, .relaxed])
    #expect(traffic.stretch == 1)
  }

  @Test func whatIsUsedIsThatOfThirtyDays() {
    var traffic = Traffic(limitMB: 500, shakesPerDay: 0, windowS: 300)
    traffic.run(untilDay: 10)
    let tenDays = traffic.budget.usedBytes
    #expect(tenDays > 4e6)
    traffic.run(untilDay: 60)
    #expect((traffic.budget.usedBytes / tenDays - 3).magnitude < 0.11)
  }

  @Test func theStretchHasNoStepsAndEndsAtTheLongest() {
    var budget = DataBudget(.init(limitBytes: 31_000_000), at: .start)
    // The steps are as fine as a message is small against the reserve, which is whole after ten days.
    budget.setConnected(false, at: .s(10 * 86_400))
    #expect(budget.stretch(upTo: 360) == 1)
    var last = 1.0
    for second in 0..<3000 {
      _ = budget.charge(Traffic.telegram(.acceleration(Traffic.window), at: .start), at: .s(0.001 * Double(second)))
      let stretch = budget.stretch(upTo: 360)
      #expect(stretch >= last && stretch < last * 1.01)
      last = stretch
    }
    #expect((last - 360).magnitude < 1e-9)
    #expect(budget.stretch(upTo: 0.5) == 1, "windows of an hour and more are as long as they get")
  }

  @Test(arguments: [1.0, 10])
  func aNodeThatLosesItsPowerEveryHourStaysNearItsLimit(windowS: Double) {
    var used = 0.0
    for _ in 0..<24 {
      var traffic = Traffic(limitMB: 40, shakesPerDay: 0, windowS: windowS)
      traffic.run(untilDay: 1.0 / 24)
      used += traffic.budget.usedBytes
    }
    #expect(used < 2.3 * 40e6 / 30.75, "\(used) bytes in a day of 24 starts")
  }

  @Test func atAStartAlreadyWhatFitsIntoTheLimitIsNotStretched() {
    // 95 % of the limit in windows of a quarter of a minute, from the first minute on.
    var traffic = Traffic(limitMB: 500, shakesPerDay: 0, windowS: 15)
    traffic.run(untilDay: 1)
    var fitting = Traffic(limitMB: traffic.budget.usedBytes * 30.75 / 0.95 / 1e6, shakesPerDay: 0, windowS: 15)
    fitting.run(untilDay: 29)
    #expect(fitting.changes.isEmpty && fitting.largestStretch == 1)
  }

  @Test func anotherLimitKeepsWhatIsOwed() {
    var traffic = Traffic(limitMB: 40, shakesPerDay: 0)
    traffic.run(untilDay: 3)
    let (used, stretch) = (traffic.budget.usedBytes, traffic.stretch)
    traffic.budget.reconfigure(.init(limitBytes: 80e6, topicBytes: 14, isEncrypted: true))
    #expect(traffic.budget.usedBytes == used)
    #expect((traffic.stretch - stretch).magnitude < 1e-9 * stretch)
    traffic.run(untilDay: 8)
    #expect(traffic.stretch < stretch)
  }

  @Test func theTimeMayLeapAndDoesNotRunBackwards() {
    var budget = DataBudget(.init(limitBytes: 1e6), at: .s(100))
    let telegram = Traffic.telegram(.acceleration(Traffic.window), at: .start)
    _ = budget.charge(telegram, at: .s(50))
    let one = budget.usedBytes
    _ = budget.charge(telegram, at: .s(1e12))
    #expect(budget.usedBytes == one, "a month later only the last message counts")
  }

  /// The figures that people plan with, at the defaults and without positions [bytes a day].
  @Test(arguments: [
    (10.0, false, 2_215_584.0, 3_600_000.0), (300, false, 177_696, 410_000), (10, true, 2_215_584, 3_833_000),
    (300, true, 177_696, 459_000),
  ])
  func aDayComesToAFewMegabytesWhileItMovesAndAFewHundredKilobytesAtRest(
    windowS: Double, isEncrypted: Bool, payload: Double, wire: Double
  ) {
    var budget = DataBudget(.init(limitBytes: 1e12, topicBytes: 14, isEncrypted: isEncrypted), at: .start)
    budget.setConnected(true, at: .start)
    var bytes = 0.0
    for (body, everyS) in [(Telegram.Body.acceleration(Traffic.window), windowS), (.health(Traffic.health), 300)] {
      let telegram = Traffic.telegram(body, at: .start)
      bytes += 86_400 / everyS * Double(telegram.encode().count)
      for _ in 0..<Int(86_400 / everyS) { _ = budget.charge(telegram, at: .start) }
    }
    // The last moment of the day, for the pings; and one message more than counted.
    _ = budget.charge(Traffic.telegram(.acceleration(Traffic.window), at: .start), at: .s(86_399))
    #expect((bytes / payload - 1).magnitude < 0.01)
    #expect((budget.usedBytes / wire - 1).magnitude < 0.01)
  }
}
