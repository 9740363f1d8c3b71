import FleetLogic
import Foundation
import Rig
import Telemetry
import Testing

/// The classic way, as a yardstick for the association: band-pass, recursive STA/LTA, coincidence of triggers, as ObsPy
/// has it (ObsPy's test data and published result).
@Suite("Coincidence triggering", .enabled(if: LabelledRecording.arePresent, "no ../shared/data/motion"))
struct CoincidenceTests {
  struct Expected: Decodable {
    struct Coincidence: Decodable {
      var time: Double
      var duration: Double
      var sum: Double
      var ids: [String]
    }

    enum CodingKeys: String, CodingKey {
      case staS = "sta_s"
      case ltaS = "lta_s"
      case on, off, thr, sos, triggers, coincidences
    }

    var staS: Double
    var ltaS: Double
    var on: Double
    var off: Double
    var thr: Double
    var sos: [String: [[Double]]]
    var triggers: [String: [[Double]]]
    var coincidences: [Coincidence]
  }

  struct Trigger {
    var on: Double
    var off: Double
    var id: String
  }

  private let folder = LabelledRecording.folder.appendingPathComponent("seismic_uh")

  /// Second-order sections in transposed direct form II.
  private func filtered(_ samples: [Double], _ sections: [[Double]]) -> [Double] {
    sections.reduce(samples) { samples, c in
      var z1 = 0.0
      var z2 = 0.0
      return samples.map { x in
        let y = c[0] * x + z1
        z1 = c[1] * x - c[4] * y + z2
        z2 = c[2] * x - c[5] * y
        return y
      }
    }
  }

  /// Withers et al. 1998: exponential means of the squares, none before the long one is filled.
  private func ratios(_ samples: [Double], short: Int, long: Int) -> [Double] {
    var (sta, lta) = (0.0, 1e-99)
    return samples.indices.map { index in
      guard index > 0 else { return 0 }
      let square = samples[index] * samples[index]
      sta += (square - sta) / Double(short)
      lta += (square - lta) / Double(long)
      return index < long ? 0 : sta / lta
    }
  }

  private func triggers(_ name: String, _ expected: Expected) throws -> [Trigger] {
    let text = try String(contentsOf: folder.appendingPathComponent("\(name).csv"), encoding: .utf8)
    let lines = text.split(separator: "\n")
    let header = try #require(lines.first?.firstMatch(of: #/start=(\S+) rate=([0-9.]+)/#))
    let parser = ISO8601DateFormatter()
    parser.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let start = try #require(parser.date(from: String(header.1))).timeIntervalSince1970
    let rate = try #require(Double(header.2))
    let samples = filtered(
      lines.dropFirst().compactMap { Double($0) }, try #require(expected.sos["\(Int(rate))"]))
    let ratios = ratios(samples, short: Int(expected.staS * rate), long: Int(expected.ltaS * rate))
    var found: [Trigger] = []
    var on: Int?
    for (index, ratio) in ratios.enumerated() {
      if on == nil, ratio > expected.on { on = index }
      if let first = on, ratio <= expected.off {
        found.append(Trigger(on: start + Double(first) / rate, off: start + Double(index - 1) / rate, id: name))
        on = nil
      }
    }
    return found
  }

  /// Triggers of different stations that begin before the last of them is over.
  private func coincidences(_ triggers: [Trigger], least: Double) -> [Expected.Coincidence] {
    let triggers = triggers.sorted { $0.on < $1.on }
    var found: [Expected.Coincidence] = []
    var last = -Double.infinity
    for (index, first) in triggers.enumerated() {
      var ids = [first.id]
      var end = first.off
      for next in triggers[(index + 1)...] where !ids.contains(next.id) {
        if next.on > end { break }
        ids.append(next.id)
        end = max(end, next.off)
      }
      guard Double(ids.count) >= least, end > last else { continue }
      found.append(Expected.Coincidence(time: first.on, duration: end - first.on, sum: Double(ids.count), ids: ids))
      last = end
    }
    return found
  }

  @Test func givesThePublishedThreeEvents() throws {
    let expected = try JSONDecoder().decode(
      Expected.self, from: Data(contentsOf: folder.appendingPathComponent("expected.json")))
    var all: [Trigger] = []
    for (name, wanted) in expected.triggers {
      let found = try triggers(name, expected)
      #expect(found.count == wanted.count, "\(name)")
      for (ours, theirs) in zip(found, wanted) {
        // Written with two decimals; starts are up to 2 us off the samples' grid, and Foundation reads milliseconds.
        #expect(abs(ours.on - theirs[0]) < 0.006 && abs(ours.off - theirs[1]) < 0.006, "\(name) at \(theirs[0])")
      }
      all += found
    }
    let found = coincidences(all, least: expected.thr)
    #expect(found.count == expected.coincidences.count)
    for (ours, theirs) in zip(found, expected.coincidences) {
      #expect(abs(ours.time - theirs.time) < 0.006)
      #expect(abs(ours.duration - theirs.duration) < 0.011)
      #expect(ours.sum == theirs.sum)
      #expect(ours.ids == theirs.ids)
    }
  }

  /// The same triggers as shakes: the product's own association finds the same events.
  @Test func shakesAtTheTriggersAreTheSameThreeEvents() throws {
    let expected = try JSONDecoder().decode(
      Expected.self, from: Data(contentsOf: folder.appendingPathComponent("expected.json")))
    var settings = Together.Settings()
    settings.leastNodes = Int(expected.thr)
    var together = Together(settings)
    let stations = expected.triggers.keys.sorted()
    // The four stand within some kilometres of each other.
    let participants = stations.indices.map { participant($0, eastM: Double($0) * 1500, northM: 0) }
    let all = try stations.indices.flatMap { place in
      try triggers(stations[place], expected).map { (place: place, on: $0.on) }
    }
    let start = try #require(all.map(\.on).min())
    for who in participants { together.know(who, at: WallTime(seconds: start - 10)) }
    let findings = run(all.sorted { $0.on < $1.on }.map { shake(participants[$0.place], at: $0.on) }, &together)
    let ended = findings.filter { $0.state == .ended }.sorted { $0.id < $1.id }
    #expect(findings.count { $0.state == .began } == 3 && ended.count == 3)
    for (ours, theirs) in zip(ended, expected.coincidences) {
      #expect(abs((ours.members.map(\.start.seconds).min() ?? 0) - theirs.time) < 0.006)
      #expect(ours.members.map { stations[$0.node] } == theirs.ids, "in the order of their triggers")
    }
  }
}
