import Telemetry

/// Messages with every field set, and with as few as the contract allows.
enum Examples {
  static let event = Envelope(
    boot: BootID(0xC0FFEE), sequence: 7, time: WallTime(seconds: 1_796_011_500.125), clock: .ntp, uptime: 12.5)

  static let notice = Envelope(
    boot: BootID(0xC0FFEE), time: WallTime(seconds: 1_796_011_500.125), clock: .rtc, uptime: 12.5)

  static let full: [Telegram] = [
    Telegram(notice, .status(status)),
    Telegram(notice, .acceleration(acceleration)),
    Telegram(event, .shake(shake)),
    Telegram(
      event,
      .orientation(OrientationMessage(face: .xDown, previous: .zUp, tiltDeg: 90.25, up: Vector(-1, 0.0044, 0)))),
    Telegram(event, .location(.fixed(position))),
    Telegram(event, .location(.lost(loss))),
    Telegram(notice, .health(health)),
    Telegram(event, .waveform(waveform)),
    Telegram(event, .impact(impact)),
    Telegram(event, .freeFall(freeFall)),
    Telegram(notice, .reply(reply)),
    Telegram(event, .geofence(geofence)),
    Telegram(event, .evicted(evicted)),
  ]

  static let sparse: [Telegram] = [
    Telegram(Envelope(boot: BootID(1)), .status(StatusMessage(.lost))),
    Telegram(notice, .status(StatusMessage(.stopped))),
    Telegram(
      notice,
      .acceleration(AccelerationMessage(windowS: 0, filter: .raw, meanG: Vector(0, 0, 1), count: 1, missed: 0))),
    Telegram(
      event,
      .shake(
        ShakeMessage(
          id: 1, phase: .began, start: WallTime(seconds: 1_796_011_500), durationS: 0.125, peakG: 0.001,
          energyG2S: 0.0000001, cavGS: 0.0001, reversals: 0, axis: .y))),
    Telegram(
      event,
      .waveform(
        WaveformMessage(
          id: 1, chunk: 0, isLast: false, start: WallTime(seconds: 1_796_011_500), periodS: 0, unitG: 0.001, x: [0],
          y: [0], z: [1000]))),
    Telegram(
      event,
      .impact(
        ImpactMessage(
          id: 1, start: WallTime(seconds: 1_796_011_500), peakG: 3, durationS: 0.01, velocityChangeMPS: 0.125,
          axis: .x))),
    Telegram(
      event,
      .freeFall(FreeFallMessage(id: 1, start: WallTime(seconds: 1_796_011_500), durationS: 0.125, dropM: 0.077))),
    Telegram(notice, .reply(ReplyMessage(id: nil, nil, isDone: true))),
    Telegram(
      event,
      .location(.fixed(LocationMessage.Position(dimensions: 2, latitude: 0, longitude: 0, ageS: 0, cause: .first)))),
    Telegram(event, .location(.lost(LocationMessage.Loss(reason: .gpsdGone, last: nil)))),
    Telegram(event, .geofence(GeofenceMessage(fence: "a", .enter, latitude: 0, longitude: 0, ageS: 0, edgeM: 0))),
    Telegram(event, .evicted(EvictedMessage(first: 3, last: 3, count: nil, .damaged))),
    Telegram(
      notice,
      .health(
        HealthMessage(
          spool: HealthMessage.Spool(events: 0, bytes: 0, oldestS: nil, evicted: 0),
          link: HealthMessage.Link(connects: 1, unacknowledged: 0, dropped: 0, refused: 0)))),
  ]

  static var status: StatusMessage {
    var message = StatusMessage(.online)
    message.agent = softwareVersion
    message.accelerometer = "lis3dh"
    message.source = "iio"
    message.rateHz = 99.5
    message.windowS = 10
    message.preset = "fixed"
    message.isArmed = false
    message.gpsd = "[::1]:2947"
    message.healthIntervalS = 300
    message.set = ["shake.on_g=0.9", "acceleration.filter=\"user\""]
    return message
  }

