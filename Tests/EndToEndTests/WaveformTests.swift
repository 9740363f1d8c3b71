import Foundation
import Rig
import Telemetry
import Testing

/// The waveform of a shake: from samples to messages, to files, and back.
@Suite(.serialized) struct WaveformTests {
  private static let rateHz = 99.87
  private static let start = 1_796_011_531.25

  /// A recording with two shakes, at 5 s and at 12 s.
  private func recording(in place: Workplace) throws -> String {
    let rows = (0..<1800).map { index in
      let time = Double(index) / Self.rateHz
      let isShaken = (5.0..<5.7).contains(time) || (12.0..<12.7).contains(time)
      let x = isShaken ? 2 * sin(2 * .pi * 4.5 * (time - 5)) : 0.01 * sin(Double(index))
      return String(format: "%.6f,%.4f,0.0123,0.9980", Self.start + time, x)
    }
    return try place.write("two.csv", (["t,x,y,z"] + rows).joined(separator: "\n") + "\n")
  }

  /// The lines of a table: t, x, y, z.
  private func rows(_ file: String) throws -> [[Double]] {
    try String(contentsOfFile: file, encoding: .utf8).split(whereSeparator: \.isNewline).dropFirst().map { line in
      try line.split(separator: ",").map { try #require(Double($0)) }
    }
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private func folder(_ name: String, in place: Workplace) throws -> String {
    try FileManager.default.createDirectory(atPath: place.path(name), withIntermediateDirectories: false)
    return place.path(name)
  }

  private func replay(_ file: String, to folder: String, in place: Workplace) throws -> Outcome {
    try outcome(
      of: Programs.node, ["replay", file, "--waveforms", folder, "--set", "node.id=bench"], in: place)
  }

  @Test func aReplayWritesTheSamplesOfEachShakeAsTheyWereRecorded() throws {
    let place = try Workplace("e2e-waveform")
    let source = try recording(in: place)
    let folder = try folder("waves", in: place)
    let replay = try replay(source, to: folder, in: place)
    #expect(replay.status == 0)
    // The line of counts, and nothing else.
    #expect(replay.errors.split(separator: "\n").count == 1 && replay.errors.contains("2 shakes"), "\(replay.errors)")
    #expect(!replay.output.contains("waveform"), "they would not be published")
    let stems = ["bench-00000000-1", "bench-00000000-2"]
    #expect(try names(folder) == stems.flatMap { ["\($0).csv", "\($0).mseed"] })
    let recorded = try rows(source)
    for (stem, shakenAt) in zip(stems, [5.0, 12.0]) {
      let written = try rows("\(folder)/\(stem).csv")
      let first = try #require(written.first)
      #expect((shakenAt - 1.1...shakenAt - 0.9).contains(first[0] - Self.start), "a second before")
      #expect((written.last?[0] ?? 0) - Self.start > shakenAt + 0.7)
      let offset = try #require(recorded.firstIndex { ($0[0] - first[0]).magnitude < 0.004 })
      for (index, row) in written.enumerated() {
        let original = recorded[offset + index]
        #expect((row[0] - original[0]).magnitude < 5e-6)
        #expect(zip(row[1...], original[1...]).allSatisfy { ($0 - $1).magnitude < 5.1e-5 })
      }
    }
  }

  @Test func aWaveformCanBeReplayedAgain() throws {
    let place = try Workplace("e2e-waveform")
    let folder = try folder("waves", in: place)
    #expect(try replay(recording(in: place), to: folder, in: place).status == 0)
    let again = try outcome(of: Programs.node, ["replay", "\(folder)/bench-00000000-2.csv"], in: place)
    #expect(again.status == 0)
    #expect(again.outputLines.count { $0.contains("\"phase\":\"began\"") } == 1)
    #expect(again.outputLines.count { $0.contains("\"phase\":\"ended\"") } == 1)
  }

  @Test(.enabled(if: ObsPy.isPresent, "\(ObsPy.absence)"), .timeLimit(.minutes(2)))
  func obsPyReadsWhatAReplayWrote() throws {
    let place = try Workplace("e2e-waveform")
    let folder = try folder("waves", in: place)
    #expect(try replay(recording(in: place), to: folder, in: place).status == 0)
    let written = try rows("\(folder)/bench-00000000-1.csv")
    let traces = try ObsPy.read("\(folder)/bench-00000000-1.mseed", in: place)
    #expect(traces.map(\.id) == ["XX.BENCH.00.HN1", "XX.BENCH.00.HN2", "XX.BENCH.00.HN3"])
    for (column, trace) in traces.enumerated() {
      #expect(trace.samples == written.map { Int(($0[column + 1] * 1e6).rounded()) })
      #expect((Double(trace.startNs) / 1e9 - written[0][0]).magnitude < 1e-6)
      #expect((trace.rateHz - Self.rateHz).magnitude < 0.001)
      #expect(trace.isQuestionable, "nothing vouches for a recording's times")
    }
  }

  @Test func whatCannotBeWrittenIsSaidInOneLine() throws {
    let place = try Workplace("e2e-waveform")
    let source = try recording(in: place)
    let missing = try replay(source, to: place.path("nowhere"), in: place)
    #expect(missing.status == 69 && missing.errorLines.count == 1)
    let nowhere = "\(place.path("nowhere")) cannot be written to: No such file or directory"
    #expect(missing.errors.contains("\(nowhere); make the folder, and let this user write to it"))

    let folder = try folder("waves", in: place)
    try place.write("waves/bench-00000000-1.csv", "mine")
    let taken = try replay(source, to: folder, in: place)
    #expect(taken.status == 69 && taken.errorLines.count == 1, "\(taken.errors)")
    #expect(taken.errors.contains("bench-00000000-1.csv is there already; choose another folder"))
    #expect(try String(contentsOfFile: "\(folder)/bench-00000000-1.csv", encoding: .utf8) == "mine")

    let network = try outcome(
      of: Programs.node, ["replay", source, "--waveforms", folder, "--network", "abc"], in: place)
    #expect(network.status == 64 && network.errorLines.count == 1)
  }

  @Test func theFleetToolWritesWhatANodePublished() throws {
    let place = try Workplace("e2e-waveform")
    let folder = try folder("waves", in: place)
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    let alerts = try Watcher(broker, "judder-fleet/#")
    let config = try place.write(
      "fleet.toml",
      """
      [waveform]
      directory = "\(folder)"
      network = "JU"
      [store]
      file = "\(place.path("fleet.db"))"

      """)
    let fleet = try ChildProcess(
      Programs.fleet, ["run", "--config", config, "-h", "127.0.0.1", "-p", "\(broker.port)"], name: "fleet",
      in: place.folder)
    defer { fleet.stop() }
    #expect(waitUntil(seconds: 10) { alerts.messages.contains { $0.topic == "judder-fleet/status" } })
    let node = try NodeRun(shakenNode + port(broker.port) + ["waveform.enabled": "true"], in: place)
    #expect(waitUntil(seconds: 20) { chunks(watcher).contains { $0.isLast } }, "\(node.process.errorText())")
    #expect(waitUntil(seconds: 5) { ((try? names(folder)) ?? []).count == 2 }, "\(fleet.errorText())")
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 5) == 0)
    fleet.send(signal: SIGTERM)
    #expect(fleet.wait(seconds: 5) == 0)

    let published = chunks(watcher)
    #expect(published.map(\.chunk) == Array(0..<published.count))
    let boot = try #require(watcher.telegrams.first?.envelope.boot)
    let stem = "\(folder)/e2e-\(boot)-\(published[0].id)"
    let written = try rows("\(stem).csv")
    #expect(written.map { Int(($0[1] / published[0].unitG).rounded()) } == published.flatMap(\.x).map { Int($0) })
    #expect((written[0][0] - published[0].start.seconds).magnitude < 1e-6)
    #expect(fleet.errorText().contains("e2e: the waveform of shake \(published[0].id) is in \(stem).csv"))
    #expect(watcher.messages.filter { $0.stream == .waveform }.allSatisfy { $0.payload.count <= 1000 && $0.qos == 1 })
    let vouched = watcher.telegrams.allSatisfy { $0.envelope.clock.map { $0 != .none } ?? false }
    try checkExport(config, is: vouched ? "\(stem).mseed" : nil, in: place)
    guard ObsPy.isPresent else { return }
    let traces = try ObsPy.read("\(stem).mseed", in: place)
    #expect(traces.map(\.id) == ["JU.E2E.00.HN1", "JU.E2E.00.HN2", "JU.E2E.00.HN3"])
    #expect(traces[2].samples == written.map { Int(($0[3] * 1e6).rounded()) })
  }

