import BrokerLink
import FleetLogic
import Foundation
import Rig
import Sinks
import Telemetry
import Testing

@testable import FleetWatch

/// What `systemctl status` and `check` say of what stands still.
@Suite struct StatusLineTests {
  private var fleet = FleetState(
    FleetState.Configuration(), clock: ClockState(wallAtStart: WallTime(seconds: 0), quality: .ntp))

  private func text(_ storeTrouble: String? = nil, _ sinks: [SinkState] = []) -> String {
    StatusLine(fleet: fleet, endpoint: "broker:1883", storeTrouble: storeTrouble, sinks: sinks).text
  }

  @Test mutating func theBrokerIsNamed() {
    #expect(text() == "no broker at broker:1883")
    _ = fleet.handle(.connected, at: .start)
    #expect(text() == "watching judder, connected to broker:1883")
  }

  @Test func whateverStandsStillIsSaid() {
    var dead = SinkState(name: "chat")
    (dead.queued, dead.problem) = (7, SinkProblem("no answer"))
    #expect(
      text("the disk is full", [SinkState(name: "well"), dead])
        == "no broker at broker:1883; nothing is kept: the disk is full; sink chat does not deliver, 7 wait")
  }

  @Test func checkSeesThatALineCannotBeWritten() throws {
    let place = try Workplace("status-line")
    func worst(_ path: String) -> Finding? {
      SinkSettings(name: "lines", kind: .json, file: place.path(path)).findings.last
    }
    #expect(worst("alerts.jsonl")?.severity == .good)
    #expect(worst("nowhere/alerts.jsonl")?.severity == .problem)
    #expect(worst("nowhere/alerts.jsonl")?.text.contains("No such file") == true)
  }

  @Test func checkCountsWhatAQueueHolds() throws {
    let place = try Workplace("status-line")
    var settings = SinkSettings(name: "chat", kind: .command)
    settings.work = .command(CommandSettings(arguments: ["/bin/true"]))
    settings.queue.folder = place.path("chat")
    #expect(settings.findings.allSatisfy { $0.severity == .good })
    for (folder, files) in ["new": 2, "failed": 0] {
      try FileManager.default.createDirectory(
        atPath: place.path("chat/\(folder)"), withIntermediateDirectories: true)
      for file in 0..<files { try place.write("chat/\(folder)/\(file).json", "{}") }
    }
    try place.write("chat/new/.new", "half")
    let waiting = try #require(settings.findings.last)
    #expect(waiting.severity == .good && waiting.text.hasSuffix("; 2 wait, 0 were given up"), "\(waiting)")
    try place.write("chat/failed/9.json", "{}")
    let lost = try #require(settings.findings.last)
    #expect(lost.severity == .warning && lost.text.hasSuffix("; 2 wait, 1 were given up"), "\(lost)")
  }
}
