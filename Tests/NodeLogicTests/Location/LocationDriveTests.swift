import Telemetry
import Testing

@testable import NodeLogic

/// A drive through a town and over land, with errors: what is published of it, and how long it is said to be.
@Suite("Drive") struct LocationDriveTests {
  struct Step {
    var east: Double
    var north: Double
    var speedMPS: Double
  }

  /// One place a second: straights and bends of all radii from 15 m, speeds to match, and stops at lights.
  private func road(seed: UInt64, seconds: Int) -> [Step] {
    var random = RandomNumbers(seed: seed)
    var steps: [Step] = []
    var (east, north, heading, speed) = (0.0, 0.0, 0.0, 0.0)
    while steps.count < seconds {
      let isBend = random.uniform(0...1) < 0.5
      let radius = isBend ? exp(random.uniform(2.7...6)) * (random.uniform(0...1) < 0.5 ? -1 : 1) : .infinity
      let limit = min(22, (abs(radius) * 3).squareRoot())
      var remaining = isBend ? abs(radius) * random.uniform(0.4...1.6) : random.uniform(50...600)
      let stopS = random.uniform(0...1) < 0.15 ? Int(random.uniform(5...60)) : 0
      while remaining > 0, steps.count < seconds {
        speed += max(-3, min(2, limit - speed))
        for _ in 0..<10 {
          heading += speed / 10 / radius
          east += sin(heading) * speed / 10
          north += cos(heading) * speed / 10
        }
        remaining -= speed
        steps.append(Step(east: east, north: north, speedMPS: speed))
      }
      for _ in 0..<stopS {
        speed = 0
        steps.append(Step(east: east, north: north, speedMPS: 0))
      }
    }
    return steps
  }

  private func drive(
    _ road: [Step], _ receiver: ReceiverModel, stillness: LocationTracker.Stillness = .unknown
  ) -> LocationFixture {
    var node = LocationFixture.longRun(stillness)
    var receiver = receiver
    for second in 0..<300 { node.feed(receiver.report(at: Double(second), east: 0, north: 0), at: Double(second)) }
    for (index, step) in road.enumerated() {
      let time = 300 + Double(index)
      node.feed(
        receiver.report(at: time, east: step.east, north: step.north, speedMPS: step.speedMPS), at: time)
    }
    return node
  }

  private func length(_ road: [Step]) -> Double {
    zip(road, road.dropFirst()).reduce(0) { $0 + hypot($1.1.east - $1.0.east, $1.1.north - $1.0.north) }
  }

  private typealias Point = (east: Double, north: Double)

  private func distance(_ point: Point, toLineFrom a: Point, to b: Point) -> Double {
    let (dx, dy) = (b.east - a.east, b.north - a.north)
    let square = dx * dx + dy * dy
    let along = square > 0 ? ((point.east - a.east) * dx + (point.north - a.north) * dy) / square : 0
    let clamped = max(0, min(1, along))
    return hypot(point.east - a.east - clamped * dx, point.north - a.north - clamped * dy)
  }

  @Test(arguments: 1...6) func noPointIsFartherThanTheFilterEitherWay(seed: UInt64) throws {
    let road = road(seed: seed, seconds: 3_600)
    let node = drive(road, ReceiverModel(seed: seed + 100, whiteM: 3))
    let filterM = 25.0
    var points: [(at: Double, place: Point)] = []
    for output in node.outputs {
      guard case .fixed(let position) = output.content else { continue }
      let place = try #require(Coordinate(latitude: position.latitude, longitude: position.longitude))
      let offset = FixMaker.origin.offset(to: place)
      points.append((output.at.seconds - position.ageS, (offset.eastM, offset.northM)))
    }
    #expect(points.count > 500)
    let track = [Point(0, 0)] + road.map { Point($0.east, $0.north) }
    for (at, place) in points {
      // The stretch of road around that moment is enough, and quicker than all of it.
      let middle = Int(at) - 300
      let near = track[max(0, middle - 20)..<max(2, min(track.count, middle + 20))]
      let off = zip(near, near.dropFirst()).map { distance(place, toLineFrom: $0.0, to: $0.1) }.min() ?? .infinity
      #expect(off <= filterM)
    }
    for (index, step) in road.enumerated() {
      let time = 300 + Double(index)
      guard let next = points.firstIndex(where: { $0.at >= time }), next > 0 else { continue }
      let off = distance((step.east, step.north), toLineFrom: points[next - 1].place, to: points[next].place)
      #expect(off <= filterM, "at \(time) s: \(off) m")
    }
  }

  @Test(arguments: 1...6) func theOdometerIsRightWithinThreePercent(seed: UInt64) {
    let road = road(seed: seed, seconds: 3_600)
    let node = drive(road, ReceiverModel(seed: seed + 100, whiteM: 3))
    let trueM = length(road)
    let odometer = node.tracker.odometer
    #expect(abs(odometer.totalM / trueM - 1) < 0.03, "\(odometer.totalM) m of \(trueM) m")
    #expect(odometer.tripM == odometer.totalM, "one trip")
    #expect(node.tracker.counters.rejected == 0)
  }

  @Test func aTripBeginsAfterALongStand() throws {
    var node = LocationFixture.longRun(.unknown)
    for second in 0..<100 { node.fix(at: Double(second)) }
    for second in 100..<200 { node.fix(at: Double(second), north: Double(second - 99) * 10) }
    for second in 200..<400 { node.fix(at: Double(second), north: 1_000) }
    for second in 400..<450 { node.fix(at: Double(second), north: 1_000 + Double(second - 399) * 10) }
    #expect(abs(node.tracker.odometer.tripM - 1_500) < 30, "200 s are a short stand")
    for second in 450..<900 { node.fix(at: Double(second), north: 1_500) }
    #expect(abs(node.tracker.odometer.tripM - 1_500) < 5, "the trip lasts until the next one")
    for second in 900..<950 { node.fix(at: Double(second), north: 1_500 + Double(second - 899) * 10) }
    #expect(abs(node.tracker.odometer.tripM - 500) < 30)
    #expect(abs(node.tracker.odometer.totalM - 2_000) < 30)
    let last = try #require(node.positions.last)
    #expect(last.tripM.map { $0 <= node.tracker.odometer.tripM } == true)
    #expect(last.isMoving == true)
  }

  @Test func aTunnelCountsAsTheStraightLine() {
    var node = LocationFixture.longRun(.unknown)
    for second in 0..<100 { node.fix(at: Double(second), north: Double(second) * 20) }
    for second in 100..<220 { node.noFix(at: Double(second)) }
    for second in 220..<300 { node.fix(at: Double(second), north: Double(second) * 20) }
    #expect(abs(node.tracker.odometer.totalM / (299 * 20) - 1) < 0.02)
    #expect(node.count(.regained) == 1)
    #expect(node.positions.first { $0.cause == .regained }?.lostS == 121)
  }
}