  @Test func aFolderThatIsNotThereStopsNothing() throws {
    let place = try Workplace("e2e-waveform")
    let broker = try Broker(in: place)
    try broker.start()
    let options = ["-h", "127.0.0.1", "-p", "\(broker.port)"]
    let lost = place.path("nowhere")
    let fleet = try ChildProcess(
      Programs.fleet, ["run", "--waveforms", lost] + options, name: "fleet", in: place.folder)
    #expect(waitUntil(seconds: 5) { fleet.errorText().contains("waveform.directory: \(lost) cannot be written to") })
    #expect(fleet.isRunning)
    fleet.send(signal: SIGTERM)
    #expect(fleet.wait(seconds: 5) == 0)
    let config = try place.write("fleet.toml", "[waveform]\ndirectory = \"\(lost)\"\n")
    let check = try outcome(of: Programs.fleet, ["check", "--config", config] + options, in: place)
    #expect(check.status == 1)
    #expect(check.outputLines.count { $0.hasPrefix("problem") } == 1, "\(check.output)")
    #expect(check.output.contains("waveforms: waveform.directory: \(lost) cannot be written to"))
  }

  /// The store gives the very bytes that were written when the waveform came; nothing where nothing vouches for its
  /// time.
  private func checkExport(_ config: String, is file: String?, in place: Workplace) throws {
    let export = try outcome(
      of: Programs.fleet, ["export", "--format", "mseed", "-o", place.path("all.mseed"), "--config", config], in: place)
    #expect(export.status == 0, "\(export.errors)")
    let exported = try Data(contentsOf: URL(fileURLWithPath: place.path("all.mseed")))
    guard let file else {
      #expect(exported.isEmpty && export.errors.contains("nothing vouches for their time"), "\(export.errors)")
      return
    }
    #expect(try exported == Data(contentsOf: URL(fileURLWithPath: file)) && !exported.isEmpty)
  }

  private func chunks(_ watcher: Watcher) -> [WaveformMessage] {
    watcher.telegrams.compactMap { if case .waveform(let message) = $0.body { message } else { nil } }
  }
}
