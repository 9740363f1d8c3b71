import NodeLogic
import Rig
import Telemetry
import Testing

@Suite(
  "Against the reference detector and the labels", .enabled(if: SharedRecordings.arePresent, "no ../shared/data/motion")
)
struct ReferenceTests {
  private func isClose(_ a: Double, _ golden: Double) -> Bool {
    // The reference's measures are written with nine decimals.
    (a - golden).magnitude <= 1e-6 * golden.magnitude + 1e-9
  }

  @Test func decidesEveryRecordingAsTheReferenceDoes() throws {
    // What the manifest does not list is the network of seismic stations.
    let presets = Dictionary(uniqueKeysWithValues: try SharedRecordings.manifest().map { ($0.file, $0.preset) })
    var compared = 0
    for (file, expected) in try SharedRecordings.golden() {
      let preset = presets[file] == "handheld" ? ShakePreset.referenceHandheld : .fixed
      let events = try SharedRecordings.events(file, preset)
      #expect(events.count == expected.count, "\(file)")
      for (event, golden) in zip(events, expected) {
        compared += 1
        let place: Comment = "\(file) at \(golden.t) s"
        #expect(event.phase.rawValue == golden.phase, place)
        let reason = golden.reason == "tooLong" ? "too_long" : golden.reason
        #expect(event.reason?.rawValue ?? "" == reason, place)
        #expect((event.at.seconds - golden.t).magnitude <= 1e-6, place)
        #expect((event.start.seconds - golden.start).magnitude <= 1e-6, place)
        #expect((event.end.seconds - golden.end).magnitude <= 1e-6, place)
        #expect(isClose(event.peakG, golden.peak), place)
        #expect(isClose(event.energyG2S, golden.energy), place)
        #expect(isClose(event.cavGS, golden.cav), place)
        #expect(isClose(event.frequencyHz ?? 0, golden.frequency), place)
        #expect(event.reversals == golden.reversals, place)
      }
    }
    #expect(compared >= 80)
  }

  private func score(_ record: SharedRecordings.Record, _ preset: ShakePreset) throws -> ShakeScore {
    var score = ShakeScore()
    score.count(
      try SharedRecordings.events(record.file, preset).filter { $0.phase == .began }.map(\.at.seconds), record)
    return score
  }

  private func labelled(_ preset: String) throws -> [SharedRecordings.Record] {
    try SharedRecordings.manifest().filter {
      $0.preset == preset && !$0.labels.isEmpty && !$0.file.hasPrefix("network")
    }
  }

  @Test func findsEveryShakeOfAHandAndHardlyAnythingElse() throws {
    var sums = (positives: 0, hits: 0, falseAlarms: 0)
    var reference = 0
    for record in try labelled("handheld") {
      let ours = try score(record, .handheld)
      let theirs = try score(record, .referenceHandheld)
      #expect(ours.hits == ours.positives, "\(record.file)")
      #expect(ours.falseAlarms <= theirs.falseAlarms, "\(record.file)")
      sums.positives += ours.positives
      sums.hits += ours.hits
      sums.falseAlarms += ours.falseAlarms
      reference += theirs.falseAlarms
    }
    #expect(sums == (24, 24, 1))
    #expect(reference == 2)
  }

  /// A person says "that was a shake" to one of a second, and "that was not just a shake" to one that goes on and on.
  @Test func everyShakeOfASecondEndsAndEveryLongOneIsTooLong() throws {
    var counted = [String: Int]()
    for record in try labelled("handheld") where record.file.contains("mb_") {
      let events = try SharedRecordings.events(record.file, .handheld)
      for label in record.labels where label.kind == "shake" {
        let began = try #require(events.first { $0.phase == .began && label.around.contains($0.at.seconds) })
        let over = try #require(events.first { $0.id == began.id && $0.phase != .began })
        let isLong = label.end - label.start > 1.5
        #expect(over.phase == (isLong ? .cancelled : .ended), "\(record.file) at \(label.start) s")
        #expect(over.reason == (isLong ? .tooLong : nil), "\(record.file) at \(label.start) s")
        counted[isLong ? "long" : label.end - label.start > 0.9 ? "waggle" : "short", default: 0] += 1
      }
    }
    #expect(counted == ["short": 9, "waggle": 6, "long": 9])
  }

  @Test func aHoleOfTwoFifthsOfASecondInterrupts() throws {
    var interrupted = 0
    for record in try labelled("handheld") where record.file.contains("mb_shake_long_0") {
      for label in record.labels where label.kind == "shake" {
        let hole = label.start + 0.8...label.start + 1.2
        let events = shakeEvents(try SharedRecordings.samples(record.file).filter { !hole.contains($0.at.seconds) })
        interrupted += events.count { $0.reason == .interrupted && label.around.contains($0.at.seconds) }
      }
    }
    #expect(interrupted == 3)
  }

  @Test func noImpactAndNothingElseThatIsVigorousIsAShake() throws {
    var impacts = 0
    for record in try labelled("handheld") {
      let began = try SharedRecordings.events(record.file, .handheld).filter { $0.phase == .began }
      for label in record.labels where label.kind == "impact" || label.kind == "vigorous" {
        if label.kind == "impact" { impacts += 1 }
        #expect(!began.contains { label.around.contains($0.at.seconds) }, "\(record.file) at \(label.start) s")
      }
    }
    #expect(impacts == 26)
  }

  @Test func findsEveryEarthquakeAndNothingElse() throws {
    let scores = try labelled("fixed").map { try score($0, .fixed) }
    #expect(scores.reduce(0) { $0 + $1.positives } == 9)
    #expect(scores.reduce(0) { $0 + $1.hits } == 9)
    #expect(scores.allSatisfy { $0.falseAlarms == 0 })
  }

  @Test func thePipelineSaysTheSameAsTheDetector() throws {
    for record in try SharedRecordings.manifest() where record.preset == "handheld" {
      var pipeline = MotionPipeline(MotionSettings(.handheld))
      let samples = try SharedRecordings.samples(record.file)
      let first = try #require(samples.first)
      let last = try #require(samples.last)
      var outputs = pipeline.handle(
        .started(.init(name: "recording", source: .recording, rateHz: 50, capture: .generated)), at: first.at)
      for sample in samples {
        outputs += pipeline.tick(at: sample.at)
        outputs += pipeline.handle(.samples([sample]), at: sample.at)
      }
      outputs += pipeline.stop(at: last.at)
      #expect(shakes(outputs) == shakeEvents(samples), "\(record.file)")
      let counted = windows(outputs).reduce(0) { $0 + $1.count }
      #expect(counted + pipeline.health(at: last.at).dropped == samples.count, "\(record.file)")
    }
  }
}
