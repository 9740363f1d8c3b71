import Telemetry
import Testing

@Suite struct CommandTests {
  private func problem(_ text: String) -> DecodingProblem? {
    do throws(DecodingProblem) {
      _ = try CommandMessage.decode(payload: Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test func aCommandReadsBackAsItself() throws {
    let settings: [SettingValue?] = [.number(-0.25), .text("all"), .text(""), .flag(true), .flag(false), nil]
    let set = settings.map { CommandMessage(id: "s", .set, setting: .init("shake.on_g", $0)) }
    let others = [CommandMessage(id: "1", .arm), .init(id: "x", .live, forS: 0), .init(id: "c", .calibrate)]
    for command in [Examples.command] + others + set {
      #expect(try CommandMessage.decode(payload: command.encode()) == command)
    }
  }

  @Test(arguments: [
    (#"{"v":1,"command":"arm"}"#, "id"), (#"{"v":1,"id":"","command":"arm"}"#, "id"),
    (#"{"v":1,"id":"a","command":"explode"}"#, "command"), (#"{"v":1,"id":"a"}"#, "command"),
    (#"{"v":1,"id":"a","command":"live"}"#, "for_s"), (#"{"v":1,"id":"a","command":"live","for_s":3601}"#, "for_s"),
    (#"{"v":1,"id":"a","command":"live","for_s":-1}"#, "for_s"),
    (#"{"v":1,"id":"a","command":"calibrate","for_s":9}"#, "for_s"), (#"{"v":1,"id":"a","command":"set"}"#, "key"),
    (#"{"v":1,"id":"a","command":"set","key":""}"#, "key"), (#"{"v":1,"id":"a","command":"set","key":7}"#, "key"),
    (#"{"v":1,"id":"a","command":"set","key":"k","value":null}"#, "value"),
    (#"{"v":1,"id":"a","command":"set","key":"k","value":[1]}"#, "value"),
    (#"{"v":1,"id":"a","command":"set","key":"k","value":{}}"#, "value"),
    (#"{"v":1,"id":"a","command":"arm","author":""}"#, "author"),
    (#"{"v":1,"id":"a","command":"arm","expires_t":"soon"}"#, "expires_t"), (#"{"id":"a","command":"arm"}"#, "v"),
  ])
  func aWrongCommandIsRefusedByItsKey(text: String, key: String) {
    #expect(problem(text)?.key == key)
  }

  @Test func hostileKeysAndValuesAreRefusedOrReadAsTheyAre() throws {
    func set(_ key: String, _ value: String) -> String {
      #"{"v":1,"id":"a","command":"set","key":"\#(key)","value":\#(value)}"#
    }
    #expect(problem(set(String(repeating: "k", count: 129), "1"))?.key == "key")
    #expect(problem(set("k", "\"" + String(repeating: "v", count: 1025) + "\""))?.key == "value")
    #expect(problem(set("k", "1e999"))?.reason == .notFinite)
    for value in ["NaN", "Infinity", "-", "01", "0x10", "1_000"] {
      #expect(problem(set("k", value))?.reason == .syntax, "\(value)")
    }
    let text = try CommandMessage.decode(payload: Array(set(#"\u001b[2J\u202e"#, #""NaN""#).utf8))
    #expect(text.setting == .init("\u{1b}[2J\u{202e}", .text("NaN")), "the node's configuration judges it")
    #expect(!text.encode().contains { $0 < 0x20 })
  }

  @Test func theIdIsFoundInWhatCannotBeDone() {
    #expect(CommandMessage.id(ofUnreadable: Array(#"{"v":2,"id":"a7"}"#.utf8)) == "a7")
    #expect(CommandMessage.id(ofUnreadable: Array(#"{"id":7}"#.utf8)) == nil)
    #expect(CommandMessage.id(ofUnreadable: Array(#"{"id":""}"#.utf8)) == nil)
    #expect(CommandMessage.id(ofUnreadable: Array("live".utf8)) == nil)
  }

  @Test func whatWasNotDoneHasAReason() throws {
    let text = #"{"v":1,"boot":"00c0ffee","t":1796012300.25,"clk":"ntp","up":800.82,"id":"a8","ok":false}"#
    #expect(throws: DecodingProblem.self) { try Telegram.decode(stream: .reply, payload: Array(text.utf8)) }
  }

  @Test func aWaveformsAxesAreOfOneLength() {
    let start =
      #"{"v":1,"boot":"00c0ffee","seq":1,"t":1796012300,"clk":"ntp","up":8,"id":1,"chunk":0,"start_t":1796012299,"#
      + #""dt_s":0.01,"lsb_g":0.001,"#
    for axes in [
      #""x":[],"y":[],"z":[]}"#, #""x":[1],"y":[1,2],"z":[1]}"#, #""x":[1],"y":[1],"z":[]}"#,
      #""x":[1.5],"y":[1],"z":[1]}"#, #""x":[2147483648],"y":[1],"z":[1]}"#, #""x":[1],"y":[1]}"#,
    ] {
      let payload = Array((start + axes).utf8)
      #expect(throws: DecodingProblem.self, "\(axes)") { try Telegram.decode(stream: .waveform, payload: payload) }
    }
    let most = "[" + String(repeating: "0,", count: WaveformMessage.mostSamples) + "0]"
    let payload = Array((start + #""x":\#(most),"y":\#(most),"z":\#(most)}"#).utf8)
    #expect(throws: DecodingProblem.self) { try Telegram.decode(stream: .waveform, payload: payload) }
  }
}

/// What the fleet tool is asked, and what it answers.
@Suite struct ControlMessageTests {
  @Test func aCompleteRequestReadsBack() throws {
    #expect(try ControlMessage.decode(payload: Examples.control.encode()) == Examples.control)
    #expect(try ControlReply.decode(payload: Examples.controlReply.encode()) == Examples.controlReply)
  }

  @Test(arguments: [
    (#""command":"silence""#, "duration_s"), (#""command":"unsilence""#, "target"), (#""command":"unwish""#, "target"),
    (#""command":"wish","end_t":5"#, "node"), (#""command":"wish","end_t":5,"node":"a""#, "verb"),
    (#""command":"wish","end_t":5,"node":"a","verb":"live""#, "for_s"),
    (#""command":"wish","end_t":5,"node":"a","verb":"set""#, "key"), (#""command":"explode""#, "command"),
    (#""command":"silence","duration_s":-1"#, "duration_s"), (#""command":"acknowledge","all":1"#, "all"),
  ])
  func whatIsMissingOrWrongIsNamed(members: String, key: String) {
    let payload = #"{"v":1,"id":"a","t":1,"expires_t":2,"author":"x",\#(members)}"#
    let problem = #expect(throws: DecodingProblem.self) { try ControlMessage.decode(payload: Array(payload.utf8)) }
    #expect(problem?.description.contains("\"\(key)\"") == true)
  }

  @Test func anIdHas1To64Bytes() {
    for id in ["", String(repeating: "x", count: 65)] {
      let payload = #"{"v":1,"id":"\#(id)","command":"acknowledge","t":1,"expires_t":2,"author":"x"}"#
      #expect(throws: DecodingProblem.self) { try ControlMessage.decode(payload: Array(payload.utf8)) }
    }
  }

  @Test func aReplyNamesAHundredAlertsAtTheMost() throws {
    let alerts = (0..<101).map { "shake n\($0)" }
    let reply = ControlReply(id: "a", nil, time: WallTime(seconds: 1), .done, "done", alerts: alerts)
    #expect(throws: DecodingProblem.self) { try ControlReply.decode(payload: reply.encode()) }
  }
}
