import Foundation
import Rig
import Telemetry
import Testing

/// `judder-node replay` on labelled recordings of real motion.
///
/// The same by hand, with the data folder's own scorer, from the package's folder:
/// ```
/// cd ../shared/data/motion && for f in open/*.csv; do
///   case $f in open/eew_*) p=fixed;; *) p=handheld;; esac
///   judder-node replay --preset $p $f | jq -c --arg f $f 'select(.topic | endswith("/shake")) | {f: $f, e: .payload}'
/// done | jq -s 'group_by(.f) | map({key: .[0].f, value: map(.e)}) | from_entries' > /tmp/events.json
/// ../../tools/motion-oracle/score.py -v /tmp/events.json
/// ```
@Suite(.serialized) struct ReplayTests {
  @Test(.enabled(if: LabelledRecording.arePresent, "../shared/data/motion is not here"))
  func findsTheShakesOfRealRecordings() throws {
    let place = try Workplace("e2e-replay")
    var scores: [String: ShakeScore] = [:]
    for recording in try LabelledRecording.all() where recording.file.hasPrefix("open/") {
      let replay = try outcome(
        of: Programs.node, ["replay", "--preset", recording.preset, recording.path], in: place)
      #expect(replay.status == 0, "\(recording.file): \(replay.errors)")
      // One of them has the same t twice in a row, now and then.
      let doubts = replay.errorLines.dropLast()
      #expect(doubts.allSatisfy { $0.contains(": t does not rise at ") }, "\(recording.file): \(replay.errors)")
      let shakes = try shakes(replay, of: recording)
      scores[recording.preset, default: ShakeScore()].count(shakes, recording)
    }
    let handheld = try #require(scores["handheld"])
    let fixed = try #require(scores["fixed"])
    #expect(handheld.positives == 24 && fixed.positives == 9, "the recordings are other ones than expected")
    #expect(handheld.hits == 24)
    #expect(handheld.falseAlarms <= 1)
    #expect(fixed.hits == 9)
    #expect(fixed.falseAlarms == 0)
  }

  /// When a shake began, as the messages say; every line must be a message, and every event must be numbered.
  private func shakes(_ replay: Outcome, of recording: LabelledRecording) throws -> [Double] {
    var began: [Double] = []
    var sequences: [UInt64] = []
    var active: Set<Int> = []
    for line in replay.outputLines {
      let telegram = try replayed(line)
      if let sequence = telegram.envelope.sequence { sequences.append(sequence) }
      guard case .shake(let shake) = telegram.body else { continue }
      if shake.phase == .began {
        began.append(try #require(telegram.envelope.time).seconds)
        active.insert(shake.id)
      } else {
        #expect(active.remove(shake.id) != nil, "\(recording.file): \(line)")
      }
    }
    #expect(active.isEmpty, "\(recording.file): a shake without an end")
    #expect(sequences == Array(1...UInt64(max(1, sequences.count))) || sequences.isEmpty, "\(recording.file)")
    return began
  }

  /// The message in a line `{"topic":...,"payload":{...}}`.
  private func replayed(_ line: String) throws -> Telegram {
    let value = try JSONValue.parse(Array(line.utf8))
    let topic = try #require(value["topic"]?.string)
    // Named apart from Foundation's Stream, outside of the macro, which cannot take a module's name.
    let named = Telemetry.Stream(rawValue: String(topic.split(separator: "/").last ?? ""))
    let stream = try #require(named)
    let start = try #require(line.range(of: "\"payload\":")).upperBound
    return try Telegram.decode(stream: stream, payload: Array(line[start...].utf8.dropLast()))
  }

  @Test func theFilesTimeIsTheMessagesTime() throws {
    let place = try Workplace("e2e-replay")
    let rows = (0..<400).map { index in
      let time = 1000 + Double(index) / 50
      let x = (3.0..<3.7).contains(time - 1000) ? 2 * sin(2 * .pi * 4.5 * (time - 1003)) : 0
      return "\(time),\(x),0,1"
    }
    let file = try place.write("shake.csv", (["t,x,y,z"] + rows).joined(separator: "\n"))
    let replay = try outcome(of: Programs.node, ["replay", file, "--set", "node.id=bench"], in: place)
    #expect(replay.status == 0, "\(replay.errors)")
    #expect(replay.outputLines.allSatisfy { $0.hasPrefix("{\"topic\":\"judder/bench/") })
    let telegrams = try replay.outputLines.map(replayed)
    #expect(telegrams.allSatisfy { (1000...1008).contains($0.envelope.time?.seconds ?? 0) })
    #expect(telegrams.allSatisfy { $0.envelope.clock == ClockQuality.none })
    let began = telegrams.first { if case .shake = $0.body { true } else { false } }
    #expect((1003.1...1003.6).contains(began?.envelope.time?.seconds ?? 0), "when it was decided")
  }

  @Test func whatLooksLikeOtherUnitsIsDoubtedAndStillReplayed() throws {
    let place = try Workplace("e2e-replay")
    let rows = (0..<200).map { "\($0 * 20),0,0,9.81" }
    let file = try place.write("metres.csv", rows.joined(separator: "\n"))
    let replay = try outcome(of: Programs.node, ["replay", file], in: place)
    #expect(replay.status == 0, "\(replay.errors)")
    #expect(replay.errorLines.count == 3)
    #expect(replay.errors.contains("warning: \(file): the mean of |a| is 9.810: that looks like m/s^2; expected g"))
    #expect(replay.errors.contains("t rises by 20.000 from line to line: that looks like ms; expected s"))
    #expect(!replay.output.contains("warning"))
  }

  @Test func aRecordingThatIsCutOffIsReplayedAsFarAsItGoes() throws {
    let place = try Workplace("e2e-replay")
    let rows = (0..<200).map { "\(Double($0) / 50),0,0,1\n" }.joined()
    let file = try place.write("torn.csv", rows + "4.0,0,-")
    let replay = try outcome(of: Programs.node, ["replay", file], in: place)
    #expect(replay.status == 0, "\(replay.errors)")
    #expect(replay.errorLines.first == "judder-node: warning: \(file): line 201 is cut off and left out")
    #expect(replay.errorLines.last?.contains(": 200 samples in 3.98 s") == true, "\(replay.errors)")
  }

  @Test func whatIsWrongWithARecordingIsSaidInOneLine() throws {
    let place = try Workplace("e2e-replay")
    let missing = try outcome(of: Programs.node, ["replay", place.path("nowhere.csv")], in: place)
    #expect(missing.status == 69)
    #expect(missing.errorLines.count == 1)
    #expect(missing.errors.contains("\(place.path("nowhere.csv")): "))

    let broken = try place.write("broken.csv", "t,x,y,z\n0.00,0,0,1\n0.02,0,zero,1\n0.04,0,0,1\n")
    let refused = try outcome(of: Programs.node, ["replay", broken], in: place)
    #expect(refused.status == 78)
    #expect(refused.errorLines.count == 1)
    #expect(refused.errors.contains("\(broken): line 3"), "\(refused.errors)")
    #expect(refused.errors.contains("zero"), "\(refused.errors)")

    let preset = try outcome(of: Programs.node, ["replay", "--preset", "loose", broken], in: place)
    #expect(preset.status == 64)
    #expect(preset.errorLines.count == 1)
    #expect(preset.errors.contains("handheld"), "\(preset.errors)")
  }
}
