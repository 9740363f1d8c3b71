import NodeLogic
import Rig
import Telemetry
import Testing

@Suite(
  "Impacts and falls on the recordings", .enabled(if: SharedRecordings.arePresent, "no ../shared/data/motion"))
struct RecordedShockTests {
  private func outputs(_ record: SharedRecordings.Record, _ change: (inout MotionSettings) -> Void = { _ in }) throws
    -> [MotionOutput]
  {
    var settings = MotionSettings(ShakePreset(rawValue: record.preset) ?? .handheld)
    change(&settings)
    var pipeline = MotionPipeline(settings)
    let samples = try SharedRecordings.samples(record.file)
    var outputs = samples.flatMap { pipeline.handle(.samples([$0]), at: $0.at) }
    if let last = samples.last { outputs += pipeline.stop(at: last.at) }
    return outputs
  }

  /// How many labelled stretches of a kind have an impact, and how many impacts there are, over all recordings.
  private func count(thresholdG: Double, kind: String) throws -> (stretches: Int, hit: Int, impacts: Int) {
    var result = (stretches: 0, hit: 0, impacts: 0)
    for record in try SharedRecordings.manifest() where record.preset == "handheld" {
      let found = impacts(try outputs(record) { $0.impact.thresholdG = thresholdG })
      result.impacts += found.count
      for label in record.labels where label.kind == kind {
        result.stretches += 1
        if found.contains(where: { label.start - 0.2 <= $0.start.seconds && $0.start.seconds <= label.end }) {
          result.hit += 1
        }
      }
    }
    return result
  }

  @Test func nothingThatPeopleDoWithTheirBodiesIsAnImpactByDefault() throws {
    // Walking (pocket, leg, trunk, foot), jumping, exercise, handling, shaking, flicks and punches: 4.7 g at most.
    for record in try SharedRecordings.manifest() {
      let outputs = try outputs(record)
      #expect(impacts(outputs).isEmpty, "\(record.file)")
    }
  }

  @Test func atThreeGHalfOfTheStrokesAreFoundAndSoAreSteps() throws {
    // The stretches labelled as impacts are strokes of an arm through the air: pulses of 30 to 120 ms that change the
    // velocity by 1 to 3 m/s, of up to 4.2 g. Nothing is hit. The 12 that 3 g do not show are too weak; what else they
    // show are heel strikes and jumps. No threshold tells one from the other: hence 5 g.
    let score = try count(thresholdG: 3, kind: "impact")
    #expect(score.stretches == 26)
    #expect(score.hit == 14)
    #expect(score.impacts == 32)
    #expect(try count(thresholdG: 5, kind: "impact").impacts == 0)
  }

  @Test func theSwingsOfShakesAreNoImpactsEvenAtALowThreshold() throws {
    // Some 50 swings are above 2.5 g. The two that are told reach out, for 0.2 s, before their shake begins.
    var found: [ImpactEvent] = []
    for record in try SharedRecordings.manifest() where record.labels.contains(where: { $0.kind == "shake" }) {
      found += impacts(try outputs(record) { $0.impact.thresholdG = 2.5 })
    }
    #expect(found.count == 2)
    #expect(found.allSatisfy { $0.durationS > 0.19 })
  }

  @Test func onlyAJumpIsAFall() throws {
    // It lies across a join of two clips: two flights of a person who jumps, in a row.
    var found: [String: [Double]] = [:]
    for record in try SharedRecordings.manifest() {
      for fall in freeFalls(try outputs(record)) { found[record.file, default: []].append(fall.durationS) }
    }
    #expect(found.keys.sorted() == ["open/mb_jumping.csv"])
    #expect(found.values.first?.count == 1 && (found.values.first?[0] ?? 0) > 0.3)
  }

  @Test func shorterFallsWouldBeSwingingArms() throws {
    var found = 0
    for record in try SharedRecordings.manifest() where record.file.contains("watch_") {
      found += freeFalls(try outputs(record) { $0.freeFall.minS = 0.12 }).count
    }
    #expect(found == 4)
  }
}
