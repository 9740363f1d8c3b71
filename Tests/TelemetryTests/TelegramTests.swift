import Telemetry
import Testing

@Suite struct TelegramTests {
  private func text(_ telegram: Telegram) -> String { String(decoding: telegram.encode(), as: UTF8.self) }

  @Test(arguments: Examples.full + Examples.sparse)
  func everyMessageReadsBackAsItself(telegram: Telegram) throws {
    #expect(try Telegram.decode(stream: telegram.body.stream, payload: telegram.encode()) == telegram)
  }

  @Test func everyWordOfEveryClosedSetReadsBack() throws {
    for phase in ShakeMessage.Phase.allCases {
      for reason in ShakeMessage.Reason.allCases {
        var shake = Examples.shake
        shake.phase = phase
        shake.reason = phase == .cancelled ? reason : nil
        try expectRoundTrip(.shake(shake))
      }
    }
    for face in Face.allCases {
      try expectRoundTrip(.orientation(OrientationMessage(face: face, previous: face, tiltDeg: 0, up: Vector(0, 0, 1))))
    }
    for cause in LocationMessage.Position.Cause.allCases {
      var position = Examples.position
      position.cause = cause
      try expectRoundTrip(.location(.fixed(position)))
    }
    for reason in LocationMessage.Loss.Reason.allCases {
      try expectRoundTrip(.location(.lost(LocationMessage.Loss(reason: reason, last: nil))))
    }
    for state in HealthMessage.GPS.State.allCases {
      var health = Examples.health
      health.gps?.state = state
      try expectRoundTrip(.health(health))
    }
  }

  private func expectRoundTrip(_ body: Telegram.Body) throws {
    let telegram = Telegram(Examples.event, body)
    #expect(try Telegram.decode(stream: body.stream, payload: telegram.encode()) == telegram)
  }

  @Test func theBytesAreThoseOfTheContract() {
    #expect(Examples.full.map(text) == TelegramTests.contract)
    #expect(text(Examples.sparse[0]) == #"{"v":1,"boot":"00000001","state":"lost"}"#)
    #expect(
      text(Examples.sparse[9])
        == #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"fix":0,"why":"lost","#
        + #""reason":"gpsd_gone"}"#)
  }

