import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

/// What people report of other programs that tell which side is up, on the way through the whole pipeline.
@Suite("Orientation complaints")
struct OrientationComplaintTests {
  private func faces(
    _ samples: [Sample], _ change: (inout MotionSettings) -> Void = { _ in }
  ) -> [OrientationChange] {
    var settings = MotionSettings()
    change(&settings)
    var pipeline = MotionPipeline(settings)
    return orientations(samples.flatMap { pipeline.handle(.samples([$0]), at: $0.at) })
  }

  /// Gravity tilted from z towards x [deg].
  private func tilted(_ deg: Double) -> Vector {
    Vector(sin(deg * .pi / 180), 0, cos(deg * .pi / 180))
  }

  private func noise(_ random: inout Lottery) -> Double { Double(random.next() % 2001) / 1000 - 1 }

  // iio-sensor-proxy #266, #18: the side changes all the time, or without a turn.
  @Test(arguments: [0.0, 30, 45, 50, 60, 90])
  func vibrationDoesNotMakeASideFlap(deg: Double) {
    var random = Lottery(seed: 8)
    let shaky = samples(rateHz: 50, lengthS: 120) { _ in
      tilted(deg) + Vector(noise(&random), noise(&random), noise(&random)) * 0.35
    }
    #expect(faces(shaky).count <= 1)
  }

  // iio-sensor-proxy #266: something slow that swings about an edge.
  @Test func swingingAboutAnEdgeDoesNotFlap() {
    let swinging = samples(rateHz: 50, lengthS: 120) { tilted(45 + 9 * sin(2 * .pi * 0.2 * $0)) }
    #expect(faces(swinging).isEmpty)
    let fromFlat = samples(rateHz: 50, lengthS: 120) { time in
      time < 5 ? flat : tilted(45 + 9 * sin(2 * .pi * 0.2 * time))
    }
    #expect(faces(fromFlat).map(\.face) == [.zUp])
  }

  // iio-sensor-proxy #220: every few scans a frame of 20 g and more comes between good ones.
  @Test(arguments: [2, 3, 10, 50])
  func garbageBetweenGoodFramesDoesNotTurnIt(every: Int) {
    let good = samples(rateHz: 50, lengthS: 60) { _ in Vector(-0.015, -0.898, -0.375) }
    let mixed = good.enumerated().map { index, sample in
      index % every == every - 1 ? Sample(at: sample.at, g: Vector(20.774, 27.203, 0)) : sample
    }
    #expect(faces(mixed).allSatisfy { $0.face == .yDown })
    #expect(faces(good).map(\.face) == [.yDown])
  }

  // iio-sensor-proxy #90: tilted and quickly back, the screen stays turned; hold for 1 or 1.5 s.
  @Test func aQuickTiltAndBackIsNoTurnAndTheHoldCanBeChosen() {
    let quick = samples(rateHz: 50, lengthS: 10) { (4...4.6).contains($0) ? tilted(90) : flat }
    #expect(faces(quick).map(\.face) == [.zUp])
    let slower = samples(rateHz: 50, lengthS: 12) { (4...5.4).contains($0) ? tilted(90) : flat }
    #expect(faces(slower).map(\.face) == [.zUp, .xUp, .zUp])
    #expect(faces(slower) { $0.orientation.settleS = 1.5 }.map(\.face) == [.zUp])
    let stays = samples(rateHz: 50, lengthS: 12) { $0 >= 4 ? tilted(90) : flat }
    let held = faces(stays) { $0.orientation.settleS = 1.5 }
    #expect(held.map(\.face) == [.zUp, .xUp])
    #expect((5.5...6).contains(held.last?.at.seconds ?? 0))
  }

  @Test func halfATurnIsOneChange() {
    let over = samples(rateHz: 50, lengthS: 10) { tilted(min(180, max(0, ($0 - 4) / 0.5 * 180))) }
    #expect(faces(over).map(\.face) == [.zUp, .zDown])
    #expect(faces(over).last?.previous == .zUp)
    #expect((faces(over).last?.tiltDeg ?? 0) > 150)
  }

  @Test func brakingAndCornersAreNoTurns() {
    // 0.3 g sideways for seconds, as in a hard corner: gravity seems to lean by 17 deg.
    let driven = samples(rateHz: 50, lengthS: 60) { time in
      flat + Vector(0.3 * (sin(2 * .pi * 0.08 * time) > 0 ? 1 : -1), 0.2 * sin(2 * .pi * 0.11 * time), 0)
    }
    #expect(faces(driven).map(\.face) == [.zUp])
  }

