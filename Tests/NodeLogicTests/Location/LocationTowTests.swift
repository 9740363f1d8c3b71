import Telemetry
import Testing

@testable import NodeLogic

/// Drift is withheld, and a real departure never is: however smooth and slow a tow, it is published within 100 m.
@Suite("Slow tow") struct LocationTowTests {
  /// What a tow looked like: how far the node really was from where it stood when its departure was published [m].
  private func publishedAtM(
    _ speed: Double, _ stillness: LocationTracker.Stillness, _ receiver: ReceiverModel
  ) -> Double? {
    var node = LocationFixture.longRun(stillness)
    var receiver = receiver
    let parkedS = 1_800.0
    for second in 0..<(1_800 + Int(150 / speed)) {
      let time = Double(second)
      let north = max(0, time - parkedS) * speed
      let before = node.count(.distance)
      node.feed(
        receiver.report(at: time, east: 0, north: north, speedMPS: north > 0 ? speed : 0), at: time)
      if node.count(.distance) > before, north > 0 { return north }
    }
    return nil
  }

  @Test(arguments: [0.2, 0.5, 1])
  func isPublishedWithin100Metres(speed: Double) throws {
    for stillness in [LocationTracker.Stillness.still(since: .start), .unknown] {
      for accuracy in [5.0, 15, 30] {
        for seed in 1...8 {
          // Half of the errors wander, half are new each time: together those of a receiver whose figure covers 95 %.
          let sigma = accuracy / 2.45 / 2.0.squareRoot()
          let receiver = ReceiverModel(
            seed: UInt64(seed), driftM: sigma, whiteM: sigma, accuracyM: accuracy...accuracy)
          let seen = publishedAtM(speed, stillness, receiver)
          #expect(
            try #require(seen, "\(speed) m/s, \(accuracy) m, \(stillness), seed \(seed)") <= 100,
            "\(speed) m/s, \(accuracy) m, \(stillness), seed \(seed)")
        }
      }
    }
  }

  /// With such a figure a receiver is mostly better than it says; what it says must not hide a tow.
  @Test(arguments: [60.0, 90, 150, 200])
  func isPublishedWithin100MetresWhateverTheFigureForTheAccuracy(accuracy: Double) throws {
    for seed in 1...4 {
      let receiver = ReceiverModel(seed: UInt64(seed), driftM: 4, whiteM: 3, accuracyM: accuracy...accuracy)
      #expect(try #require(publishedAtM(0.5, .still(since: .start), receiver), "seed \(seed)") <= 100, "seed \(seed)")
    }
  }

  /// The interval's message comes just when the departure is seen, from the same place.
  @Test func isSaidToMoveThoughItsPlaceWasPublishedAMomentAgo() throws {
    var node = LocationFixture.longRun(.still(since: .start))
    for second in 0...600 { node.fix(at: Double(second), accuracyM: 15) }
    #expect(node.count(.interval) == 2)
    // The allowance of 50 m is left at 899, 900 and 901 s.
    for second in 601...910 {
      node.fix(at: Double(second), north: max(0, Double(second - 648) * 0.2), accuracyM: 15)
    }
    #expect(node.positions.suffix(2).map(\.cause) == [.interval, .distance])
    #expect(node.positions.suffix(2).map(\.isMoving) == [nil, true])
  }

  @Test func isPublishedWithin100MetresWithoutSpeedsAndWithoutAccuracies() throws {
    for speed in [0.2, 0.5, 1] {
      var receiver = ReceiverModel(seed: 3, driftM: 5, whiteM: 3)
      receiver.speedNoiseMPS = nil
      #expect(try #require(publishedAtM(speed, .still(since: .start), receiver)) <= 100)
    }
  }
}
