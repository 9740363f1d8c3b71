internal import Telemetry

/// Makes up what gpsd would say to a scripted node: a fix each second, and every way of having none.
struct ScriptedReceiver: Sendable {
  typealias Trouble = LocationMessage.Loss.Reason

  /// Where the node is [m] from its home, and where it is going.
  private struct Way {
    var eastM = 0.0
    var northM = 0.0

    func distanceM(to other: Way) -> Double { hypot(other.eastM - eastM, other.northM - northM) }
  }

  static let intervalS = 1.0
  private static let device = "/dev/simulated"
  private static let noiseM = 0.5
  private static let accuracyM = 3.0
  /// Worse than any node accepts.
  private static let poorAccuracyM = 200_000.0

  let home: Coordinate
  private var random: RandomNumbers
  private var trouble: Trouble?
  /// gpsd has said that the device went.
  private var isUnplugged = false
  private var way = Way()
  private var target = Way()
  private var speedMPS = 0.0
  private var movedAt: Instant
  /// When it says something again.
  private(set) var nextAt: Instant

  init(home: Coordinate, seed: UInt64, start: Instant) {
    self.home = home
    random = RandomNumbers(seed: seed)
    // Not all nodes of a crowd at the same moment.
    nextAt = start + random.uniform(0...Self.intervalS)
    movedAt = start
  }

  /// What gpsd says to somebody who connects.
  func greeting() -> [GpsdInput] {
    guard trouble != .gpsdGone else { return [] }
    let device = GpsdDevice(path: Self.device, driver: "simulated", isActivated: trouble != .deviceGone)
    return [.report(.devices([device])), .link(.up(release: nil))]
  }

  /// Takes the fix away; answers what gpsd says to that at once.
  mutating func lose(_ reason: Trouble) -> [GpsdInput] {
    let before = trouble
    trouble = reason
    switch reason {
    case .gpsdGone: return before == .gpsdGone ? [] : [.link(.down(reason: "scripted"))]
    case .deviceGone:
      // Told with the next report: not while one of the device is still being put together.
      isUnplugged = false
      return before == .gpsdGone ? greeting() : []
    case .noFix, .stalled, .simulated, .rejected: return before.map { recovery(from: $0) } ?? []
    }
  }

  /// Gives the fix back.
  mutating func regain() -> [GpsdInput] {
    guard let before = trouble else { return [] }
    trouble = nil
    return recovery(from: before)
  }

  private func recovery(from trouble: Trouble) -> [GpsdInput] {
    switch trouble {
    case .gpsdGone: greeting()
    case .deviceGone: [device(isActivated: true)]
    case .noFix, .stalled, .simulated, .rejected: []
    }
  }

  private func device(isActivated: Bool) -> GpsdInput {
    .report(.device(GpsdDevice(path: Self.device, driver: "simulated", isActivated: isActivated)))
  }

  /// Sets off to a place so far from home [m], with a speed [m/s], > 0.
  mutating func move(eastM: Double, northM: Double, speedMPS: Double, at now: Instant) {
    travel(until: now)
    target = Way(eastM: eastM, northM: northM)
    self.speedMPS = speedMPS
  }

  /// Is somewhere else from now on, without having got there.
  mutating func teleport(eastM: Double, northM: Double) {
    way = Way(eastM: eastM, northM: northM)
    target = way
  }

  /// What gpsd says at `nextAt`; nothing where it has nothing to say.
  ///
  /// - Parameter wall: the time by GPS.
  mutating func next(wall: WallTime) -> [GpsdInput] {
    let now = nextAt
    nextAt = now + Self.intervalS
    travel(until: now)
    switch trouble {
    case .stalled, .gpsdGone: return []
    case .deviceGone:
      defer { isUnplugged = true }
      return isUnplugged ? [] : [device(isActivated: false)]
    case .noFix: return [.report(.position(GpsdPosition(device: Self.device, mode: 1)))]
    case nil, .simulated, .rejected: return [.report(.position(fix(wall: wall)))]
    }
  }

  /// Leaves out what would have been said before a moment, and says something at that moment: gpsd's newest line waits
  /// for whoever did not read.
  mutating func skip(to moment: Instant) { nextAt = max(nextAt, moment) }

  private mutating func travel(until now: Instant) {
    let restM = way.distanceM(to: target)
    let stepM = speedMPS * max(0, now - movedAt)
    movedAt = now
    guard restM > 0 else { return }
    let part = min(1, stepM / restM)
    way.eastM += (target.eastM - way.eastM) * part
    way.northM += (target.northM - way.northM) * part
  }

  private mutating func fix(wall: WallTime) -> GpsdPosition {
    let place = home.moved(
      eastM: way.eastM + Self.noiseM * random.normal(), northM: way.northM + Self.noiseM * random.normal())
    var report = GpsdPosition(device: Self.device, mode: 3)
    report.status = trouble == .simulated ? 8 : nil
    report.time = wall
    report.latitude = place.latitude
    report.longitude = place.longitude
    report.ephM = trouble == .rejected ? Self.poorAccuracyM : Self.accuracyM
    let isMoving = way.distanceM(to: target) > 0
    report.speedMPS = isMoving ? speedMPS : 0
    if isMoving {
      let courseDeg = degrees(atan2(target.eastM - way.eastM, target.northM - way.northM))
      report.courseDeg = courseDeg < 0 ? courseDeg + 360 : courseDeg
    }
    return report
  }
}
