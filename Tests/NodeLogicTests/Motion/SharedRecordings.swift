import Foundation
import NodeLogic
import Telemetry

/// The labelled recordings and the reference detector's events, which lie beside the package where they are at all.
enum SharedRecordings {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("../shared/data/motion").standardizedFileURL

  /// False where the data is not there; the tests that need it are skipped then.
  static let arePresent = FileManager.default.fileExists(atPath: folder.appendingPathComponent("manifest.json").path)

  struct Record: Decodable {
    var file: String
    var preset: String
    var labels: [Label]
    var joins: [[Double]]
  }

  /// A labelled stretch, written `[start, end, "kind"]`.
  struct Label: Decodable {
    var start: Double
    var end: Double
    var kind: String

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      start = try values.decode(Double.self)
      end = try values.decode(Double.self)
      kind = try values.decode(String.self)
    }
  }

  struct GoldenEvent: Decodable {
    var phase: String
    var t: Double
    var start: Double
    var end: Double
    var reason: String
    var peak: Double
    var energy: Double
    var cav: Double
    var frequency: Double
    var reversals: Int
  }

  private struct Golden: Decodable {
    var files: [String: [GoldenEvent]]
  }

  static func manifest() throws -> [Record] {
    try JSONDecoder().decode([Record].self, from: Data(contentsOf: folder.appendingPathComponent("manifest.json")))
  }

  static func golden() throws -> [String: [GoldenEvent]] {
    let url = folder.appendingPathComponent("golden_events.json")
    return try JSONDecoder().decode(Golden.self, from: Data(contentsOf: url)).files
  }

  static func samples(_ file: String) throws -> [Sample] {
    var reader = RecordingReader()
    var samples = try reader.feed(Data(contentsOf: folder.appendingPathComponent(file)))
    if let last = try reader.finish() { samples.append(last) }
    return samples
  }

  /// What the detector says about a recording, with a stop at its end.
  static func events(_ file: String, _ preset: ShakePreset) throws -> [ShakeEvent] {
    let samples = try samples(file)
    return shakeEvents(samples, preset.settings)
  }
}

/// What the detector says about samples, with a stop at the last.
func shakeEvents(_ samples: [Sample], _ settings: ShakeSettings = ShakePreset.handheld.settings) -> [ShakeEvent] {
  var detector = ShakeDetector(settings)
  var events = samples.compactMap { detector.feed($0) }
  if let last = samples.last, let event = detector.stop(at: last.at) { events.append(event) }
  return events
}
