public import Telemetry

/// When a side counts as up.
public struct OrientationSettings: Equatable, Sendable {
  /// A side comes up when its axis is at most so far from vertical [deg], 5...44.
  public var enterDeg = 35.0
  /// The side that is up stays so until its axis is at least so far from vertical [deg], above `enterDeg`, to 85. The
  /// difference is the hysteresis: a node that lies on an edge does not flap.
  public var leaveDeg = 55.0
  /// Gravity that differs by more than this from 1 g is not gravity alone, and nothing is decided [g], 0.02...0.5.
  public var gateG = 0.15
  /// A new side must hold so long [s], 0...60.
  public var settleS = 0.5
  /// What is slower is gravity [Hz], 0.05...5.
  ///
  /// Apart from the other filters on purpose: neither the shake preset nor the cut-off of the published acceleration
  /// may change what counts as up. 0.7 Hz is what the hysteresis and the settling time were chosen with.
  public var lowPassHz = 0.7

  public init() {}
}

/// A side came up.
public struct OrientationChange: Equatable, Sendable {
  /// When it was decided: the settling time after the turn.
  public var at: Instant
  public var face: Face
  /// The side before; `unknown` at the first.
  public var previous: Face
  /// The angle between the node's z axis and up [deg], 0...180.
  public var tiltDeg: Double
  /// The unit vector of gravity's reaction: (0, 0, 1) flat on a table, face up.
  public var up: Vector

  public init(at: Instant, face: Face, previous: Face, tiltDeg: Double, up: Vector) {
    self.at = at
    self.face = face
    self.previous = previous
    self.tiltDeg = tiltDeg
    self.up = up
  }

  /// The change as it is published.
  public func message(in convention: Convention = .standard) -> OrientationMessage {
    convention.published(OrientationMessage(face: face, previous: previous, tiltDeg: tiltDeg, up: up))
  }
}

/// Which of the six sides is up, from gravity, with hysteresis, a gate and a settling time.
public struct OrientationDetector: Equatable, Sendable {
  /// As they were given; angles are not checked again.
  public let settings: OrientationSettings
  /// The side that is up; `unknown` until the first was decided.
  public private(set) var face: Face
  private var candidate: Candidate?

  /// A side that is on its way to come up.
  private struct Candidate: Equatable {
    var face: Face
    var since: Instant
  }

  /// - Parameter face: the side that is up already, where that is known.
  public init(_ settings: OrientationSettings = OrientationSettings(), face: Face = .unknown) {
    self.settings = settings
    self.face = face
  }

  /// Takes the estimate of gravity [g] at a moment, and answers the change that it decides, if any.
  ///
  /// - Parameter isShaking: a shake is active. Nothing is decided then, and a turn under way starts to settle anew.
  public mutating func feed(gravity: Vector, at now: Instant, isShaking: Bool = false) -> OrientationChange? {
    let strength = gravity.length
    guard !isShaking, strength > 0.1, (strength - 1).magnitude <= settings.gateG else {
      candidate = nil
      return nil
    }
    let up = gravity * (1 / strength)
    let best = nearestFace(to: up)
    guard best != face, up.angleDeg(from: best) <= settings.enterDeg,
      face == .unknown || up.angleDeg(from: face) >= settings.leaveDeg
    else {
      candidate = nil
      return nil
    }
    var turning = Candidate(face: best, since: now)
    if let candidate, candidate.face == best { turning = candidate }
    guard now - turning.since >= settings.settleS else {
      candidate = turning
      return nil
    }
    candidate = nil
    let previous = face
    face = best
    return OrientationChange(at: now, face: best, previous: previous, tiltDeg: up.angleDeg(from: .zUp), up: up)
  }

  /// Tells that samples were lost here: a turn under way starts to settle anew.
  public mutating func interrupt() {
    candidate = nil
  }

  private func nearestFace(to up: Vector) -> Face {
    let (x, y, z) = (up.x.magnitude, up.y.magnitude, up.z.magnitude)
    if x >= y, x >= z { return up.x >= 0 ? .xUp : .xDown }
    if y >= z { return up.y >= 0 ? .yUp : .yDown }
    return up.z >= 0 ? .zUp : .zDown
  }
}

extension Vector {
  /// The angle between this unit vector and the outward axis of `face` [deg]; 0 for `unknown`.
  func angleDeg(from face: Face) -> Double {
    let cosine: Double
    switch face {
    case .xUp: cosine = x
    case .xDown: cosine = -x
    case .yUp: cosine = y
    case .yDown: cosine = -y
    case .zUp: cosine = z
    case .zDown: cosine = -z
    case .unknown: return 0
    }
    return degrees(acos(min(1, max(-1, cosine))))
  }
}
