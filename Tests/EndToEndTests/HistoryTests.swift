import Foundation
import Rig
import Telemetry
import Testing

/// The history is asked while judder-fleet writes it.
@Suite(.serialized) struct HistoryTests {
  @Test func theHistoryIsReadBesideTheWriter() throws {
    let place = try Workplace("e2e-history")
    let broker = try Broker(in: place)
    try broker.start()
    let database = place.path("fleet.db")
    let file = try place.write("fleet.toml", "[store]\nfile = \"\(database)\"\n")
    let early = try outcome(of: Programs.fleet, ["nodes", "--config", file], in: place)
    #expect(early.status == 69 && early.errorLines.count == 1, "\(early.errors)")
    let tool = try ChildProcess(
      Programs.fleet, ["run", "--config", file, "-h", "127.0.0.1", "-p", "\(broker.port)"], name: "tool",
      in: place.folder)
    let nodes = try NodeStandIn(port: broker.port, rateHz: 200)
    defer { nodes.stop() }
    #expect(waitUntil(seconds: 15) { nodes.count > 300 && nodes.unsettled < 100 }, "\(tool.errorText())")
    func ask(_ arguments: String...) throws -> Outcome {
      try outcome(of: Programs.fleet, arguments + ["--config", file], in: place)
    }
    let listed = try ask("nodes", "--json")
    #expect(listed.status == 0 && listed.outputLines.count == nodes.nodes.count, "\(listed.output)\(listed.errors)")
    nodes.finish()
    #expect(waitUntil(seconds: 15) { nodes.unsettled == 0 })
    let total = nodes.numbers.reduce(0) { $0 + $1.events }
    let events = try ask("events", "--since", "1h", "--json")
    #expect(events.outputLines.count == Int(total), "\(events.errors)")
    for line in events.outputLines.prefix(5) { #expect((try? JSONValue.parse(Array(line.utf8))) != nil) }
    #expect(try ask("events", "--limit", "7").outputLines.count == 7)
    let one = try ask("node", nodes.nodes[0], "--json")
    #expect(try JSONValue.parse(Array(one.output.utf8.dropLast()))["runs"]?.array?.count == 1, "\(one.errors)")
    #expect(try ask("node", "nobody").status == 69)
    let csv = place.path("out.csv")
    #expect(try ask("export", "-o", csv).status == 0)
    #expect(try String(contentsOfFile: csv, encoding: .utf8).components(separatedBy: "\r\n").count == Int(total) + 2)
    let (link, real) = (place.path("link.csv"), place.path("real.csv"))
    try Data().write(to: URL(filePath: real))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
    #expect(try ask("export", "-o", link).status == 0)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == real, "a link stays one")
    #expect(FileManager.default.contentsEqual(atPath: real, andPath: csv))
    #expect(try ask("export", "-o", "/dev/null").status == 0)
    #expect(
      try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
        == .typeCharacterSpecial)
    #expect(try ask("export", "--format", "gpx", "--stream", "shake").status == 64)
    #expect(try ask("alerts", "--json").status == 0)
    #expect(try ask("alerts", "--since", "1h").status == 64, "only decisions have a time")
    #expect(try ask("nodes", "--site", "nowhere", "--json").outputLines.isEmpty)
    #expect(try ask("why", "silent", nodes.nodes[0]).status == 1, "nothing was decided about that")
    #expect(try ask("events", "--since", "5x").status == 64)
    tool.stop(signal: SIGTERM)
    #expect(try ask("nodes").status == 0, "it is read when nobody writes, too")
  }
}