  @Test func theTiltIsThatOfTheMoment() throws {
    for deg in [0.0, 10, 20, 30] {
      let change = try #require(faces(samples(rateHz: 50, lengthS: 3) { _ in tilted(deg) }).first)
      #expect((change.tiltDeg - deg).magnitude < 1e-6)
      #expect((change.up - tilted(deg)).length < 1e-9)
    }
  }
}

@Suite(
  "Orientation against the reference", .enabled(if: SharedRecordings.arePresent, "no ../shared/data/motion"))
struct RecordedOrientationTests {
  /// What the reference decides of each handheld recording: sides and times [s]. It is fed gravity through a low-pass
  /// filter of 0.7 Hz, and nothing while a shake of `golden_events.json` is active.
  private static let expected = [
    "mb_shake_short_0": "x+@7.0239 z+@9.9391", "mb_shake_long_0": "x+@9.0978 z+@13.0109",
    "mb_shake_short_1": "x+@6.9652 z+@9.8609", "mb_shake_long_1": "x+@8.9609 z+@12.8152",
    "mb_shake_short_2": "x+@6.8674 z+@9.9391", "mb_shake_long_2": "x+@8.9217 z+@12.9522",
    "mb_circle": "x+@8.9804 z+@12.9130 z-@14.8500 y+@16.7283",
    "mb_wave_clap": "z-@0.5087 x+@8.7652 x-@12.4630 z+@16.1022 z-@20.6217",
    "mb_waggle": "y+@3.3814 y-@5.6701 x+@10.4948 z-@12.8660",
    "mb_flick_poke": "y+@3.2990 y-@5.6082 z-@7.3608 x+@10.3711 z-@12.0412 y+@17.7526 z-@18.6598 y-@20.0825"
      + " z-@21.6907 x+@24.9072",
    "mb_walking": "", "mb_jumping": "", "ard_punch": "z+@0.6723", "ard_uppercut": "x-@3.8908",
    "fusion_rotation": "z+@0.5090 y+@16.4795 z+@25.5584 x-@31.4699 x+@36.8094 z+@40.7881",
    "gait_foot_short": "z+@0.5021", "daphnet_trunk": "y+@0.5000", "daphnet_thigh": "y+@0.5000",
    "watch_pen": "x-@0.5000", "watch_abd": "", "watch_ir": "y+@0.5000", "watch_trap": "x-@2.0600",
    "px4_handling": "z-@0.5032",
  ]

  /// When the reference's shakes are active [s].
  private func shakes(_ file: String) throws -> [Range<Double>] {
    var began: Double?
    return try SharedRecordings.golden()[file, default: []].compactMap { event in
      defer { began = event.phase == "began" ? event.t : nil }
      return event.phase == "began" ? nil : began.map { $0..<event.t }
    }
  }

  @Test func everyTurnIsToldAsTheReferenceTellsIt() throws {
    for (name, turns) in Self.expected {
      let file = "open/\(name).csv"
      let active = try shakes(file)
      var filter = GravityFilter(cornerHz: 0.7)
      var detector = OrientationDetector()
      var last: Instant?
      var told: [String] = []
      for sample in try SharedRecordings.samples(file) {
        let gravity = filter.feed(sample.g, after: last.map { sample.at - $0 } ?? 0)
        last = sample.at
        let isShaking = active.contains { $0.contains(sample.at.seconds) }
        guard let change = detector.feed(gravity: gravity, at: sample.at, isShaking: isShaking) else { continue }
        told.append("\(change.face.rawValue)@\(String(format: "%.4f", change.at.seconds))")
      }
      #expect(told.joined(separator: " ") == turns, "\(name)")
    }
  }

  @Test func earthquakesTurnNothing() throws {
    for record in try SharedRecordings.manifest() where record.preset == "fixed" {
      var pipeline = MotionPipeline(MotionSettings(.fixed))
      let samples = try SharedRecordings.samples(record.file)
      let faces = orientations(samples.flatMap { pipeline.handle(.samples([$0]), at: $0.at) }).map(\.face)
      #expect(faces == [.xUp], "\(record.file)")
    }
  }
}
