import Foundation
import Rig
import Telemetry
import Testing

@testable import NodeLogic

/// What a node with the default settings sends: the figures of docs/OPERATIONS.md.
@Suite struct DayOnTheWireTests {
  /// A row of the table in docs/OPERATIONS.md.
  private enum Use: String, CaseIterable {
    case parked = "parked"
    case driving = "driving at 50 km/h"

    /// How long is simulated after half an hour of settling [s].
    var lengthS: Double { self == .parked ? 7200 : 1800 }
  }

  @Test(arguments: Use.allCases, [false, true])
  private func agreesWithTheDocument(use: Use, isEncrypted: Bool) throws {
    let bytes = try bytesPerHour(use, isEncrypted: isEncrypted)
    let row = try row(use.rawValue)
    let documentedKB = try #require(Double(row[isEncrypted ? 2 : 1]))
    #expect(abs(bytes / 1000 / documentedKB - 1) < 0.05, "\(bytes / 1000) kB an hour")
    let documentedMB = try #require(Double(row[isEncrypted ? 4 : 3]))
    #expect(abs(bytes * 24 / 1e6 / documentedMB - 1) < 0.05, "\(bytes * 24 / 1e6) MB a day")
  }

  /// The cells of a row of the document: what is done, kB an hour, with TLS, MB a day, with TLS.
  private func row(_ name: String) throws -> [String] {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("docs/OPERATIONS.md"), encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("| \(name) |") }, "no row \(name)")
    return line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  // MARK: The simulation

  private func bytesPerHour(_ use: Use, isEncrypted: Bool) throws -> Double {
    var settings = NodeSettings()
    settings.motion = MotionSettings(.handheld)
    settings.location = LocationTracker.Settings()
    settings.gpsd = "localhost:2947"
    // Only to count: the limit is never reached.
    settings.budget = DataBudget.Settings(
      limitBytes: 1e12, topicBytes: "judder/pallet-7/".utf8.count, isEncrypted: isEncrypted)
    var node = Node(
      boot: BootID(7), settings, clock: ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp))
    act(&node, .link(isConnected: true), at: .start)
    act(&node, .gpsd(.link(.up(release: "3.22"))), at: .start)
    // Slow, to be quick: what windows say does not get longer with more samples, but for a digit or two.
    let sensor = AccelerometerDescription(name: "lis3dh", source: .iio, rateHz: 20, capture: .buffered)
    act(&node, .accelerometer(.started(sensor)), at: .start)
    var drift = Drift()
    let settledS = 1800.0
    run(&node, use, from: 0, to: settledS, &drift)
    let before = try #require(node.budget).usedBytes
    run(&node, use, from: settledS, to: settledS + use.lengthS, &drift)
    return (try #require(node.budget).usedBytes - before) / use.lengthS * 3600
  }

  private func run(_ node: inout Node, _ use: Use, from startS: Double, to endS: Double, _ drift: inout Drift) {
    for second in Int(startS)..<Int(endS) {
      let time = Double(second)
      act(&node, .accelerometer(.samples(motion(use, from: time, &drift))), at: .s(time + 1))
      act(&node, .gpsd(.report(.position(report(use, at: time + 1, &drift)))), at: .s(time + 1))
      while node.nextDeadline < .s(time + 2) { act(&node, .tick, at: max(node.nextDeadline, .s(time + 1))) }
    }
  }

  /// Carries out what a node with a good link asks for.
  private func act(_ node: inout Node, _ input: NodeInput, at now: Instant) {
    for effect in node.handle(input, at: now) {
      switch effect {
      case .publish(let outgoing): if let token = outgoing.token { act(&node, .delivered(token), at: now) }
      case .measureUsage: act(&node, .usage(ProcessLoad(residentKB: 11_000, processorS: now.seconds / 100)), at: now)
      default: break
      }
    }
  }

  /// A second of a sensor on a table, or on a car's floor.
  private func motion(_ use: Use, from startS: Double, _ drift: inout Drift) -> [Sample] {
    let noiseG = use == .parked ? 0.002 : 0.04
    return samples(rateHz: 20, from: startS, lengthS: 1) { _ in
      flat + Vector(drift.normal(), drift.normal(), drift.normal()) * noiseG
    }
  }

  private func report(_ use: Use, at seconds: Double, _ drift: inout Drift) -> GpsdPosition {
    var report = GpsdPosition(device: "/dev/ttyACM0", mode: 3)
    let offsetM = drift.step()
    // North, and slowly turning, so that courses have all their digits.
    let wayM = use == .parked ? 0 : 13.9 * seconds
    report.latitude = 47 + (wayM * 0.8 + offsetM.north) / 111_195
    report.longitude = 8 + (wayM * 0.6 + offsetM.east) / 75_800
    report.time = WallTime(seconds: 1_800_000_000 + seconds)
    report.altitudeMSLM = 412.3
    report.ephM = 9.5
    report.speedMPS = use == .parked ? 0.1 : 13.9
    report.courseDeg = 36.87
    return report
  }
}

/// An error of position that wanders: 5 m, correlated over ten minutes, as that of a receiver under open sky.
private struct Drift {
  private var random = SeededRandom(seed: 7)
  private var offsetM = (north: 0.0, east: 0.0)

  mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &random) } }

  mutating func step() -> (north: Double, east: Double) {
    // One second of a correlation over ten minutes: exp(-1/600).
    let keep = 0.998335
    let gain: Double = 5.0 * (1.0 - keep * keep).squareRoot()
    offsetM.north = keep * offsetM.north + gain * normal()
    offsetM.east = keep * offsetM.east + gain * normal()
    return offsetM
  }
}
