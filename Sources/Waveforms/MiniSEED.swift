internal import Telemetry

/// A waveform as miniSEED 2.4, the format of seismology: records of 512 bytes, three channels, one after the other.
///
/// Samples are plain integers of 32 bits: a shake is short, so that compression would save little, and there is no
/// difference of two samples that they could not hold. One count is always 1e-6 g, whatever the node sent, so that a
/// file means the same without the message beside it. Each record has the time of its own first sample, and records
/// without a hole between them have the same rate, which is the mean of what was measured: readers join them.
public enum MiniSEED {
  /// One count in a file [g].
  public static let unitG = 1e-6

  /// The whole file.
  ///
  /// - Parameter names: the node's codes.
  /// - Throws: `WaveformProblem` when a sample is beyond 2147 g.
  public static func encode(_ waveform: Waveform, _ names: SEEDNames) throws(WaveformProblem) -> [UInt8] {
    let runs = WaveformRun.of(waveform)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(3 * MiniSEEDRecord.length * (waveform.count / MiniSEEDRecord.mostSamples + runs.count))
    var number = 1
    for axis in Axis.allCases {
      for run in runs {
        let rateHz = 1 / run.stepS
        for piece in try pieces(of: run, axis) {
          let record = MiniSEEDRecord(
            number: number, names: names, channel: SEEDNames.channel(axis, rateHz: rateHz), start: piece.start,
            clock: waveform.clock, rateHz: rateHz, samples: piece.samples)
          bytes += record.encode()
          number += 1
        }
      }
    }
    return bytes
  }

  /// What goes into one record each: a record may go on from one segment into the next.
  private static func pieces(
    of run: WaveformRun, _ axis: Axis
  ) throws(WaveformProblem) -> [(start: WallTime, samples: ArraySlice<Int32>)] {
    var counts: [Int32] = []
    var starts: [WallTime] = []
    counts.reserveCapacity(run.count)
    for segment in run.segments {
      for (place, count) in segment.counts(axis).enumerated() {
        if counts.count % MiniSEEDRecord.mostSamples == 0 { starts.append(segment.time(place)) }
        counts.append(try microG(count, segment.unitNanoG))
      }
    }
    return starts.enumerated().map { index, start in
      (start, counts.dropFirst(index * MiniSEEDRecord.mostSamples).prefix(MiniSEEDRecord.mostSamples))
    }
  }

  private static func microG(_ count: Int32, _ unitNanoG: Int) throws(WaveformProblem) -> Int32 {
    let (nanoG, isTooLarge) = Int(count).multipliedReportingOverflow(by: unitNanoG)
    // Rounded to the nearest; exact where the unit is a whole number of 1e-6 g.
    let microG = nanoG / 1000 + (nanoG % 1000 + (nanoG < 0 ? -500 : 500)) / 1000
    guard !isTooLarge, let value = Int32(exactly: microG) else {
      throw WaveformProblem.tooStrong(g: Double(count) * Double(unitNanoG) * 1e-9)
    }
    return value
  }
}

/// Why a waveform cannot be written in a format.
public enum WaveformProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// A sample beyond what 32 bits hold in steps of 1e-6 g.
  case tooStrong(g: Double)

  public var description: String {
    switch self {
    case .tooStrong(let g): "a sample of \(g) g does not fit into miniSEED, which has 2147 g here; CSV has it"
    }
  }
}
