/// A side of the node: the axis that points up, away from the ground.
public enum Face: String, CaseIterable, Sendable {
  case xUp = "x+"
  case xDown = "x-"
  case yUp = "y+"
  case yDown = "y-"
  case zUp = "z+"
  case zDown = "z-"
  case unknown
}

/// Which side is up: stream `orientation`, retained, sent when it changes.
public struct OrientationMessage: Equatable, Sendable {
  /// The side that is up now.
  public var face: Face
  /// The face before this one.
  public var previous: Face
  /// The angle between the node's z axis and up [deg], 0...180.
  public var tiltDeg: Double
  /// The unit vector of gravity's reaction: (0, 0, 1) flat on a table, face up.
  public var up: Vector

  /// A change from one side to another.
  public init(face: Face, previous: Face, tiltDeg: Double, up: Vector) {
    self.face = face
    self.previous = previous
    self.tiltDeg = tiltDeg
    self.up = up
  }
}