  static var acceleration: AccelerationMessage {
    var message = AccelerationMessage(
      windowS: 9.99, filter: .user, meanG: Vector(-0.00001, 0.5, 16), count: 999, missed: 1)
    message.rmsG = 0.001234
    message.peakG = 2.5
    message.peakToPeakG = Vector(0.25, 0, 0.125)
    message.rateHz = 99.875
    message.clipped = 3
    message.measures.crest = 4.125
    message.measures.unweightedDoseMPS175 = 0.012345
    message.measures.cavGS = 0.25
    message.measures.velocityIndicatorMMPS = Vector(0.125, 12.5, 0)
    message.measures.velocityIndicatorHz = Vector(12.5, 1, 80)
    message.measures.kurtosis = 3.125
    message.measures.lowBandG = 0.000125
    message.measures.midBandG = 0.5
    message.measures.highBandG = 1
    message.samples = [Vector(0.5, -0.00001, 1), Vector(0, 0, 16)]
    message.samplePeriodS = 0.040000001
    return message
  }

  static let waveform = WaveformMessage(
    id: 3, chunk: 2, isLast: true, start: WallTime(seconds: 1_796_011_490.5), periodS: 0.009998875, unitG: 0.000122,
    x: [0, -32768], y: [1, 2_147_483_647], z: [8192, -2_147_483_648])

  static let impact = ImpactMessage(
    id: 2, start: WallTime(seconds: 1_796_011_499.75), peakG: 15.875, durationS: 0.00875, velocityChangeMPS: 1.375,
    axis: .z, isClipped: true, fallS: 0.25, place: shake.place)

  static let freeFall = FreeFallMessage(
    id: 1, start: WallTime(seconds: 1_796_011_499.5), durationS: 0.25, dropM: 0.306, place: shake.place)

  static var reply: ReplyMessage {
    var reply = ReplyMessage(
      id: "a7", .live, isDone: false, reason: "expired", until: WallTime(seconds: 1_796_011_560.5))
    reply.change = ReplyMessage.Change("shake.on_g", from: .number(0.7), to: .number(0.9), isKept: true)
    var rest = RestFigures(
      durationS: 30.1, samples: 3009, rateHz: 99.875, meanG: Vector(0.01234, -0.5, 0.99876),
      noiseMg: Vector(0.8125, 0.79, 1.0625), inBandMg: 0.6875)
    rest.missed = 2
    rest.clipped = 1
    rest.face = .zUp
    rest.tiltDeg = 1.25
    reply.rest = rest
    reply.note = "nothing to do"
    return reply
  }

  static var command: CommandMessage {
    var command = CommandMessage(
      id: "a7", .set, forS: 60, setting: CommandMessage.Setting("shake.on_g", .number(0.9)),
      expires: WallTime(seconds: 1_796_011_560.5))
    command.author = "ann@desk"
    return command
  }

  static var control: ControlMessage {
    var message = ControlMessage(
      id: "f1", .wish, author: "ann@desk", time: WallTime(seconds: 1_796_011_560.5),
      expires: WallTime(seconds: 1_796_011_570.5))
    message.comment = "works"
    message.matchers = ControlMessage.Matchers(rule: "shake", node: "pump-7")
    message.matchers.site = "north"
    message.matchers.group = "pumps"
    message.matchers.severity = "warning"
    message.matchers.kind = "shake"
    message.isForAll = true
    message.start = WallTime(seconds: 1_796_011_560.5)
    message.end = WallTime(seconds: 1_796_011_660.5)
    message.durationS = 100.5
    message.target = "e4"
    message.command = ControlMessage.NodeCommand(.set, forS: 60, setting: .init("shake.on_g", .number(0.9)))
    return message
  }

  static let controlReply = ControlReply(
    id: "f1", .silence, time: WallTime(seconds: 1_796_011_560.5), .done, "done", alerts: ["shake pump-7"])

  static let shake = ShakeMessage(
    id: 3, phase: .cancelled, reason: .tooLong, start: WallTime(seconds: 1_796_011_490.5),
    end: WallTime(seconds: 1_796_011_499.75), durationS: 9.25, peakG: 2.125, energyG2S: 1.000000001, cavGS: 3.5,
    frequencyHz: 6.25, reversals: 60, axis: .z,
    place: Place(latitude: -33.8567844, longitude: 151.2152967, fixAgeS: 1.5))

  static var position: LocationMessage.Position {
    var message = LocationMessage.Position(
      dimensions: 3, latitude: 47.3769123, longitude: -8.5417004, ageS: 0.25, cause: .distance, isBacklog: true)
    message.accuracyM = 3.75
    message.accuracySource = .epxy
    message.status = .rtkFloat
    message.altitudeM = -12.5
    message.altitudeSource = .hae
    message.altitudeAccuracyM = 5.25
    message.isMoving = true
    message.speedMPS = 1.375
    message.courseDeg = 271.5
    message.fixTime = WallTime(seconds: 1_796_011_499.875)
    message.fixTimeRollovers = -1
    message.received = WallTime(seconds: 1_796_011_500.25)
    message.lostS = 31.5
    message.movedM = 27.25
    message.odometerM = 1_234_567
    message.tripM = 890
    message.device = "/dev/ttyACM0"
    return message
  }

