import NodeLogic
import Rig
import Telemetry
import Testing

@Suite struct GpsdSessionTests {
  static let banner = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
  static let devices =
    #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":"2026-01-01T00:00:00Z"}]}"#
  static let echo = #"{"class":"WATCH","enable":true,"json":true,"nmea":false}"#
  static let fix = #"{"class":"TPV","device":"/dev/a","mode":3,"lat":47.0,"lon":8.0}"#
  static let watch = "?WATCH={\"enable\":true,\"json\":true};\n"

  /// A session, the answers of its gpsd written by hand, and time passing as told.
  private struct Conversation {
    var session: GpsdSession
    var now = Instant.start

    init(device: String? = nil, random: Double = 0) {
      session = GpsdSession(GpsdSession.Settings(device: device)) { random }
    }

    mutating func input(_ input: GpsdSession.Input) -> [GpsdSession.Effect] { session.handle(input, at: now) }

    mutating func says(_ lines: String...) -> [GpsdSession.Effect] {
      input(.received(Array((lines.joined(separator: "\r\n") + "\r\n").utf8)))
    }

    /// Goes to the next deadline and answers what it brings.
    mutating func wait() -> [GpsdSession.Effect] {
      now = session.nextDeadline
      return input(.tick)
    }

    /// As far as the first report.
    mutating func establish() {
      _ = input(.tick)
      _ = input(.connected)
      _ = says(GpsdSessionTests.banner)
      _ = says(GpsdSessionTests.devices, GpsdSessionTests.echo, GpsdSessionTests.fix)
    }
  }

