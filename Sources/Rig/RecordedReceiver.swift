internal import Foundation

/// A receiver's recording in the shared folder beside the package, and what a real gpsd made of it.
public struct RecordedReceiver: Sendable, CustomStringConvertible {
  /// What is known about gpsd's answers, counted without this package.
  public struct Facts: Decodable, Sendable {
    /// Reports of a position by their mode, as text.
    public let reportsByMode: [String: Int]
    public let reports: Int
    /// Reports with a mode of 2 or 3 and both coordinates.
    public let fixes: Int
    /// Steps from a report with a position to one without, and back.
    public let lost: Int
    public let regained: Int
    /// The longest time from one report with a position to the next, by the receiver's own time [s].
    public let longestGapS: Double
    /// How often the receiver's time went back.
    public let timeBackwards: Int
    /// Reports with a position and no time; with three dimensions and no height.
    public let fixesWithoutTime: Int
    public let fixesWithoutHeight: Int
    /// How often each `status` came, as text.
    public let statuses: [String: Int]
    /// Along all reports with a position [m].
    public let distanceM: Double
    public let latitudes: [Double]?
    public let longitudes: [Double]?
    public let ephM: [Double]?
    public let unreadable: Int
    /// How often each class came.
    public let classes: [String: Int]

    private enum CodingKeys: String, CodingKey {
      case reportsByMode = "tpv_by_mode"
      case reports = "tpv"
      case fixes = "fix_tpv"
      case lost = "fix_lost"
      case regained = "fix_regained"
      case longestGapS = "longest_gap_s"
      case timeBackwards = "time_backwards"
      case fixesWithoutTime = "fix_without_time"
      case fixesWithoutHeight = "mode3_without_alt"
      case statuses = "status_values"
      case distanceM = "distance_m"
      case latitudes = "lat_range"
      case longitudes = "lon_range"
      case ephM = "eph_range"
      case unreadable = "unparseable_lines"
      case classes
    }
  }

  /// The name of its folder.
  public let name: String
  private let folder: URL

  public var description: String { name }

  /// Nil when it is not there.
  public init?(_ name: String) {
    self.name = name
    folder = RecordedReceiver.shared.appendingPathComponent(name)
    guard FileManager.default.fileExists(atPath: folder.appendingPathComponent("facts.json").path) else { return nil }
  }

  /// All that are there, by name.
  public static let all: [RecordedReceiver] =
    ((try? FileManager.default.contentsOfDirectory(atPath: shared.path)) ?? []).sorted().compactMap(
      RecordedReceiver.init)

  /// `../shared/data/gps` beside the package.
  private static let shared = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("shared/data/gps")

  /// What the receiver sent.
  public func recording() throws -> ReceiverRecording {
    try ReceiverRecording(folder.appendingPathComponent("receiver.log"))
  }

  /// What gpsd said of it: lines of JSON.
  public func gpsdBytes() throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent("gpsd.json"))) }

  /// What the real gpsd said of the recording, summed up.
  public func facts() throws -> Facts {
    try JSONDecoder().decode(Facts.self, from: Data(contentsOf: folder.appendingPathComponent("facts.json")))
  }
}