  static var loss: LocationMessage.Loss {
    var message = LocationMessage.Loss(
      reason: .rejected,
      last: LocationMessage.Loss.Last(
        latitude: 90, longitude: -180, accuracyM: 3.5, time: WallTime(seconds: 1_796_011_000), ageS: 500.125),
      isBacklog: true)
    message.rejectedBy = .acceleration
    message.rejectedAccuracyM = 512.25
    return message
  }

  static let geofence = GeofenceMessage(
    fence: "depot", .leave, isFirst: true, latitude: -33.8567844, longitude: 151.2152967, accuracyM: 3.75, ageS: 0.25,
    edgeM: 12.5, insideS: 86_400.5)

  static let evicted = EvictedMessage(
    boot: BootID(0xBEEF), first: 5, last: 99, runs: [5...7, 9...9, 60...99], count: 44,
    counts: [
      .shake: 1, .waveform: 2, .impact: 3, .freeFall: 4, .orientation: 5, .location: 6, .geofence: 7, .evicted: 16,
    ], bytes: 65_536, .cap)

  static let ack = AckMessage(boot: BootID(0xC0FFEE), sequence: 412, also: [414...420, 430...430])

  static var health: HealthMessage {
    var message = HealthMessage(
      spool: HealthMessage.Spool(events: 2, bytes: 611, oldestS: 0.25, evicted: 1),
      link: HealthMessage.Link(connects: 3, unacknowledged: 2, dropped: 4, refused: 5))
    message.spool.state = .memory
    message.spool.trouble = "No space left on device"
    message.spool.delivery = .fleet
    message.spool.unconfirmed = 3
    message.spool.unsaved = 2
    message.spool.setAside = 4
    message.spool.damaged = 5
    message.spool.lastsS = 86_400
    var accelerometer = HealthMessage.Accelerometer(state: .stalled, gaps: 6, dropped: 7)
    accelerometer.rateHz = 99.5
    accelerometer.ageS = 12
    accelerometer.noiseMg = 1.25
    accelerometer.polling = "no trigger"
    accelerometer.error = "No such device"
    accelerometer.nearMisses = HealthMessage.Accelerometer.NearMisses(weak: 4, fewReversals: 5, strongestG: 0.625)
    accelerometer.faults = HealthMessage.Accelerometer.Faults(
      retried: 1, stalls: 2, zeros: 3, frozen: 4, outOfRange: 5)
    message.accelerometer = accelerometer
    var gps = HealthMessage.GPS(state: .deviceGone, rejected: 8, badLines: 9)
    gps.ageS = 61.5
    gps.satellites = 10
    gps.withheld = 11
    gps.faults = HealthMessage.GPS.Faults(
      inaccurate: 1, jumps: 2, jumpsTaken: 3, simulated: 4, impossible: 5, backwards: 6, rollovers: 7, outages: 8)
    message.gps = gps
    message.budget = HealthMessage.Budget(limitMB: 20, usedMB: 12.125, stretch: 1.5)
    message.residentKB = 6400
    message.processorS = 1.25
    return message
  }

  static var fleetStatus: FleetStatusMessage {
    var message = FleetStatusMessage(.online, time: WallTime(seconds: 1_796_011_500.5))
    message.agent = softwareVersion
    message.nodes = 3
    message.firing = 1
    message.store = .failed
    message.trouble = "database or disk is full"
    return message
  }

  static let alert: AlertMessage = {
    var alert = AlertMessage(
      rule: "lost-fix", node: "pump-7", state: .firing, time: WallTime(seconds: 1_796_011_500.5),
      since: WallTime(seconds: 1_796_011_380.5), summary: "pump-7 has had no fix for 120 s", count: 1, value: 120,
      id: "lost-fix/pump-7/1796011380.500")
    alert.kind = "lost-fix"
    alert.severity = "warning"
    alert.site = "north"
    alert.group = "pumps"
    alert.title = "Pump at the lock"
    alert.muted = "silenced"
    alert.acknowledgedBy = "kim"
    return alert
  }()
}