  private func text(_ effects: [GpsdSession.Effect]) -> [String] {
    effects.compactMap { if case .send(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
  }

  private func downs(_ effects: [GpsdSession.Effect]) -> [String] {
    effects.compactMap { if case .deliver(.link(.down(let reason))) = $0 { reason } else { nil } }
  }

  @Test func watchesAfterTheBannerAndIsUpAfterTheEcho() {
    var gpsd = Conversation()
    #expect(gpsd.input(.tick) == [.connect])
    #expect(gpsd.input(.connected) == [])
    #expect(text(gpsd.says(Self.banner)) == [Self.watch])
    let effects = gpsd.says(Self.devices, Self.echo)
    #expect(effects.last == .deliver(.link(.up(release: "3.22"))))
    #expect(gpsd.session.connects == 1)
  }

  @Test func pinsADeviceByItsPath() {
    var gpsd = Conversation(device: #"/dev/a"b"#)
    _ = gpsd.input(.tick)
    _ = gpsd.input(.connected)
    #expect(text(gpsd.says(Self.banner)) == [#"?WATCH={"enable":true,"json":true,"device":"/dev/a\"b"};"# + "\n"])
  }

  @Test func dropsReportsOfOtherDevicesThanThePinnedOne() {
    var gpsd = Conversation(device: "/dev/b")
    gpsd.establish()
    #expect(gpsd.says(Self.fix) == [])
    #expect(gpsd.says(#"{"class":"SKY","device":"/dev/a","uSat":3}"#) == [])
    #expect(gpsd.says(#"{"class":"TPV","device":"/dev/b","mode":1}"#).count == 1)
  }

  @Test func takesAnUnknownPinnedDeviceForAnAnswerAndAsksWhatThereIs() {
    var gpsd = Conversation(device: "/dev/b")
    _ = gpsd.input(.tick)
    _ = gpsd.input(.connected)
    _ = gpsd.says(Self.banner)
    let effects = gpsd.says(#"{"class":"ERROR","message":"No such device as /dev/b"}"#)
    #expect(effects.contains(.deliver(.report(.error("No such device as /dev/b")))))
    #expect(effects.contains(.deliver(.link(.up(release: "3.22")))))
    #expect(text(effects) == ["?DEVICES;\n"])
    _ = gpsd.says(#"{"class":"DEVICES","devices":[]}"#)
    // It may be plugged in later: the watch is tried again, and the same refusal is not repeated.
    #expect(text(gpsd.wait()).first?.hasPrefix("?WATCH") == true)
    #expect(gpsd.says(#"{"class":"ERROR","message":"No such device as /dev/b"}"#) == [])
  }

  @Test func givesUpWhereNoBannerComes() {
    var gpsd = Conversation()
    _ = gpsd.input(.tick)
    _ = gpsd.input(.connected)
    _ = gpsd.says("SSH-2.0-OpenSSH_9.2")
    let effects = gpsd.wait()
    #expect(gpsd.now.seconds == 10)
    #expect(effects.first == .close)
    #expect(downs(effects).first?.contains("no VERSION banner within 10.0 s") == true)
  }

  @Test func givesUpAnAttemptThatTakesTooLong() {
    var gpsd = Conversation()
    _ = gpsd.input(.tick)
    let effects = gpsd.wait()
    #expect(effects.first == .close)
    #expect(downs(effects).first?.hasPrefix("no connection within 10.0 s") == true)
  }

  @Test func givesUpWhereTheEchoSaysOtherwise() {
    var gpsd = Conversation()
    _ = gpsd.input(.tick)
    _ = gpsd.input(.connected)
    _ = gpsd.says(Self.banner)
    let effects = gpsd.says(
      #"{"class":"ERROR","message":"Unrecognized request"}"#, #"{"class":"WATCH","enable":true,"json":false}"#)
    #expect(effects.first == .deliver(.report(.error("Unrecognized request"))))
    #expect(effects.contains(.close))
    #expect(downs(effects).first?.contains("did not take the WATCH") == true)
  }

  @Test func givesUpWhereNoEchoComes() {
    var gpsd = Conversation()
    _ = gpsd.input(.tick)
    _ = gpsd.input(.connected)
    _ = gpsd.says(Self.banner)
    #expect(downs(gpsd.wait()).first?.hasPrefix("no answer to WATCH within 5.0 s") == true)
  }

  @Test func asksASilentGpsdAgainThenForItsDevicesThenConnectsAnew() {
    var gpsd = Conversation()
    gpsd.establish()
    #expect(text(gpsd.wait()) == [Self.watch])
    #expect(gpsd.now.seconds == 10)
    _ = gpsd.says(Self.devices, Self.echo)
    #expect(text(gpsd.wait()) == ["?DEVICES;\n"])
    #expect(gpsd.now.seconds == 12)
    _ = gpsd.says(Self.devices)
    // gpsd answers, so that this is no loss of gpsd.
    #expect(gpsd.wait() == [.close, .connect])
    #expect(gpsd.now.seconds == 22)
    _ = gpsd.input(.connected)
    _ = gpsd.says(Self.banner)
    #expect(!gpsd.says(Self.devices, Self.echo).contains(.deliver(.link(.up(release: "3.22")))))
    // The next round is twice as slow.
    _ = gpsd.wait()
    #expect(gpsd.now.seconds == 42)
  }

  /// Silent rounds, each answered by gpsd, until something else than a new connection comes of one.
  private func silentRounds(_ gpsd: inout Conversation, _ devices: String, most: Int) -> (
    rounds: Int, [GpsdSession.Effect]
  ) {
    for round in 1...most {
      _ = gpsd.wait()
      _ = gpsd.says(devices, Self.echo)
      _ = gpsd.wait()
      _ = gpsd.says(devices)
      let effects = gpsd.wait()
      guard effects == [.close, .connect] else { return (round, effects) }
      _ = gpsd.input(.connected)
      _ = gpsd.says(Self.banner)
      _ = gpsd.says(devices, Self.echo)
    }
    return (most, [])
  }

  /// gpsd may take a receiver for open that is gone, and then opens it anew only after nobody watched it for 60 s.
  @Test func staysAwayNowAndThenFromAReceiverThatIsListedAndSilent() {
    var gpsd = Conversation()
    gpsd.establish()
    let (rounds, effects) = silentRounds(&gpsd, Self.devices, most: 20)
    #expect(rounds == 4)
    #expect(effects == [.close])
    #expect(gpsd.session.nextDeadline - gpsd.now == 65)
    #expect(gpsd.wait() == [.connect])
    _ = gpsd.input(.connected)
    _ = gpsd.says(Self.banner)
    #expect(downs(gpsd.says(Self.devices, Self.echo)).isEmpty)
    #expect(silentRounds(&gpsd, Self.devices, most: 20).rounds == 8)
  }

  @Test func neverStaysAwayWhereGpsdHasNoReceiver() {
    var gpsd = Conversation()
    gpsd.establish()
    #expect(silentRounds(&gpsd, #"{"class":"DEVICES","devices":[]}"#, most: 30).rounds == 30)
  }

  /// An AIS receiver on the same gpsd talks on while the positioning one came back without gpsd being told.
  @Test func otherReportsDoNotEndTheSilence() {
    var gpsd = Conversation()
    gpsd.establish()
    var sent: [String] = []
    for second in 1...10 {
      gpsd.now = Instant(seconds: Double(second))
      sent += text(gpsd.says(#"{"class":"AIS","device":"/dev/b","type":1}"#)) + text(gpsd.input(.tick))
    }
    #expect(sent == [Self.watch])
  }

  @Test(arguments: [(30.0, 10.0, 5.0), (300, 10, 5), (15, 5, 2.5), (0, 1.6667, 2)])
  func asksBeforeTheFixCountsAsLost(lostAfterS: Double, silenceS: Double, answerS: Double) {
    let settings = GpsdSession.Settings(lostAfterS: lostAfterS)
    #expect(abs(settings.silenceS - silenceS) < 0.001)
    #expect(abs(settings.answerS - answerS) < 0.001)
    #expect(settings.silenceS + settings.answerS < max(lostAfterS, 5))
  }

  @Test func goesDownWhereASilentGpsdAnswersNothing() {
    var gpsd = Conversation()
    gpsd.establish()
    _ = gpsd.wait()
    let effects = gpsd.wait()
    #expect(gpsd.now.seconds == 15)
    #expect(effects.first == .close)
    #expect(downs(effects).count == 1)
  }

  @Test func reportsOfAReceiverEndTheSilence() {
    var gpsd = Conversation()
    gpsd.establish()
    for _ in 0..<100 {
      gpsd.now = gpsd.now + 9.9
      #expect(gpsd.says(Self.fix).count == 1)
      #expect(gpsd.input(.tick) == [])
    }
    #expect(gpsd.session.connects == 1)
  }

  @Test func waitsLongerAfterEachFailureAndSaysTheSameOnlyOnce() {
    var gpsd = Conversation(random: 0.999_999)
    var said: [String] = []
    var pauses: [Double] = []
    _ = gpsd.input(.tick)
    for _ in 0..<9 {
      said += downs(gpsd.input(.connectFailed(reason: "cannot connect: Connection refused")))
      let failed = gpsd.now
      #expect(gpsd.wait() == [.connect])
      pauses.append((gpsd.now - failed).rounded())
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    #expect(said == ["cannot connect: Connection refused"])
  }

  @Test func halvesThePauseAtTheMostByJitter() {
    var gpsd = Conversation(random: 0)
    _ = gpsd.input(.tick)
    _ = gpsd.input(.connectFailed(reason: "refused"))
    #expect(gpsd.session.nextDeadline.seconds == 0.5)
  }

  @Test func startsOverWithTheFirstPauseOnlyAfterAConnectionThatHeld() {
    var gpsd = Conversation()
    // gpsd falls over as soon as it is watched: the pauses grow all the same.
    var pauses: [Double] = []
    for _ in 0..<4 {
      gpsd.establish()
      _ = gpsd.input(.closed(reason: "gpsd closed the connection"))
      pauses.append(gpsd.session.nextDeadline - gpsd.now)
      gpsd.now = gpsd.session.nextDeadline
    }
    #expect(pauses == [0.5, 1, 2, 4])
    gpsd.establish()
    gpsd.now = gpsd.now + 10
    _ = gpsd.says(Self.fix)
    _ = gpsd.input(.closed(reason: "gpsd closed the connection"))
    #expect(gpsd.session.nextDeadline - gpsd.now == 0.5)
  }

  @Test func aNewConnectionForgetsHalfALineOfTheOldOne() {
    var gpsd = Conversation()
    gpsd.establish()
    _ = gpsd.input(.received(Array(#"{"class":"TPV","mo"#.utf8)))
    _ = gpsd.input(.closed(reason: "gone"))
    _ = gpsd.wait()
    _ = gpsd.input(.connected)
    #expect(text(gpsd.says(Self.banner)) == [Self.watch])
  }

  @Test func countsBadLinesAndGoesOn() {
    var gpsd = Conversation()
    gpsd.establish()
    let long = String(repeating: "x", count: 70_000)
    let effects = gpsd.says("{", "[]", long, Self.fix)
    #expect(
      effects.prefix(3) == [
        .deliver(.unreadable(.notJSON)), .deliver(.unreadable(.noClass)), .deliver(.unreadable(.tooLong)),
      ])
    #expect(effects.count == 4)
  }

  @Test func countsWhatItIgnoresWithoutGrowing() {
    var gpsd = Conversation()
    gpsd.establish()
    for number in 0..<100 { _ = gpsd.says("{\"class\":\"X\(number)\"}") }
    #expect(gpsd.session.ignored.count == 33)
    #expect(gpsd.session.ignored.values.reduce(0, +) == 100)
  }

  @Test func neverPolls() {
    var gpsd = Conversation()
    var sent: [String] = []
    gpsd.establish()
    for _ in 0..<60 {
      sent += text(gpsd.wait())
      sent += text(gpsd.input(.connected))
      sent += text(gpsd.says(Self.banner))
      sent += text(gpsd.says(Self.devices, Self.echo))
    }
    #expect(sent.count >= 50)
    #expect(sent.allSatisfy { $0 == Self.watch || $0 == "?DEVICES;\n" })
  }

  @Test func alwaysHasALaterDeadlineAfterOneWasKept() {
    var random = SeededRandom(seed: 3)
    var gpsd = Conversation()
    for _ in 0..<8_000 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: _ = gpsd.input(.connected)
      case 1: _ = gpsd.input(.closed(reason: "a"))
      case 2: _ = gpsd.input(.connectFailed(reason: "b"))
      case 3: _ = gpsd.says(Self.banner)
      case 4: _ = gpsd.says(Self.devices, Self.echo)
      case 5: _ = gpsd.says(Self.fix)
      case 6: _ = gpsd.says(#"{"class":"ERROR","message":"m"}"#)
      default:
        gpsd.now = max(gpsd.now, gpsd.session.nextDeadline)
        _ = gpsd.input(.tick)
        #expect(gpsd.session.nextDeadline > gpsd.now)
      }
    }
  }
}
