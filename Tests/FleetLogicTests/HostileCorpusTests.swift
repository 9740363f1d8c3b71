import Foundation
import FoundationXML
import Rig
import Telemetry
import Testing

@testable import FleetLogic

/// Several hundred hostile messages through all that shows, prints, writes and publishes.
@Suite struct HostileCorpusTests {
  private let corpus = HostileCorpus(canary: "/nonexistent", time: Int(Bench.epoch))

  private func bench() -> Bench {
    var geofence = Rule(name: "geofence", kind: .geofence)
    geofence.severity = .critical
    return Bench(
      FleetState.Configuration(graceS: 0, rules: [geofence, Rule(name: "shake", kind: .shake)], keeps: true))
  }

  /// All of it, with a real node among it.
  private func run(_ bench: inout Bench, _ look: (HostileMessage, [Effect], Bench) -> Void) -> [Effect] {
    bench.send("pump-7", .online())
    var effects: [Effect] = []
    for (number, message) in (corpus.retained + corpus.messages + corpus.ends).enumerated() {
      if number == 200 { effects += bench.send("pump-7", .shake(1)) }
      if number == 500 { effects += bench.send("pump-7", .shake(1, .ended)) }
      let answer = bench.fleet.handle(
        .message(topic: message.topic, payload: message.payload, retained: message.isRetained), at: bench.now)
      look(message, answer, bench)
      effects += answer
      effects += bench.pass(0.05)
    }
    return effects + bench.pass(60)
  }

  @Test func theCorpusIsLargeAndAlwaysTheSame() {
    let all = corpus.retained + corpus.messages + corpus.ends
    #expect(all.count >= 300, "\(all.count)")
    let again = HostileCorpus(canary: "/nonexistent", time: Int(Bench.epoch))
    #expect(corpus.messages.map(\.payload) == again.messages.map(\.payload))
    #expect(Set(corpus.texts.all).count > 100)
  }

  @Test func everyMessageIsCountedByOneReasonAndTheSumIsRight() {
    var bench = bench()
    var before = bench.fleet.tally
    _ = run(&bench) { message, _, now in
      let tally = now.fleet.tally
      #expect(tally.accounted == tally.received, "\(message.sample)")
      #expect(tally.received > before.received, "\(message.sample)")
      before = tally
    }
    #expect(before.rejected.count >= 12, "\(before.rejected)")
    #expect(before.rejectedTotal > 300 && before.newest > 300)
    // What a person is told adds up, too.
    let parts = before.account.split(separator: "(")
    let numbers = parts[0].split { !$0.isNumber }.compactMap { Int($0) }
    let reasons = parts.last ?? ""
    #expect(numbers.count == 4 && numbers[0] == before.received, "\(before.account)")
    #expect(numbers.dropFirst().reduce(0, +) == before.received, "\(before.account)")
    #expect(reasons.split(separator: ",").count == before.rejected.count && reasons.contains("payload_syntax "))
  }

  @Test func alertsOfTheRealNodeAreUnaffected() {
    var bench = bench()
    let effects = run(&bench) { _, _, _ in }
    let real = effects.fullAlerts.filter { $0.subject.description == "pump-7" }
    #expect(real.map(\.state) == [.firing, .resolved] && real.allSatisfy { $0.rule == "shake" })
    #expect(bench.node("pump-7")?.presence == .online && bench.node("pump-7")?.boot == BootID(1))
    let evil = effects.fullAlerts.filter { $0.rule == "geofence" }
    let texts = corpus.texts.all
    let named = texts.indices.filter { texts[$0].utf8.count <= GeofenceMessage.longestNameBytes }
    #expect(named.count > 100)
    let silent = (named.map { "evil-\($0) firing" } + texts.indices.map { "kept-\($0) resolved" }).filter { name in
      !evil.contains { "\($0.subject) \($0.state.rawValue)" == name }
    }
    #expect(silent.isEmpty, "each fence that is left, and each alert that was kept and ends")
  }

  @Test func nothingIsShownRawAndAllJSONParses() {
    var bench = bench()
    var texts: Set<String> = []
    let effects = run(&bench) { _, effects, _ in
      for text in effects.shown where !text.unshowable.isEmpty { texts.insert(text) }
    }
    for text in texts { Issue.record("\(text.debugDescription)") }
    for alert in effects.fullAlerts {
      #expect((try? JSONValue.parse(FleetJSON.alert(alert))) != nil)
    }
    for publication in effects.publications where !publication.payload.isEmpty {
      #expect((try? JSONValue.parse(publication.payload)) != nil)
    }
    var shown = FleetTable(width: 200).lines(bench.fleet, at: bench.now)
    shown += FleetTable(width: 80, height: 24).lines(bench.fleet, at: bench.now)
    for change in effects.changes {
      guard let node = bench.fleet.node(change.node) else { continue }
      shown.append(String(decoding: FleetJSON.change(change, node, bench.fleet.clock), as: UTF8.self))
      if let line = PlainLine.of(change) { shown.append(line) }
    }
    for node in bench.fleet.nodes {
      let json = FleetJSON.node(node, at: bench.fleet.moment(bench.now), bench.fleet.clock)
      #expect((try? JSONValue.parse(json)) != nil)
      shown.append(String(decoding: json, as: UTF8.self))
    }
    #expect(shown.count > 1000)
    for line in shown where !line.unshowable.isEmpty || line.contains("\n") { Issue.record("\(line.debugDescription)") }
  }

  @Test(arguments: ExportFormat.allCases)
  func exportsAreSoundWhateverTheyHold(format: ExportFormat) throws {
    var bench = bench()
    let events = run(&bench) { _, _, _ in }.keptEvents.sorted { $0.node < $1.node }
    #expect(events.count > 100)
    var export = format.make()
    var text = export.begin()
    for event in events where format.streams?.contains(event.stream) != false { text += export.add(event) }
    text += export.end()
    #expect(text.replacingOccurrences(of: "\r\n", with: "\n").unshowable.isEmpty)
    switch format {
    case .csv: checkCSV(text, rows: events.count + 1)
    case .geojson:
      let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
      #expect((json?["features"] as? [Any])?.count ?? 0 > 100)
    case .gpx, .kml:
      let parser = XMLParser(data: Data(text.utf8))
      #expect(parser.parse(), "\(String(describing: parser.parserError))")
      #expect(!text.contains("@"), "a time outside of the calendar")
    }
  }

  private func checkCSV(_ text: String, rows: Int) {
    let lines = text.components(separatedBy: "\r\n").dropLast()
    #expect(lines.count == rows)
    let starts: Set<Character> = ["=", "+", "@", "\t"]
    for line in lines {
      let cells = Self.cells(line)
      #expect(cells.count == 24, "\(line)")
      for cell in cells {
        #expect(!(cell.first.map(starts.contains) ?? false), "a formula: \(cell)")
        #expect(cell.first != "-" || Double(cell) != nil, "a formula: \(cell)")
      }
    }
  }

  /// A row of RFC 4180.
  private static func cells(_ line: String) -> [String] {
    var cells = [""]
    var isQuoted = false
    for character in line {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: cells.append("")
      default: cells[cells.count - 1].append(character)
      }
    }
    return cells
  }
}
