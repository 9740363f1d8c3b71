import FleetLogic
import Telemetry
import Testing

/// What a node's answer says to people.
@Suite struct ReplyTextTests {
  @Test func aChangeIsToldWithWhatHeldBefore() {
    var reply = ReplyMessage(id: "a", .set, isDone: true)
    reply.change = .init("shake.on_g", from: .number(0.7), to: .number(0.0005), isKept: true)
    #expect(ReplyText.lines(reply) == ["shake.on_g = 0.0005, was 0.7"])
    reply.change = .init("impact.enabled", from: nil, to: .flag(true), isKept: false)
    #expect(ReplyText.lines(reply) == ["impact.enabled = true, was not set, until it is started anew"])
    reply.note = "it holds until the restart: it has no disk"
    #expect(ReplyText.lines(reply) == ["impact.enabled = true, was not set", reply.note])
  }

  @Test func figuresThatAreUnknownAreLeftOut() {
    var reply = ReplyMessage(id: "a", .calibrate, isDone: true)
    reply.rest = RestFigures(
      durationS: 10, samples: 1000, rateHz: 100, meanG: Vector(0, 0, 0.998), noiseMg: Vector(1, 1, 1), inBandMg: 0.7)
    let lines = ReplyText.lines(reply)
    #expect(lines.first == "samples  1000 in 10.0 s, 100.00 Hz, 0 missed")
    #expect(lines.contains("gravity  0.9980 g, -2.0 mg") && !lines.contains { $0.hasPrefix("up") })
  }

  @Test func whatStrangersWroteIsEscaped() {
    var reply = ReplyMessage(id: "a", .set, isDone: true)
    reply.change = .init("k\u{1b}[2J", from: .text("\u{202e}"), to: .text("a\nb"), isKept: true)
    reply.note = "\u{7}"
    for line in ReplyText.lines(reply) {
      #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202e}" }, "\(line)")
    }
  }

  @Test func aCommandIsShownWithWhatItTakes() {
    #expect(ReplyText.argument(.init(.live, forS: 60)) == " 60")
    #expect(ReplyText.argument(.init(.arm)) == "")
    #expect(ReplyText.argument(.init(.set, setting: .init("shake.on_g", .number(0.9)))) == " shake.on_g=0.9")
    #expect(ReplyText.argument(.init(.set, setting: .init("shake.on_g", nil))) == " shake.on_g=")
  }
}
