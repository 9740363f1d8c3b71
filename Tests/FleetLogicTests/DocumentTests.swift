import FleetLogic
import Foundation
import Telemetry
import Testing

/// docs/MESSAGES.md against what the fleet tool makes of its own examples.
@Suite struct DocumentTests {
  /// The lines of the document that are examples.
  private static func examples() throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "docs/MESSAGES.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("{") }.map(String.init)
  }

  @Test func theAlertIsWhatTheFleetToolMakesOfTheLossInTheDocument() throws {
    let examples = try Self.examples()
    let alert = try #require(examples.first { $0.contains(#""rule":"lost-fix""#) })
    let online = try #require(examples.first { $0.contains(#""state":"online","agent":"0.1.0","accelerometer""#) })
    let loss = try #require(examples.first { $0.contains(#""reason":"no_fix""#) })
    let told = try AlertMessage.decode(payload: Array(alert.utf8))
    let name = try #require(told.node.flatMap { NodeName($0) })
    var configuration = FleetState.Configuration(graceS: 0, rules: [Rule(name: told.rule, kind: .lostFix)])
    configuration.labels = [name: Label(title: told.title, site: told.site, group: told.group)]
    var bench = Bench(configuration)
    bench.now = Instant.start + (told.since.seconds - Bench.epoch)
    _ = bench.raw("judder/\(name)/status", Array(online.utf8))
    _ = bench.raw("judder/\(name)/location", Array(loss.utf8))
    let published = bench.pass(60).publications.filter { $0.topic.contains("/alerts/") }
    #expect(published.map { String(decoding: $0.payload, as: UTF8.self) } == [alert])
  }
}
