internal import Foundation

/// ObsPy, the seismologists' Python library, as the judge of miniSEED files.
///
/// Python is that of the environment variable JUDDER_PYTHON, or python3.
public enum ObsPy {
  /// A trace as ObsPy has it.
  public struct Trace: Decodable, Equatable {
    /// `network.station.location.channel`
    public var id: String
    /// The first sample, in nanoseconds since 1970.
    public var startNs: Int
    /// [Hz]
    public var rateHz: Double
    /// As whole numbers, as they are in the file.
    public var samples: [Int]
    /// Of the first record: percent.
    public var timingQuality: Int
    /// Of the first record: the clock is locked; the time tag is questionable.
    public var isLocked: Bool
    public var isQuestionable: Bool
  }

  /// Why tests that need it are skipped.
  public static let absence = "python3 (or JUDDER_PYTHON) cannot import obspy"

  /// Whether this machine has it.
  public static let isPresent: Bool = {
    guard let place = try? Workplace("obspy") else { return false }
    let script = "import importlib.util,sys; sys.exit(importlib.util.find_spec('obspy') is None)"
    return (try? ChildProcess(python, ["-c", script], in: place.folder))?.wait(seconds: 20) == 0
  }()

  private static let python = ProcessInfo.processInfo.environment["JUDDER_PYTHON"] ?? "python3"

  /// What ObsPy reads from a miniSEED file, by id and time.
  ///
  /// - Throws: `RigError` with what it says when it cannot.
  public static func read(_ file: String, in place: Workplace) throws -> [Trace] {
    let child = try ChildProcess(
      python, ["-W", "error::UserWarning:obspy.io.mseed", "-c", script, file],
      name: "obspy-\(UUID().uuidString.prefix(8))", in: place.folder)
    guard child.wait(seconds: 60) == 0 else { throw RigError("ObsPy: \(child.errorText())") }
    return try JSONDecoder().decode([Trace].self, from: Data(child.outputText().utf8))
  }

  private static let script = """
    import json, sys
    import obspy
    from obspy.io.mseed.util import get_flags, get_record_information
    file = sys.argv[1]
    first = get_record_information(file)
    flags = get_flags(file)
    stream = obspy.read(file, format="MSEED", details=True).sort(["channel", "starttime"])
    print(json.dumps([{
        "id": trace.id, "startNs": trace.stats.starttime.ns, "rateHz": trace.stats.sampling_rate,
        "samples": [int(value) for value in trace.data],
        "timingQuality": int(first.get("timing_quality", -1)),
        "isLocked": flags["io_and_clock_flags_counts"]["clock_locked"] > 0,
        "isQuestionable": flags["data_quality_flags_counts"]["suspect_time_tag"] > 0,
    } for trace in stream]))
    """
}
