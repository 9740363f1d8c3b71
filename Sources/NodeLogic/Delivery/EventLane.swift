public import Telemetry

/// How dear an event is: what is given up for want of room goes in ascending order.
///
/// The numbers are written to the disk, and never change.
public enum EventLane: UInt8, CaseIterable, Comparable, Sendable {
  /// The samples of a shake: large, and only worth something beside it.
  case waveform = 2
  /// Where the node was, and which side was up.
  case routine = 1
  /// What happened to the node, and what it had to give up.
  case shock = 0

  /// The lane of a stream.
  public init(_ stream: Stream) {
    switch stream {
    case .waveform: self = .waveform
    case .orientation, .location: self = .routine
    default: self = .shock
    }
  }

  /// Whether `a` is given up before `b`.
  public static func < (a: EventLane, b: EventLane) -> Bool { a.rawValue > b.rawValue }
}
