/// Puts the events of an input device together to frames: what SYN_REPORT closes is of one moment.
///
/// A device reports an axis only when it changed, so a frame is the last one with what is new in it
/// (Documentation/input/event-codes.rst).
public struct InputFrames: Equatable, Sendable {
  /// What an event completed.
  public enum Outcome: Equatable, Sendable {
    case nothing
    /// The state at this time [ns].
    case frame(RawScan, timeNs: Int64)
    /// Events were lost: the state has to be asked for, and handed to `set`.
    case lost
  }

  /// The state as of the last frame.
  public private(set) var state: RawScan
  private var pending: RawScan
  /// Up to the next SYN_REPORT nothing is to be believed.
  private var isSkipping = false

  /// - Parameter state: the device's when it was opened.
  public init(state: RawScan) {
    self.state = state
    pending = state
  }

  /// The state is this, as the device was asked for it.
  public mutating func set(_ state: RawScan) {
    self.state = state
    pending = state
  }

  /// Takes the next event.
  public mutating func feed(_ event: InputEvent) -> Outcome {
    if event.type == InputEvent.synchronization { return synchronize(event) }
    guard event.type == InputEvent.absolute, !isSkipping else { return .nothing }
    // ABS_X, ABS_Y, ABS_Z.
    switch event.code {
    case 0: pending.x = Int64(event.value)
    case 1: pending.y = Int64(event.value)
    case 2: pending.z = Int64(event.value)
    default: break
    }
    return .nothing
  }

  private mutating func synchronize(_ event: InputEvent) -> Outcome {
    if event.code == InputEvent.dropped {
      isSkipping = true
      return .nothing
    }
    guard event.code == InputEvent.report else { return .nothing }
    if isSkipping {
      isSkipping = false
      return .lost
    }
    state = pending
    return .frame(state, timeNs: event.timeNs)
  }
}