  /// The complete messages, in the order of `Examples.full`.
  private static let contract = [
    #"{"v":1,"boot":"00c0ffee","t":1796011500.125,"clk":"rtc","up":12.5,"state":"online","agent":"0.1.0","#
      + #""accelerometer":"lis3dh","source":"iio","rate_hz":99.5,"window_s":10,"preset":"fixed","armed":false,"#
      + #""gpsd":"[::1]:2947","health_interval_s":300,"#
      + ##""set":["shake.on_g=0.9","acceleration.filter=\"user\""]}"##,
    #"{"v":1,"boot":"00c0ffee","t":1796011500.125,"clk":"rtc","up":12.5,"filter":"user","g":[-0.00001,0.5,16],"#
      + #""rms_g":0.001234,"peak_g":2.5,"p2p_g":[0.25,0,0.125],"hz":99.875,"window_s":9.99,"n":999,"missed":1,"#
      + #""clipped":3,"crest":4.125,"vdv_unweighted_mps175":0.012345,"cav_gs":0.25,"#
      + #""ppv_indicator_mmps":[0.125,12.5,0],"ppv_indicator_hz":[12.5,1,80],"kurtosis":3.125,"#
      + #""band_low_g":0.000125,"band_mid_g":0.5,"band_high_g":1,"samples":[[0.5,-0.00001,1],[0,0,16]],"#
      + #""dt_s":0.040000001}"#,
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"id":3,"phase":"cancelled","#
      + #""reason":"too_long","start_t":1796011490.5,"end_t":1796011499.75,"duration_s":9.25,"peak_g":2.125,"#
      + #""energy_g2s":1.000000001,"cav_gs":3.5,"frequency_hz":6.25,"reversals":60,"axis":"z","#
      + #""lat":-33.8567844,"lon":151.2152967,"fix_age_s":1.5}"#,
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"face":"x-","previous":"z+","#
      + #""tilt_deg":90.25,"g":[-1,0.0044,0]}"#,
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"fix":3,"#
      + #""status":"rtk_float","lat":47.3769123,"lon":-8.5417004,"acc_m":3.75,"acc_source":"epxy","alt_m":-12.5,"#
      + #""alt_source":"hae","alt_acc_m":5.25,"moving":true,"speed_mps":1.375,"course_deg":271.5,"#
      + #""fix_t":1796011499.875,"fix_t_rollovers":-1,"received_t":1796011500.25,"age_s":0.25,"why":"distance","#
      + #""lost_s":31.5,"moved_m":27.25,"odometer_m":1234567,"trip_m":890,"device":"/dev/ttyACM0","#
      + #""backlog":true}"#,
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"fix":0,"why":"lost","#
      + #""reason":"rejected","rejected_by":"acceleration","rejected_acc_m":512.25,"#
      + #""last":{"lat":90,"lon":-180,"acc_m":3.5,"t":1796011000,"age_s":500.125},"backlog":true}"#,
    #"{"v":1,"boot":"00c0ffee","t":1796011500.125,"clk":"rtc","up":12.5,"#
      + #""spool":{"events":2,"bytes":611,"oldest_s":0.25,"evicted":1,"state":"memory","#
      + #""trouble":"No space left on device","delivery":"fleet","unconfirmed":3,"unsaved":2,"set_aside":4,"#
      + #""damaged":5,"lasts_s":86400},"#
      + #""link":{"connects":3,"unacked":2,"dropped":4,"refused":5},"#
      + #""accelerometer":{"state":"stalled","hz":99.5,"age_s":12,"gaps":6,"dropped":7,"noise_mg":1.25,"#
      + #""polling":"no trigger","error":"No such device","#
      + #""near_misses":{"weak":4,"few_reversals":5,"strongest_g":0.625},"#
      + #""faults":{"retried":1,"stalls":2,"zeros":3,"frozen":4,"out_of_range":5}},"#
      + #""gps":{"state":"device_gone","age_s":61.5,"sats":10,"rejected":8,"withheld":11,"bad_lines":9,"#
      + #""faults":{"inaccurate":1,"jumps":2,"jumps_taken":3,"simulated":4,"impossible":5,"backwards":6,"#
      + #""rollovers":7,"outages":8}},"#
      + #""budget":{"limit_mb":20,"used_mb":12.125,"stretch":1.5},"rss_kb":6400,"cpu_s":1.25}"#,
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"id":3,"chunk":2,"last":true,"#
      + #""start_t":1796011490.5,"dt_s":0.009998875,"lsb_g":0.000122,"x":[0,-32768],"y":[1,2147483647],"#
      + #""z":[8192,-2147483648]}"#,
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"id":2,"#
      + #""start_t":1796011499.75,"peak_g":15.875,"duration_s":0.00875,"dv_mps":1.375,"axis":"z","#
      + #""clipped":true,"fall_s":0.25,"lat":-33.8567844,"lon":151.2152967,"fix_age_s":1.5}"#,
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"id":1,"#
      + #""start_t":1796011499.5,"duration_s":0.25,"drop_m":0.306,"lat":-33.8567844,"lon":151.2152967,"#
      + #""fix_age_s":1.5}"#,
    #"{"v":1,"boot":"00c0ffee","t":1796011500.125,"clk":"rtc","up":12.5,"id":"a7","command":"live","#
      + #""ok":false,"reason":"expired","until_t":1796011560.5,"key":"shake.on_g","before":0.7,"after":0.9,"#
      + #""kept":true,"rest":{"duration_s":30.1,"n":3009,"missed":2,"clipped":1,"hz":99.875,"#
      + #""mean_g":[0.01234,-0.5,0.99876],"face":"z+","tilt_deg":1.25,"noise_mg":[0.8125,0.79,1.0625],"#
      + #""in_band_mg":0.6875},"note":"nothing to do"}"#,
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"fence":"depot","#
      + #""event":"leave","first":true,"lat":-33.8567844,"lon":151.2152967,"acc_m":3.75,"age_s":0.25,"#
      + #""edge_m":12.5,"inside_s":86400.5}"#,
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1796011500.125,"clk":"ntp","up":12.5,"of_boot":"0000beef","#
      + #""from_seq":5,"to_seq":99,"runs":[[5,7],[9,9],[60,99]],"events":44,"counts":{"shake":1,"waveform":2,"#
      + #""impact":3,"freefall":4,"orientation":5,"location":6,"geofence":7,"evicted":16},"bytes":65536,"#
      + #""reason":"cap"}"#,
  ]

