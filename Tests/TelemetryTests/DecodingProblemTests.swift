import Rig
import Telemetry
import Testing

/// Payloads that are wrong in one place, and what is said about them.
@Suite struct DecodingProblemTests {
  private func problem(_ stream: Stream, _ text: String) -> DecodingProblem? { problem(stream, Array(text.utf8)) }

  private func problem(_ stream: Stream, _ payload: [UInt8]) -> DecodingProblem? {
    do {
      _ = try Telegram.decode(stream: stream, payload: payload)
      return nil
    } catch {
      return error
    }
  }

  /// A complete message in which the text `old` was replaced.
  private func problem(_ index: Int, _ old: String, _ new: String) throws -> DecodingProblem? {
    let telegram = Examples.full[index]
    let text = String(decoding: telegram.encode(), as: UTF8.self)
    let parts = text.split(separator: old, omittingEmptySubsequences: false)
    try #require(parts.count == 2, "\(old) in \(text)")
    return problem(telegram.body.stream, parts.joined(separator: new))
  }

  @Test func whatIsNoJSONHasTheReasonOfTheReader() {
    #expect(problem(.shake, "")?.reason == .syntax)
    #expect(problem(.shake, "hello")?.description == #"not JSON: "h" where a value is due at byte 0"#)
    #expect(problem(.shake, [0x7B, 0x22, 0xFF, 0x22, 0x7D])?.reason == .notUTF8)
    #expect(problem(.shake, [UInt8](repeating: 0x20, count: 10_000_000))?.reason == .tooLarge)
    #expect(problem(.shake, String(repeating: "[", count: 50_000))?.reason == .tooDeep)
    #expect(problem(.shake, #"{"v":1,"v":1}"#)?.reason == .duplicateKey)
    #expect(problem(.shake, #"{"v":NaN}"#)?.reason == .syntax)
    #expect(problem(.shake, #"{"v":1e999}"#)?.reason == .notFinite)
    #expect(problem(.shake, "{}{}")?.reason == .trailingText)
    #expect(problem(.shake, #"{"\ud800":1}"#)?.reason == .loneSurrogate)
    #expect(
      problem(.shake, "[" + Array(repeating: "1", count: 5000).joined(separator: ",") + "]")?.reason == .tooManyMembers)
  }

  @Test func everyReasonOfTheReaderHasItsCounterpart() {
    for reason in JSONProblem.Reason.allCases {
      #expect(DecodingProblem.Reason(reason).rawValue == reason.rawValue)
    }
  }

  @Test func aMessageIsAnObject() {
    #expect(problem(.shake, "[1,2]")?.reason == .notAnObject)
    #expect(problem(.shake, "null")?.description == "null, expected an object")
  }

  @Test func otherVersionsAreRefused() throws {
    let higher = try problem(0, #""v":1"#, #""v":2"#)
    #expect(higher?.reason == .version && higher?.key == "v")
    #expect(higher?.description == #""v" is 2, this software reads 1"#)
    #expect(try problem(0, #""v":1"#, #""v":0"#)?.reason == .version)
    #expect(try problem(0, #""v":1,"#, "")?.reason == .missing)
    #expect(try problem(0, #""v":1"#, #""v":"1""#)?.reason == .wrongType)
    #expect(try problem(0, #""v":1"#, #""v":1.5"#)?.reason == .outOfRange)
  }

  @Test(arguments: [
    (0, "boot", #""boot":"00c0ffee""#, [#""boot":"00C0FFEE""#, #""boot":"""#, #""boot":"00c0ffee0""#]),
    (0, "t", #""t":1796011500.125"#, [#""t":-1"#, #""t":1e12"#]),
    (0, "up", #""up":12.5"#, [#""up":-0.5"#, #""up":1e10"#]),
    (2, "seq", #""seq":7"#, [#""seq":-1"#, #""seq":1.5"#, #""seq":9007199254740994"#]),
    (1, "g", #""g":[-0.00001,0.5,16]"#, [#""g":[0,0,1e6]"#]),
    (1, "p2p_g", #""p2p_g":[0.25,0,0.125]"#, [#""p2p_g":[0.25,0,-0.125]"#]),
    (1, "rms_g", #""rms_g":0.001234"#, [#""rms_g":-0.1"#]),
    (1, "n", #""n":999"#, [#""n":-1"#, #""n":0.5"#]),
    (2, "lat", #""lat":-33.8567844"#, [#""lat":-90.1"#, #""lat":91"#]),
    (2, "energy_g2s", #""energy_g2s":1.000000001"#, [#""energy_g2s":-1"#]),
    (3, "tilt_deg", #""tilt_deg":90.25"#, [#""tilt_deg":-1"#, #""tilt_deg":181"#]),
    (3, "g", #""g":[-1,0.0044,0]"#, [#""g":[-2,0,0]"#]),
    (4, "fix", #""fix":3"#, [#""fix":1"#, #""fix":4"#, #""fix":2.5"#]),
    (4, "lat", #""lat":47.3769123"#, [#""lat":90.0000001"#]),
    (4, "lon", #""lon":-8.5417004"#, [#""lon":-180.5"#, #""lon":181"#]),
    (4, "acc_m", #""acc_m":3.75"#, [#""acc_m":-1"#]),
    (4, "course_deg", #""course_deg":271.5"#, [#""course_deg":360"#, #""course_deg":-1"#]),
    (4, "age_s", #""age_s":0.25"#, [#""age_s":-0.25"#]),
    (5, "last.lat", #""lat":90"#, [#""lat":91"#]),
    (5, "last.t", #""t":1796011000"#, [#""t":-5"#]),
    (6, "spool.bytes", #""bytes":611"#, [#""bytes":-611"#]),
    (6, "gps.sats", #""sats":10"#, [#""sats":-10"#]),
    (4, "fix_t_rollovers", #""fix_t_rollovers":-1"#, [#""fix_t_rollovers":-1.5"#, #""fix_t_rollovers":21"#]),
    (11, "fence", #""fence":"depot""#, [#""fence":"""#]),
    (11, "edge_m", #""edge_m":12.5"#, [#""edge_m":-12.5"#]),
  ])
  func valuesOutsideTheirRangeAreRefused(index: Int, key: String, old: String, wrong: [String]) throws {
    for new in wrong {
      let found = try problem(index, old, new)
      #expect(found?.reason == .outOfRange && found?.key == key, "\(new): \(found?.description ?? "accepted")")
    }
  }

  @Test(arguments: [
    (0, "boot", #""boot":"00c0ffee""#, #""boot":12648430"#),
    (0, "t", #""t":1796011500.125"#, #""t":"1796011500.125""#),
    (0, "clk", #""clk":"rtc""#, #""clk":1"#),
    (0, "state", #""state":"online""#, #""state":true"#),
    (0, "agent", #""agent":"0.1.0""#, #""agent":0.1"#),
    (0, "rate_hz", #""rate_hz":99.5"#, #""rate_hz":null"#),
    (1, "g", #""g":[-0.00001,0.5,16]"#, #""g":[0,1]"#),
    (1, "g", #""g":[-0.00001,0.5,16]"#, #""g":[0,1,2,3]"#),
    (1, "g", #""g":[-0.00001,0.5,16]"#, #""g":[0,1,"2"]"#),
    (1, "g", #""g":[-0.00001,0.5,16]"#, #""g":1"#),
    (1, "n", #""n":999"#, #""n":[999]"#),
    (4, "backlog", #""backlog":true"#, #""backlog":1"#),
    (5, "last", #""last":{"#, #""last":1,"x":{"#),
    (6, "spool", #""spool":{"#, #""spool":[],"x":{"#),
    (4, "moving", #""moving":true"#, #""moving":1"#),
    (4, "fix_t_rollovers", #""fix_t_rollovers":-1"#, #""fix_t_rollovers":"-1""#),
    (6, "gps.faults", #""faults":{"inaccurate""#, #""faults":3,"x":{"inaccurate""#),
    (6, "gps.age_s", #""age_s":61.5"#, #""age_s":{}"#),
  ])
  func valuesOfAnotherTypeAreRefused(index: Int, key: String, old: String, new: String) throws {
    let found = try problem(index, old, new)
    #expect(found?.reason == .wrongType && found?.key == key, "\(found?.description ?? "accepted")")
  }

  @Test(arguments: [
    (0, "boot", #""boot":"00c0ffee","#), (0, "t", #""t":1796011500.125,"#), (0, "clk", #""clk":"rtc","#),
    (0, "up", #""up":12.5,"#), (0, "state", #""state":"online","#), (1, "g", #""g":[-0.00001,0.5,16],"#),
    (1, "n", #""n":999,"#), (1, "filter", #""filter":"user","#), (1, "window_s", #""window_s":9.99,"#),
    (2, "seq", #""seq":7,"#), (2, "reason", #""reason":"too_long","#), (2, "start_t", #""start_t":1796011490.5,"#),
    (2, "lat", #""lat":-33.8567844,"#), (2, "lon", #""lon":151.2152967,"#), (3, "face", #""face":"x-","#),
    (4, "fix", #""fix":3,"#), (4, "lat", #""lat":47.3769123,"#), (4, "lon", #""lon":-8.5417004,"#),
    (4, "age_s", #""age_s":0.25,"#), (4, "why", #""why":"distance","#), (5, "reason", #""reason":"rejected","#),
    (5, "why", #""why":"lost","#), (5, "last.lat", #""lat":90,"#), (6, "spool.events", #""events":2,"#),
    (5, "last.age_s", #","age_s":500.125"#), (11, "fence", #""fence":"depot","#), (11, "event", #""event":"leave","#),
    (6, "link.unacked", #""unacked":2,"#), (6, "accelerometer.state", #""state":"stalled","#),
  ])
  func requiredKeysAreMissed(index: Int, key: String, member: String) throws {
    let found = try problem(index, member, "")
    #expect(found?.reason == .missing && found?.key == key, "\(found?.description ?? "accepted")")
  }

  @Test func wordsOutsideTheirSetAreRefused() throws {
    let found = try problem(2, #""phase":"cancelled""#, #""phase":"paused\u001b[2J""#)
    #expect(found?.reason == .unknownWord && found?.key == "phase")
    #expect(found?.description == #""phase" is "paused\u{1b}[2J", expected one of began, ended, cancelled"#)
    #expect(try problem(0, #""clk":"rtc""#, #""clk":"RTC""#)?.reason == .unknownWord)
    #expect(try problem(4, #""why":"distance""#, #""why":"lost""#)?.reason == .unknownWord)
    #expect(try problem(5, #""why":"lost""#, #""why":"first""#)?.reason == .unknownWord)
    #expect(try problem(6, #""state":"device_gone""#, #""state":"""#)?.reason == .unknownWord)
  }

  @Test func complaintsNameKeyFindingAndExpectation() throws {
    #expect(try problem(4, #""lat":47.3769123"#, #""lat":91"#)?.description == #""lat" is 91.0, expected -90...90"#)
    #expect(try problem(5, #""lat":90,"#, "")?.description == #""last.lat" is missing, expected a number"#)
    #expect(try problem(4, #""fix":3"#, #""fix":4"#)?.description == #""fix" is 4.0, expected 0, 2 or 3"#)
    #expect(
      try problem(0, #""agent":"0.1.0""#, #""agent":[1,2]"#)?.description
        == #""agent" is an array of 2, expected a text"#)
    let long = String(repeating: "y", count: 2000)
    let found = try problem(0, #""agent":"0.1.0""#, "\"agent\":\"\(long)\"")
    #expect(found?.reason == .outOfRange)
    #expect(found?.description == "\"agent\" is \"\(long.prefix(40))...\", expected 1024 bytes at most")
  }

  @Test func theFleetToolsMessagesAreCheckedToo() {
    #expect(throws: DecodingProblem.self) {
      try FleetStatusMessage.decode(payload: Array(#"{"v":1,"state":"online"}"#.utf8))
    }
    #expect(throws: DecodingProblem.self) {
      try FleetStatusMessage.decode(payload: Array(#"{"v":2,"state":"lost"}"#.utf8))
    }
    #expect(throws: DecodingProblem.self) { try AlertMessage.decode(payload: Array(#"{"v":1,"rule":"a"}"#.utf8)) }
    #expect(throws: DecodingProblem.self) { try AlertMessage.decode(payload: []) }
  }

  @Test func damagedMessagesNeverCrashTheReader() {
    var random = SeededRandom(seed: 99)
    var refused: [DecodingProblem.Reason: Int] = [:]
    for round in 0..<20_000 {
      let telegram = Examples.full[round % Examples.full.count]
      var bytes = telegram.encode()
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0x20...0x7E, using: &random)
        case 1: bytes.remove(at: place)
        default: bytes.insert(bytes[place], at: place)
        }
      }
      let stream = Stream.allCases.randomElement(using: &random) ?? .status
      if let problem = problem(Bool.random(using: &random) ? stream : telegram.body.stream, bytes) {
        refused[problem.reason, default: 0] += 1
        #expect(problem.description.utf8.count < 400)
      }
    }
    for reason in [DecodingProblem.Reason.syntax, .missing, .wrongType, .outOfRange, .unknownWord, .version] {
      #expect(refused[reason, default: 0] > 0, "\(reason)")
    }
  }
}
