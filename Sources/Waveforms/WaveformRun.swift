internal import Telemetry

/// Segments that follow each other without a hole: one trace, with one sampling rate.
struct WaveformRun: Equatable {
  /// Two steps of a sensor further apart than this share are two rates.
  private static let stepTolerance = 0.1

  private(set) var segments: [WaveformSegment]
  /// The mean time from one sample to the next [s]; 0 where there is only one sample.
  private(set) var stepS: Double
  private(set) var count: Int

  init(_ segment: WaveformSegment) {
    segments = [segment]
    stepS = segment.stepS
    count = segment.count
  }

  var start: WallTime { segments[0].start }

  /// The runs of a waveform, in the order of time.
  static func of(_ waveform: Waveform) -> [WaveformRun] {
    var runs: [WaveformRun] = []
    for segment in waveform.segments {
      if runs.isEmpty || !runs[runs.count - 1].append(segment) { runs.append(WaveformRun(segment)) }
    }
    // A lone sample between holes: its neighbours tell the rate.
    let known = runs.map(\.stepS).first { $0 > 0 } ?? 1
    for index in runs.indices where runs[index].stepS == 0 { runs[index].stepS = known }
    return runs
  }

  /// Takes the segment when it goes on where the run ends, and every segment stays within half a step of where an even
  /// spacing puts it. Answers whether it did.
  private mutating func append(_ next: WaveformSegment) -> Bool {
    let known = stepS > 0 ? stepS : next.stepS
    guard known > 0, let last = segments.last else { return false }
    if next.stepS > 0, (next.stepS / known - 1).magnitude > Self.stepTolerance { return false }
    let expected = last.end + known
    guard (next.start - expected).magnitude <= known / 2 else { return false }
    let step = (next.end - start) / Double(count + next.count - 1)
    var place = 0
    for segment in segments + [next] {
      guard (segment.start - (start + Double(place) * step)).magnitude <= step / 2 else { return false }
      place += segment.count
    }
    segments.append(next)
    stepS = step
    count += next.count
    return true
  }
}