  @Test func smallShakesKeepTheirNumbers() throws {
    guard case .shake(let shake) = try Telegram.decode(stream: .shake, payload: Examples.sparse[3].encode()).body else {
      Issue.record("no shake")
      return
    }
    #expect(shake.peakG == 0.001 && shake.energyG2S == 0.0000001 && shake.cavGS == 0.0001)
  }

  @Test func aCourseJustBelowNorthIsNorth() throws {
    var position = Examples.position
    for (course, expected) in [(359.9951, 0), (359.994, 359.99), (0.001, 0)] {
      position.courseDeg = course
      let payload = Telegram(Examples.event, .location(.fixed(position))).encode()
      guard case .location(.fixed(let back)) = try Telegram.decode(stream: .location, payload: payload).body else {
        Issue.record("no position")
        continue
      }
      #expect(back.courseDeg == expected)
    }
  }

  @Test func whatIsNotFiniteIsLeftOutRatherThanInvented() throws {
    var message = Examples.acceleration
    message.rmsG = .nan
    message.rateHz = .infinity
    message.peakToPeakG = Vector(0, .nan, 0)
    let payload = Telegram(Examples.notice, .acceleration(message)).encode()
    guard case .acceleration(let back) = try Telegram.decode(stream: .acceleration, payload: payload).body else {
      Issue.record("no acceleration")
      return
    }
    #expect(back.rmsG == nil && back.rateHz == nil && back.peakToPeakG == nil && back.peakG == 2.5)
  }

  @Test func aTextThatIsTooLongIsCutBetweenCharacters() throws {
    var health = Examples.health
    health.accelerometer?.error = String(repeating: "x", count: 1023) + "é"
    let payload = Telegram(Examples.notice, .health(health)).encode()
    guard case .health(let back) = try Telegram.decode(stream: .health, payload: payload).body else {
      Issue.record("no health")
      return
    }
    #expect(back.accelerometer?.error == String(repeating: "x", count: 1023))
  }

  @Test func keysOfLaterVersionsAreIgnored() throws {
    let text = #"{"v":1,"boot":"00c0ffee","state":"lost","new":{"a":[1,{"b":null}]},"other":null}"#
    let telegram = try Telegram.decode(stream: .status, payload: Array(text.utf8))
    #expect(telegram == Telegram(Envelope(boot: BootID(0xC0FFEE)), .status(StatusMessage(.lost))))
  }

  @Test func theFleetToolsMessagesReadBack() throws {
    #expect(try FleetStatusMessage.decode(payload: Examples.fleetStatus.encode()) == Examples.fleetStatus)
    let will = FleetStatusMessage(.lost)
    #expect(String(decoding: will.encode(), as: UTF8.self) == #"{"v":1,"state":"lost"}"#)
    #expect(try FleetStatusMessage.decode(payload: will.encode()) == will)
    #expect(try AlertMessage.decode(payload: Examples.alert.encode()) == Examples.alert)
    var alert = Examples.alert
    alert.value = nil
    alert.state = .resolved
    #expect(try AlertMessage.decode(payload: alert.encode()) == alert)
    #expect(
      String(decoding: Examples.alert.encode(), as: UTF8.self)
        == #"{"v":1,"id":"lost-fix/pump-7/1796011380.500","rule":"lost-fix","node":"pump-7","state":"firing","#
        + #""t":1796011500.5,"since_t":1796011380.5,"summary":"pump-7 has had no fix for 120 s","#
        + #""count":1,"value":120,"kind":"lost-fix","severity":"warning","site":"north","group":"pumps","#
        + #""title":"Pump at the lock","muted":"silenced","acknowledged_by":"kim"}"#)
  }
}
