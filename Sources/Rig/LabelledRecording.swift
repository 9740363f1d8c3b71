public import Foundation

/// A recording of real motion in the shared folder beside the package, with labels that say what is in it.
public struct LabelledRecording: Decodable, Sendable {
  /// A stretch, written `[start, end, "kind"]` [s].
  public struct Label: Decodable, Sendable {
    /// From the recording's start [s].
    public let start: Double
    /// From the recording's start [s].
    public let end: Double
    /// `none`, `shake`, `quake`, `impact` or `vigorous`.
    public let kind: String

    /// Reads the array; throws what is wrong with it.
    public init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      start = try values.decode(Double.self)
      end = try values.decode(Double.self)
      kind = try values.decode(String.self)
    }

    /// Where an event that belongs to it is looked for.
    public var around: ClosedRange<Double> { start - 0.2...end + 0.8 }
  }

  /// Relative to `folder`.
  public let file: String
  /// The shake preset that it is meant for: `handheld` or `fixed`.
  public let preset: String
  public let labels: [Label]
  /// Where two recordings were put together: `[start, end]` [s].
  public let joins: [[Double]]

  /// Where the recordings lie, where they are at all.
  public static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("../shared/data/motion").standardizedFileURL

  /// False where the data is not there; the tests that need it are skipped then.
  public static let arePresent = FileManager.default.fileExists(
    atPath: folder.appendingPathComponent("manifest.json").path)

  /// All that the manifest lists; throws where it cannot be read.
  public static func all() throws -> [LabelledRecording] {
    try JSONDecoder().decode(
      [LabelledRecording].self, from: Data(contentsOf: folder.appendingPathComponent("manifest.json")))
  }

  /// The file's own path.
  public var path: String { Self.folder.appendingPathComponent(file).path }
}

/// How well shakes were found, counted as the data folder's own scorer counts.
public struct ShakeScore: Equatable, Sendable {
  /// Labelled shakes, those of them that were found, and shakes where there was nothing.
  public private(set) var positives = 0
  public private(set) var hits = 0
  public private(set) var falseAlarms = 0

  /// Nothing counted yet.
  public init() {}

  /// Counts one recording. A shake is hit by one that began from 0.2 s before it to 0.8 s after it. One that began
  /// where nothing is, and not so close to anything else or to a joint of the recording, is a false alarm.
  ///
  /// - Parameter began: when shakes were decided to have begun [s].
  public mutating func count(_ began: [Double], _ recording: LabelledRecording) {
    let kind = recording.preset == "handheld" ? "shake" : "quake"
    let wanted = recording.labels.filter { $0.kind == kind }
    positives += wanted.count
    hits += wanted.count { label in began.contains { label.around.contains($0) } }
    let excused =
      recording.labels.filter { $0.kind != "none" }.map(\.around) + recording.joins.map { $0[0]...$0[1] + 0.2 }
    falseAlarms += began.count { time in
      recording.labels.contains { $0.kind == "none" && ($0.start...$0.end).contains(time) }
        && !excused.contains { $0.contains(time) }
    }
  }
}
