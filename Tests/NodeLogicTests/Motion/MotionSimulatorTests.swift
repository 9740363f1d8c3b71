import NodeLogic
import Telemetry
import Testing

@Suite("Motion simulator")
struct MotionSimulatorTests {
  private func run(_ scenario: MotionScenario, seed: UInt64, lengthS: Double, rateHz: Double = 50) -> [Sample] {
    var simulator = MotionSimulator(scenario, rateHz: rateHz, seed: seed)
    return (0..<Int(lengthS * rateHz)).map { _ in simulator.next() }
  }

  private func outputs(_ samples: [Sample]) -> [MotionOutput] {
    var pipeline = MotionPipeline()
    return samples.flatMap { pipeline.handle(.samples([$0]), at: $0.at) }
  }

  @Test(arguments: MotionScenario.allCases)
  func aSeedDecidesEverything(scenario: MotionScenario) {
    #expect(run(scenario, seed: 7, lengthS: 30) == run(scenario, seed: 7, lengthS: 30))
    #expect(run(scenario, seed: 7, lengthS: 30) != run(scenario, seed: 8, lengthS: 30))
  }

  @Test func samplesComeAtTheRateFromTheStart() {
    var simulator = MotionSimulator(.parked, rateHz: 25, seed: 1, start: .s(100))
    #expect(simulator.nextAt == .s(100))
    let first = simulator.next()
    let second = simulator.next()
    #expect([first.at, second.at, simulator.nextAt] == [.s(100), .s(100.04), .s(100.08)])
  }

  @Test func aRateThatIsNoneIsBroughtIntoRange() {
    #expect(
      [0, -5, .nan, .infinity, 50].map { MotionSimulator(.driven, rateHz: $0, seed: 1).rateHz } == [
        1, 1, 1, 10_000, 50,
      ])
  }

  @Test(arguments: [25.0, 50, 100])
  func parkedIsGravityAndNoise(rateHz: Double) throws {
    for seed in UInt64(1)...3 {
      let outputs = outputs(run(.parked, seed: seed, lengthS: 120, rateHz: rateHz))
      #expect(shakes(outputs).isEmpty)
      #expect(orientations(outputs).map(\.face) == [.zUp])
      #expect(windows(outputs).allSatisfy { ($0.rmsG ?? 0) < 0.01 && ($0.meanG.length - 1).magnitude < 0.01 })
    }
  }

  @Test func drivenVibratesAndLeansAndDoesNotShake() {
    for seed in UInt64(1)...3 {
      let samples = run(.driven, seed: seed, lengthS: 300)
      let outputs = outputs(samples)
      #expect(shakes(outputs).isEmpty, "seed \(seed)")
      #expect(orientations(outputs).map(\.face) == [.zUp], "seed \(seed)")
      #expect(windows(outputs).allSatisfy { ($0.rmsG ?? 0) > 0.02 && ($0.rmsG ?? 1) < 0.5 }, "seed \(seed)")
      #expect(samples.contains { $0.g.x.magnitude > 0.2 }, "corners and brakes")
    }
  }

  @Test func carriedWalksAndIsTurnedNowAndThen() {
    var falseAlarms = 0
    for seed in UInt64(1)...3 {
      let outputs = outputs(run(.carried, seed: seed, lengthS: 300))
      falseAlarms += shakes(outputs).count { $0.phase == .began }
      #expect(orientations(outputs).count >= 6, "seed \(seed)")
      #expect(windows(outputs).allSatisfy { ($0.rmsG ?? 0) > 0.1 }, "seed \(seed)")
    }
    #expect(falseAlarms == 0)
  }

  @Test(arguments: [50.0, 100, 800])
  func droppedFallsAndHitsAndLiesDifferently(rateHz: Double) throws {
    for seed in UInt64(1)...3 {
      let outputs = outputs(run(.dropped, seed: seed, lengthS: 200, rateHz: rateHz))
      // What the end of the run cuts short is left out.
      let falls = freeFalls(outputs).filter { $0.at < .s(197) }
      let hits = impacts(outputs).filter { $0.start < .s(197) }
      #expect((6...17).contains(falls.count), "seed \(seed)")
      #expect(hits.count == falls.count, "seed \(seed)")
      for (fall, hit) in zip(falls, hits) {
        #expect((0.25...1.4).contains(fall.dropM))
        let fallS = try #require(hit.fallS)
        #expect((fallS - fall.durationS).magnitude < 1e-9)
        // What the landing takes away and gives back: the velocity of the fall, and up to 18 % more.
        #expect((0.9...1.35).contains(hit.dvMps / (9.80665 * fallS)), "\(hit)")
        #expect(hit.peakG > 5 && hit.peakG < 130)
      }
      #expect(orientations(outputs).count { $0.at < .s(199) } == falls.count + 1, "seed \(seed)")
      #expect(shakes(outputs).isEmpty, "seed \(seed)")
    }
  }

  @Test(arguments: [25.0, 50, 200])
  func shakenMakesTheDetectorFireWithBothEndings(rateHz: Double) {
    var phases: [ShakeMessage.Phase: Int] = [:]
    for seed in UInt64(1)...3 {
      let events = shakes(outputs(run(.shaken, seed: seed, lengthS: 300, rateHz: rateHz)))
      for event in events { phases[event.phase, default: 0] += 1 }
      let began = events.count { $0.phase == .began }
      #expect((14...38).contains(began), "one each 8 to 20 s and the shake itself; seed \(seed)")
      #expect(events.allSatisfy { $0.phase != .cancelled || $0.reason == .tooLong })
    }
    #expect(phases[.ended, default: 0] > 2 * phases[.cancelled, default: 0])
    #expect(phases[.cancelled, default: 0] >= 4)
  }
}
