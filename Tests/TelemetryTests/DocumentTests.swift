import Foundation
import Telemetry
import Testing

/// docs/MESSAGES.md against the code: every example is read and written again, every key stands in a table.
@Suite struct DocumentTests {
  /// One heading of the document with what stands under it.
  private struct Section {
    var title: String
    /// Keys of the tables, as `last.lat`.
    var keys: Set<String> = []
    var examples: [String] = []
  }

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private let sections: [Section]

  init() throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent("docs/MESSAGES.md"), encoding: .utf8)
    var sections = [Section(title: "")]
    var isInExample = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInExample = line == "```json"
      } else if isInExample {
        sections[sections.count - 1].examples.append(String(line))
      } else if line.hasPrefix("#") {
        sections.append(Section(title: line.drop { $0 == "#" || $0 == " " }.filter { $0 != "`" }))
      } else if line.hasPrefix("| `"), let key = line.split(separator: "`").dropFirst().first {
        sections[sections.count - 1].keys.insert(String(key))
      }
    }
    self.sections = sections
  }

  private func section(_ title: String) throws -> Section {
    try #require(sections.first { $0.title == title }, "docs/MESSAGES.md has no section \(title)")
  }

  /// Every key of a message, those inside objects with their path.
  private func keys(_ value: JSONValue, path: String = "") -> Set<String> {
    var found: Set<String> = []
    for member in value.members ?? [] {
      found.insert(path + member.key)
      found.formUnion(keys(member.value, path: "\(path)\(member.key)."))
    }
    return found
  }

  @Test(arguments: Telemetry.Stream.allCases)
  func everyStreamHasExamplesThatReadAndWriteTheSame(stream: Telemetry.Stream) throws {
    let section = try section(stream.rawValue)
    #expect(!section.examples.isEmpty)
    let documented = section.keys.union(try self.section("Envelope").keys)
    var shown: Set<String> = []
    for example in section.examples {
      let telegram = try Telegram.decode(stream: stream, payload: Array(example.utf8))
      #expect(telegram.body.stream == stream)
      #expect(String(decoding: telegram.encode(), as: UTF8.self) == example)
      shown.formUnion(keys(try JSONValue.parse(Array(example.utf8))))
    }
    #expect(shown.subtracting(documented) == [], "in examples but in no table")
    #expect(section.keys.subtracting(shown) == [], "in tables but in no example")
  }

  @Test func theFleetToolsExamplesReadAndWriteTheSame() throws {
    for example in try section("judder-fleet/status").examples {
      let payload = Array(example.utf8)
      #expect(try FleetStatusMessage.decode(payload: payload).encode() == payload)
    }
    for example in try section("Commands").examples {
      let payload = Array(example.utf8)
      #expect(try CommandMessage.decode(payload: payload).encode() == payload)
    }
    for example in try section("judder-fleet/command").examples {
      let payload = Array(example.utf8)
      #expect(try ControlMessage.decode(payload: payload).encode() == payload)
    }
    for example in try section("judder-fleet/reply").examples {
      let payload = Array(example.utf8)
      #expect(try ControlReply.decode(payload: payload).encode() == payload)
    }
    for example in try section("Acknowledgements").examples {
      let payload = Array(example.utf8)
      #expect(try AckMessage.decode(payload: payload).encode() == payload)
    }
    for example in try section("judder-fleet/alerts/<rule>/<subject>").examples {
      let payload = Array(example.utf8)
      #expect(try AlertMessage.decode(payload: payload).encode() == payload)
    }
  }

  @Test func everyKeyOfACompleteMessageIsDocumented() throws {
    let envelope = try section("Envelope").keys
    for telegram in Examples.full {
      let found = keys(try JSONValue.parse(telegram.encode()))
      let documented = try section(telegram.body.stream.rawValue).keys.union(envelope)
      #expect(found.subtracting(documented) == [], "\(telegram.body.stream)")
    }
    let fleet = keys(try JSONValue.parse(Examples.fleetStatus.encode()))
    #expect(fleet == (try section("judder-fleet/status").keys))
    #expect(keys(try JSONValue.parse(Examples.command.encode())) == (try section("Commands").keys))
    let control = keys(try JSONValue.parse(Examples.control.encode()))
    #expect(control == (try section("judder-fleet/command").keys))
    let controlReply = keys(try JSONValue.parse(Examples.controlReply.encode()))
    #expect(controlReply == (try section("judder-fleet/reply").keys))
    #expect(keys(try JSONValue.parse(Examples.ack.encode())) == (try section("Acknowledgements").keys))
    let alert = keys(try JSONValue.parse(Examples.alert.encode()))
    #expect(alert == (try section("judder-fleet/alerts/<rule>/<subject>").keys))
  }

  /// The complete messages of `everyKeyOfACompleteMessageIsDocumented` really are complete: no codec writes a key that
  /// none of them has.
  @Test func everyKeyInTheCodecsIsInACompleteMessage() throws {
    let folder = Self.root.appendingPathComponent("Sources/Telemetry/Codec")
    let pattern = /json\.(?:number|integer|string|text|setting|boolean|vector|object|array|runs)\("([a-z0-9_]+)"/
    var written: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let source = try String(contentsOf: file, encoding: .utf8)
      written.formUnion(source.matches(of: pattern).map { String($0.output.1) })
    }
    var complete = keys(try JSONValue.parse(Examples.fleetStatus.encode()))
    complete.formUnion(keys(try JSONValue.parse(Examples.alert.encode())))
    complete.formUnion(keys(try JSONValue.parse(Examples.command.encode())))
    complete.formUnion(keys(try JSONValue.parse(Examples.ack.encode())))
    complete.formUnion(keys(try JSONValue.parse(Examples.control.encode())))
    complete.formUnion(keys(try JSONValue.parse(Examples.controlReply.encode())))
    for telegram in Examples.full { complete.formUnion(keys(try JSONValue.parse(telegram.encode()))) }
    let last = Set(complete.compactMap { $0.split(separator: ".").last.map(String.init) })
    #expect(written.count > 60)
    #expect(written.symmetricDifference(last) == [])
  }

  @Test func theTableOfStreamsAgreesWithTheCode() throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent("docs/MESSAGES.md"), encoding: .utf8)
    for stream in Telemetry.Stream.allCases {
      let (kept, event) = (stream.isRetained ? "yes" : "no", stream.isEvent ? "yes" : "no")
      let row = "| `\(stream.rawValue)` | \(stream.qos) | \(kept) | \(event) |"
      #expect(text.contains(row), "\(row)")
    }
  }

  @Test func everyWordOfEveryClosedSetIsDocumented() throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent("docs/MESSAGES.md"), encoding: .utf8)
    var words = ClockQuality.allCases.map(\.rawValue) + StatusMessage.State.allCases.map(\.rawValue)
    words += AccelerationMessage.Filter.allCases.map(\.rawValue) + ShakeMessage.Phase.allCases.map(\.rawValue)
    words +=
      ShakeMessage.Reason.allCases.map(\.rawValue) + Axis.allCases.map(\.rawValue) + Face.allCases.map(\.rawValue)
    words += CommandMessage.Verb.allCases.map(\.rawValue) + ControlMessage.Verb.allCases.map(\.rawValue)
    words += ControlReply.Result.allCases.map(\.rawValue)
    words += LocationMessage.Position.Cause.allCases.map(\.rawValue)
    words += LocationMessage.Position.AccuracySource.allCases.map(\.rawValue)
    words += LocationMessage.Position.AltitudeSource.allCases.map(\.rawValue)
    words += LocationMessage.Position.Status.allCases.map(\.rawValue)
    words += LocationMessage.Loss.Rejection.allCases.map(\.rawValue)
    words += GeofenceMessage.Event.allCases.map(\.rawValue)
    words += LocationMessage.Loss.Reason.allCases.map(\.rawValue) + AlertMessage.State.allCases.map(\.rawValue)
    words +=
      HealthMessage.Accelerometer.State.allCases.map(\.rawValue) + HealthMessage.GPS.State.allCases.map(\.rawValue)
    words += EvictedMessage.Reason.allCases.map(\.rawValue) + FleetStatusMessage.Store.allCases.map(\.rawValue)
    words += HealthMessage.Spool.State.allCases.map(\.rawValue)
    words += HealthMessage.Spool.Delivery.allCases.map(\.rawValue)
    for word in words { #expect(text.contains("`\(word)`"), "\(word)") }
  }
}
