import Foundation
import NodeLogic
import Rig
import Telemetry

/// The labelled recordings and the reference detector's events, which lie beside the package where they are at all.
enum SharedRecordings {
  typealias Record = LabelledRecording

  static let folder = LabelledRecording.folder
  static let arePresent = LabelledRecording.arePresent

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

  static func manifest() throws -> [Record] { try LabelledRecording.all() }

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
