public import Telemetry

/// Leads through the six positions, and knows which one it got.
///
/// The sensor's axes may sit in the node anyhow, so a direction means nothing at first. The first position is taken for
/// z up, as asked; the first at a right angle to it for x up. These two name every other direction, so that from then
/// on the order is free: the opposite of one is known at once, and y follows by the right-hand rule.
public struct SixPositions: Equatable, Sendable {
  /// What became of a position.
  public enum Answer: Equatable, Sendable {
    /// It is this one, and it is new.
    case taken(Face)
    /// It is this one again.
    case repeated(Face)
    /// The sensor shows something that is no gravity: its length [g].
    case noGravity(g: Double)
    /// It lies between two positions, or is not the one that was asked for: how far it is from the nearest [deg].
    case unclear(Double)
  }

  /// Further than this from an axis is between two [deg].
  private static let toleranceDeg = 30.0
  /// What gravity may look like to a sensor that was never calibrated [g].
  private static let gravityG = 0.7...1.3

  /// Whether x up may come before z down: in a recording, where nobody was asked for anything.
  public let isOrderFree: Bool
  /// The means of the positions so far [g], along the sensor's axes.
  public private(set) var meansG: [Face: Vector] = [:]

  /// Begins with no position.
  public init(isOrderFree: Bool = false) {
    self.isOrderFree = isOrderFree
  }

  /// The position to ask for; nil when all are there.
  public var next: Face? { Face.known.first { meansG[$0] == nil } }

  /// Takes the mean of a position [g].
  public mutating func take(_ meanG: Vector) -> Answer {
    guard Self.gravityG.contains(meanG.length) else { return .noGravity(g: meanG.length) }
    guard let z = axis(.zUp, .zDown) else { return keep(.zUp, meanG) }
    guard let x = axis(.xUp, .xDown) else { return takeWithoutX(meanG, z: z) }
    // Made square, because two positions by hand are not quite at a right angle.
    let up = z * (1 / z.length)
    let flat = x - up * x.dot(up)
    let right = flat * (1 / flat.length)
    let across = up.cross(right)
    let named = Vector(meanG.dot(right), meanG.dot(across), meanG.dot(up))
    let face = Face.nearest(to: named)
    let offDeg = named.angleDeg(to: face.up)
    return offDeg <= Self.toleranceDeg ? keep(face, meanG) : .unclear(offDeg)
  }

  /// Only the z axis is known: along it, or at a right angle to it.
  private mutating func takeWithoutX(_ meanG: Vector, z: Vector) -> Answer {
    let fromUpDeg = meanG.angleDeg(to: z)
    if fromUpDeg <= Self.toleranceDeg { return keep(.zUp, meanG) }
    if fromUpDeg >= 180 - Self.toleranceDeg { return keep(.zDown, meanG) }
    let offDeg = (fromUpDeg - 90).magnitude
    guard offDeg <= Self.toleranceDeg, isOrderFree || meansG[.zDown] != nil else {
      return .unclear(min(fromUpDeg, 180 - fromUpDeg))
    }
    return keep(.xUp, meanG)
  }

  private mutating func keep(_ face: Face, _ meanG: Vector) -> Answer {
    guard meansG[face] == nil else { return .repeated(face) }
    meansG[face] = meanG
    return .taken(face)
  }

  /// The direction of an axis, from one of its ends or, without the offset, from both [g]; nil before either.
  private func axis(_ up: Face, _ down: Face) -> Vector? {
    switch (meansG[up], meansG[down]) {
    case (let up?, let down?): (up - down) * 0.5
    case (let up?, nil): up
    case (nil, let down?): -down
    case (nil, nil): nil
    }
  }
}
