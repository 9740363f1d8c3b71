import NodeLogic
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
      let preset = try #require(ShakePreset(rawValue: presets[file] ?? "fixed"))
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

  /// Counts as the reference's scorer does: a shake is hit by a `began` from 0.2 s before it to 0.8 s after it; one in
  /// a stretch labelled `none`, away from shakes and joins, is false.
  private func score(
    _ preset: ShakePreset, positive: String, _ began: (SharedRecordings.Record) throws -> [Double]
  ) throws -> (positives: Int, hits: Int, false: Int) {
    var result = (positives: 0, hits: 0, false: 0)
    for record in try SharedRecordings.manifest()
    where record.preset == preset.rawValue && !record.labels.isEmpty && !record.file.hasPrefix("network") {
      let times = try began(record)
      for label in record.labels where label.kind == positive {
        result.positives += 1
        if times.contains(where: { label.start - 0.2 <= $0 && $0 <= label.end + 0.8 }) { result.hits += 1 }
      }
      let excluded =
        record.labels.filter { $0.kind != "none" }.map { ($0.start - 0.2)...($0.end + 0.8) }
        + record.joins.map { $0[0]...($0[1] + 0.2) }
      let quiet = record.labels.filter { $0.kind == "none" }.map { $0.start...$0.end }
      result.false += times.count { time in
        quiet.contains { $0.contains(time) } && !excluded.contains { $0.contains(time) }
      }
    }
    return result
  }

  private func began(_ record: SharedRecordings.Record, _ preset: ShakePreset) throws -> [Double] {
    try SharedRecordings.events(record.file, preset).filter { $0.phase == .began }.map(\.at.seconds)
  }

  @Test func findsEveryShakeOfAHandAndHardlyAnythingElse() throws {
    let score = try score(.handheld, positive: "shake") { try began($0, .handheld) }
    #expect(score.positives == 24)
    #expect(score.hits == 24)
    #expect(score.false <= 2)
  }

  @Test func findsEveryEarthquakeAndNothingElse() throws {
    let score = try score(.fixed, positive: "quake") { try began($0, .fixed) }
    #expect(score.positives == 9)
    #expect(score.hits == 9)
    #expect(score.false == 0)
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
