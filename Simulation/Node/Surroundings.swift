import NodeLogic
import Telemetry

/// What a node feels: now here, now there, and shaken at times.
struct Surroundings {
  static let fence = try? Geofence(
    name: "yard", .circle(centre: Coordinate(latitude: 47, longitude: 8) ?? origin, radiusM: 100))
  private static let origin = Coordinate(latitude: 0, longitude: 0)!

  private var chance: Chance
  private var isInside = true
  private var stepM = 0.0

  init(chance: Chance) { self.chance = chance }

  /// The next fix; now and then the node goes through the fence, which is an event of its own.
  mutating func fix(at wall: WallTime) -> GpsdReport {
    if chance.oneIn(6) { isInside.toggle() }
    stepM = chance.double(0...20)
    var position = GpsdPosition(device: "/dev/ttyS0", mode: 3)
    position.latitude = 47 + (isInside ? 0 : 0.02) + stepM / 111_000
    position.longitude = 8
    position.ephM = 3
    position.time = wall
    return .position(position)
  }

  /// Three seconds of samples up to `now`, with a shake in the first half.
  static func shake(until now: Instant) -> AccelerometerReport {
    let rateHz = 50.0
    return .samples(
      (0..<150).map { index in
        let t = Double(index) / rateHz
        // Four full swings a second.
        let phase = (t * 4).truncatingRemainder(dividingBy: 1)
        let swing = t < 1.5 ? (phase < 0.5 ? 1.0 : -1.0) * 2.5 : 0
        return Sample(at: now + (t - 3), g: Vector(swing, 0, 1))
      })
  }
}
