import Telemetry
import Testing

@Suite struct TopicTests {
  private func reason(_ text: String, under pattern: String = "judder") throws -> TopicProblem.Reason? {
    let pattern = try PrefixPattern(pattern)
    do {
      _ = try Topic(text, under: pattern)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func aTopicReadsBackAsItself() throws {
    let node = try #require(NodeName("pump-7"))
    for prefix in ["judder", "a/b", "Acme GmbH/zürich/judder", "a/b/c/d/e/f"] {
      for stream in Stream.allCases {
        let topic = Topic(prefix: try TopicPrefix(prefix), node: node, stream: stream)
        #expect(topic.description == "\(prefix)/pump-7/\(stream.rawValue)")
        #expect(try Topic(topic.description, under: PrefixPattern(topic.prefix)) == topic)
      }
    }
  }

  @Test func everyWrongShapeHasItsReason() throws {
    #expect(try reason("judder/pump-7/shake") == nil)
    #expect(try reason("judder/pump-7") == .levels)
    #expect(try reason("judder/pump-7/shake/x") == .levels)
    #expect(try reason("judder/pump-7/shake/waveform") == nil)
    #expect(try reason("judder/shake/waveform") == .levels)
    #expect(try reason("judder/pump-7/waveform") == .stream)
    #expect(try reason("judder/pump-7/shake/waveform/x") == .levels)
    #expect(try reason("judder/pump-7/shake/") == .levels)
    #expect(try reason("/judder/pump-7/shake") == .levels)
    #expect(try reason("") == .levels)
    #expect(try reason(String(repeating: "/", count: 65_535)) == .levels)
    #expect(try reason("other/pump-7/shake") == .prefix)
    #expect(try reason("Judder/pump-7/shake") == .prefix)
    #expect(try reason("judder/Pump-7/shake") == .node)
    #expect(try reason("judder//shake") == .node)
    #expect(try reason("judder/-a/shake") == .node)
    #expect(try reason("judder/+/shake") == .node)
    #expect(try reason("judder/\u{1B}[2J/shake") == .node)
    #expect(try reason("judder/" + String(repeating: "a", count: 64) + "/shake") == .node)
    #expect(try reason("judder/pump-7/Shake") == .stream)
    #expect(try reason("judder/pump-7/command") == .stream)
    #expect(try reason("judder/pump-7/") == .stream)
    #expect(try reason("judder/\u{301}pump-7/shake") == .node)
  }

  @Test func anAcknowledgementsTopicReadsBackAsItself() throws {
    let topic = AckTopic(prefix: try TopicPrefix("a/b"), node: try #require(NodeName("pump-7")))
    #expect(topic.description == "a/b/pump-7/ack")
    #expect(AckTopic("a/b/pump-7/ack", under: try PrefixPattern("+/b")) == topic)
    for text in ["a/b/pump-7/command", "a/c/pump-7/ack", "a/b/Pump/ack", "a/b/pump-7/ack/x", "ack"] {
      #expect(AckTopic(text, under: try PrefixPattern("a/b")) == nil, "\(text)")
    }
  }

  @Test func aCommandsTopicReadsBackAsItself() throws {
    let topic = CommandTopic(prefix: try TopicPrefix("a/b"), node: try #require(NodeName("pump-7")))
    #expect(topic.description == "a/b/pump-7/command")
    #expect(CommandTopic("a/b/pump-7/command", under: try PrefixPattern("a/+")) == topic)
    for text in ["a/b/pump-7/shake", "a/c/pump-7/command", "a/b/Pump/command", "a/b/pump-7/command/x", "command"] {
      #expect(CommandTopic(text, under: try PrefixPattern("a/b")) == nil, "\(text)")
    }
  }

  @Test func theComplaintIsSafeToShow() throws {
    let pattern = try PrefixPattern("judder")
    do {
      _ = try Topic("judder/\u{1B}[2J/shake", under: pattern)
      Issue.record("accepted")
    } catch {
      #expect(
        error.description
          == #"topic "judder/\u{1b}[2J/shake" has no valid node name, expected [a-z0-9][a-z0-9-]{0,62}"#)
    }
  }

  @Test func aPlusStandsForOneLevelOfThePrefix() throws {
    #expect(try reason("site-1/judder/n/shake", under: "+/judder") == nil)
    #expect(try reason("site-1/other/n/shake", under: "+/judder") == .prefix)
    #expect(try reason("judder/n/shake", under: "+/judder") == .levels)
    #expect(try reason("+/judder/n/shake", under: "+/judder") == .prefix)
    #expect(try reason("/judder/n/shake", under: "+/judder") == .prefix)
    #expect(try Topic("site-1/judder/n/shake", under: PrefixPattern("+/judder")).prefix.description == "site-1/judder")
    let pattern = try PrefixPattern("+/judder")
    #expect(pattern.matches(try TopicPrefix("x/judder")))
    #expect(!pattern.matches(try TopicPrefix("judder")))
    #expect(!pattern.matches(try TopicPrefix("x/y/judder")))
    #expect(pattern.subscription == "+/judder/+/+")
    #expect(pattern.subscription(to: .shake) == "+/judder/+/shake")
  }

  @Test(arguments: [
    "", "/", "a/", "/a", "a//b", "#", "a/#", "a+", "a/+b", "$SYS", "$share/g", "a\u{0}", "a\nb", "a/\u{202E}b",
    "a/b/c/d/e/f/g", String(repeating: "a", count: 201),
  ])
  func whatIsNoPrefixIsRefused(text: String) {
    #expect(throws: PrefixProblem.self) { try TopicPrefix(text) }
    #expect(throws: PrefixProblem.self) { try PrefixPattern(text) }
  }

  @Test func wildcardsAreForPatternsOnly() throws {
    #expect(try PrefixPattern("+").levels == ["+"])
    #expect(throws: PrefixProblem.self) { try TopicPrefix("+/judder") }
    do {
      _ = try TopicPrefix("+/judder")
    } catch {
      #expect(error.description == #"prefix "+/judder": wildcards are not allowed here"#)
    }
  }

  @Test(arguments: [
    ("pump-7", "pump-7"), ("Pump_7.example.org", "pump-7-example-org"), ("--x--", "x"), ("Zürich", "z-rich"),
    (String(repeating: "a", count: 80), String(repeating: "a", count: 63)),
    (String(repeating: "a", count: 62) + ".b", String(repeating: "a", count: 62)), ("7", "7"),
  ])
  func anyHostNameBecomesANodeName(host: String, name: String) {
    #expect(NodeName(fromHostName: host)?.description == name)
  }

  @Test(arguments: ["", "-", "...", "東京", "(("])
  func aHostNameOfNothingUsableIsNoName(host: String) {
    #expect(NodeName(fromHostName: host) == nil)
  }

  @Test func nodeNamesAreStrict() {
    #expect(NodeName("a") != nil && NodeName("0-a") != nil && NodeName(String(repeating: "z", count: 63)) != nil)
    for text in ["", "-a", "A", "a_b", "a b", "a/b", "é", "a\u{301}", String(repeating: "z", count: 64)] {
      #expect(NodeName(text) == nil, "\(text)")
    }
  }

  @Test func theFleetToolsOwnTopicsReadBack() throws {
    let prefix = TopicPrefix.standardFleet
    let alert = FleetTopic.alert(rule: "lost-fix", subject: "pump-7")
    #expect(FleetTopic.status.text(under: prefix) == "judder-fleet/status")
    #expect(alert.text(under: prefix) == "judder-fleet/alerts/lost-fix/pump-7")
    for topic in [FleetTopic.status, .command, .reply] {
      #expect(FleetTopic(topic.text(under: prefix), under: prefix) == topic)
    }
    #expect(FleetTopic("judder-fleet/alerts/lost-fix/pump-7", under: prefix) == alert)
    #expect(FleetTopic.alertSubscription(under: prefix) == "judder-fleet/alerts/+/+")
    for text in [
      "judder-fleet", "judder-fleet/alerts/a", "judder-fleet/alerts/a/b/c", "judder/status", "judder-fleet/alerts/A/b",
    ] {
      #expect(FleetTopic(text, under: prefix) == nil)
    }
  }

  @Test func bootIDsAreStrict() {
    #expect(BootID("00c0ffee")?.value == 0xC0FFEE)
    #expect(BootID(0xC0FFEE).description == "00c0ffee")
    for text in ["", "c0ffee", "00C0FFEE", "+0c0ffee", "-0c0ffee", "00c0ffeeg", "0x00ffee", "00c0 fee"] {
      #expect(BootID(text) == nil)
    }
  }
}
