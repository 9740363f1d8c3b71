/// A fall: stream `freefall`. `Envelope.time` is when it was decided that the fall is over, or far too long.
public struct FreeFallMessage: Equatable, Sendable {
  /// Counts from 1 in each boot.
  public var id: Int
  /// When the weight was gone.
  public var start: WallTime
  /// How long nothing held the node [s].
  public var durationS: Double
  /// The height that a body at rest falls through in that time [m]; less was fallen by one that was thrown.
  public var dropM: Double
  /// The last fix, where there is one.
  public var place: Place?

  /// A fall that was measured to be like this.
  public init(id: Int, start: WallTime, durationS: Double, dropM: Double, place: Place? = nil) {
    self.id = id
    self.start = start
    self.durationS = durationS
    self.dropM = dropM
    self.place = place
  }
}
