import NodeLogic
import Rig
import Telemetry
import Testing

@Suite struct GpsdReportTests {
  private func decode(_ text: String) throws -> GpsdReport { try GpsdReport.decode(Array(text.utf8)).get() }

  private func position(_ fields: String) throws -> GpsdPosition {
    let report = try decode("{\"class\":\"TPV\",\(fields)}")
    guard case .position(let position) = report else { throw UnexpectedReport(report: report) }
    return position
  }

  private struct UnexpectedReport: Error { let report: GpsdReport }

  @Test func readsTheBanner() throws {
    #expect(
      try decode(#"{"class":"VERSION","release":"3.27","rev":"x","proto_major":0,"proto_minor":16}"#)
        == .version(GpsdVersion(release: "3.27")))
  }

  @Test(arguments: [
    (#""activated":"2026-01-02T03:04:05.678Z""#, true), (#""activated":0"#, false), (#""activated":1.7e9"#, true),
    (#""activated":"1970-01-01T00:00:00.000Z""#, false), (#""driver":"u-blox""#, true), (#""activated":null"#, true),
  ])
  func readsWhetherADeviceIsThere(field: String, isActivated: Bool) throws {
    guard case .device(let device) = try decode(#"{"class":"DEVICE","path":"/dev/ttyACM0",\#(field)}"#) else {
      Issue.record("no device")
      return
    }
    #expect(device.path == "/dev/ttyACM0")
    #expect(device.isActivated == isActivated)
  }

  @Test func readsTheListOfDevices() throws {
    #expect(try decode(#"{"class":"DEVICES","devices":[]}"#) == .devices([]))
    #expect(try decode(#"{"class":"DEVICES"}"#) == .devices([]))
    #expect(
      try decode(#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":0}]}"#)
        == .devices([GpsdDevice(path: "/dev/a", isActivated: false)]))
  }

  @Test func readsAWholePosition() throws {
    let position = try position(
      #""device":"/dev/a","status":2,"mode":3,"time":"2024-02-29T23:59:60.250Z","lat":-36.5,"lon":174.25,"#
        + #""altHAE":55.5,"altMSL":22.5,"alt":22.5,"eph":4.5,"epx":3,"epy":4,"speed":1.5,"track":360"#)
    #expect(position.device == "/dev/a")
    #expect(position.mode == 3)
    #expect(position.time == WallTime(seconds: 1_709_251_200.25))
    #expect(position.coordinate == Coordinate(latitude: -36.5, longitude: 174.25))
    #expect(position.altitudeMSLM == 22.5)
    #expect(position.altitudeHAEM == 55.5)
    #expect(position.ephM == 4.5)
    #expect(position.speedMPS == 1.5)
    #expect(position.courseDeg == 0)
    #expect(!position.isSimulated)
  }

  @Test func takesTheOldAltitudeOnlyWhereThereIsNoNewOne() throws {
    #expect(try position(#""mode":3,"alt":12"#).altitudeUntaggedM == 12)
    #expect(try position(#""mode":3,"alt":12"#).altitudeMSLM == nil)
    #expect(try position(#""mode":3,"alt":12,"altHAE":60"#).altitudeMSLM == nil)
  }

  /// gpsd-py3#1 and gpsd-prometheus-exporter#10 fell over a missing key.
  @Test func takesFieldsOfAnUnexpectedTypeForMissing() throws {
    let position = try position(
      #""mode":"3","time":false,"lat":"47","lon":[8],"eph":{},"speed":null,"track":-1,"device":7,"status":"8""#)
    #expect(position == GpsdPosition(mode: 0))
    #expect(try self.position(#""mode":9"#).mode == 0)
    #expect(try self.position(#""mode":2.5"#).mode == 0)
  }

  @Test func neverReportsAnAccuracyOfZero() throws {
    let position = try position(#""mode":3,"lat":1,"lon":2,"eph":0,"epx":0.0,"epy":-1"#)
    #expect(try #require(Fix(position, at: .start)).accuracy == nil)
  }

  @Test(arguments: [
    (#""mode":1,"lat":47,"lon":8"#, false), (#""mode":2,"lat":47"#, false), (#""mode":3,"lon":8"#, false),
    (#""mode":2,"lat":90.1,"lon":8"#, false), (#""mode":2,"lat":47,"lon":-180.5"#, false),
    (#""mode":2,"lat":0,"lon":0"#, true), (#""mode":3,"lat":-90,"lon":180"#, true), (#""lat":47,"lon":8"#, false),
  ])
  func takesOnlyAModeAndCoordinatesForAFix(fields: String, isFix: Bool) throws {
    #expect((try position(fields).coordinate != nil) == isFix)
  }

  @Test func readsTheSatellites() throws {
    #expect(try decode(#"{"class":"SKY","nSat":12,"uSat":7}"#) == .sky(GpsdSky(used: 7, seen: 12)))
    #expect(
      try decode(#"{"class":"SKY","satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false},{"PRN":3}]}"#)
        == .sky(GpsdSky(used: 1, seen: 3)))
    #expect(try decode(#"{"class":"SKY"}"#) == .sky(GpsdSky()))
  }

  /// wadda/gps3#17: `lat` and `lon` of GST are metres.
  @Test func neverTakesErrorEstimatesForAPosition() throws {
    #expect(try decode(#"{"class":"GST","mode":3,"lat":3.1,"lon":2.2}"#) == .ignored(kind: "GST"))
  }

  @Test func showsAnErrorSafely() throws {
    #expect(try decode(#"{"class":"ERROR","message":"No\u001b[31m"}"#) == .error(#"No\u{1b}[31m"#))
    #expect(try decode(#"{"class":"ERROR"}"#) == .error("no message"))
  }

  @Test(arguments: [
    (#"{"class":"TPV","mode":3,"lat":47.1"#, GpsdLineProblem.notJSON), ("$GPGGA,1,2*00", .notJSON),
    (#"{"mode":3}"#, .noClass), ("[1]", .noClass), (#"{"class":3}"#, .noClass), ("\u{0}", .notJSON),
  ])
  func namesWhatIsWrongWithALine(text: String, problem: GpsdLineProblem) {
    #expect(GpsdReport.decode(Array(text.utf8)) == .failure(problem))
  }

  @Test(arguments: [
    "2026-13-01T00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T24:00:00Z", "", "Z",
    "1979-12-31T23:59:59Z", "2100-01-01T00:00:00Z", "2026-01-01T00:00:00.Zx", "+026-01-01T00:00:00Z",
  ])
  func refusesWhatIsNoTime(text: String) {
    #expect(WallTime(gpsd: .string(text)) == nil)
  }

  @Test(arguments: [
    ("1999-08-27T23:37:39.000Z", 935_797_059.0), ("2000-02-29T00:00:00Z", 951_782_400),
    ("2026-11-30T02:17:12.5Z", 1_796_005_032.5),
  ])
  func readsATime(text: String, seconds: Double) {
    #expect(WallTime(gpsd: .string(text))?.seconds == seconds)
    #expect(WallTime(gpsd: .number(seconds))?.seconds == seconds)
  }

  @Test func survivesDamagedLines() {
    let line = Array(
      (#"{"class":"TPV","device":"/dev/a","mode":3,"time":"2024-02-29T23:59:59.000Z","lat":-36.5,"lon":174.25,"#
        + #""eph":4.5,"track":10,"satellites":[{"used":true}]}"#).utf8)
    var random = SeededRandom(seed: 7)
    var failures = 0
    for _ in 0..<8_000 {
      var damaged = line
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<damaged.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: damaged[index] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged.remove(at: index)
        default: damaged.insert(damaged[Int.random(in: 0..<damaged.count, using: &random)], at: index)
        }
      }
      switch GpsdReport.decode(damaged) {
      case .failure: failures += 1
      case .success(.position(let position)):
        if let coordinate = position.coordinate {
          #expect((-90...90).contains(coordinate.latitude) && (-180...180).contains(coordinate.longitude))
        }
      case .success: break
      }
    }
    #expect((1_000..<8_000).contains(failures))
  }

  @Test func numbersOutOfAllBoundsStayReadableForWhoeverGetsThem() throws {
    let line = #"{"class":"TPV","mode":3,"lat":47,"lon":8,"eph":1e300,"epv":1e12,"altMSL":1e9,"speed":1e10}"#
    guard case .position(let report) = try GpsdReport.decode(Array(line.utf8)).get() else {
      throw GpsdLineProblem.notJSON
    }
    #expect(report.altitudeMSLM == nil && report.speedMPS == 3e8)
    #expect(report.ephM == 5e7 && report.epvM == 5e7, "an absurd error is no unknown one")
    for maxAccuracyM in [0.0, 200] {
      var settings = LocationTracker.Settings(maxAccuracyM: maxAccuracyM)
      settings.maxSpeedMPS = 0
      var fixture = LocationFixture(settings)
      for second in 0...60 { fixture.input(.report(.position(report)), at: Double(second)) }
      let clock = ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: .ntp)
      let messages = fixture.outputs.compactMap { $0.message(clock: clock) }
      #expect(!messages.isEmpty)
      for message in messages {
        var envelope = Envelope(boot: BootID(1), time: clock.wall(at: .start), clock: .ntp, uptime: 1)
        envelope.sequence = 1
        let telegram = Telegram(envelope, .location(message))
        let back = try Telegram.decode(stream: .location, payload: telegram.encode())
        #expect(back.body.stream == .location)
      }
    }
  }
}
