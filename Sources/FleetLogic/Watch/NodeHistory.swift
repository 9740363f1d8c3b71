public import Telemetry

/// What was last seen of one node's windows and fixes: what its details draw. Bounded.
public struct NodeHistory: Equatable, Sendable {
  /// So many peaks, and so many changes of the fix.
  public static let most = 120

  /// Whether the node knew where it was.
  public enum Fix: Equatable, Sendable {
    case fixed
    case lost(LocationMessage.Loss.Reason)
  }

  private struct Turn: Equatable, Sendable {
    /// When [s since the start of the fleet tool's clock].
    var atS: UInt32
    /// Zero: a fix; else one more than the place of the reason among all.
    var code: UInt8
  }

  /// Oldest first, once turned by `oldestPeak`.
  private var ring: [Float] = []
  private var oldestPeak = 0
  private var turns: [Turn] = []
  /// Windows that were noted since the viewer began.
  public private(set) var windows = 0

  public init() {}

  /// The peaks of the last windows of acceleration [g], oldest first.
  public var peaksG: [Double] { (ring[oldestPeak...] + ring[..<oldestPeak]).map { Double($0) } }

  /// Notes the peak of a window [g].
  public mutating func note(peakG: Double) {
    windows += 1
    guard ring.count == Self.most else { return ring.append(Float(peakG)) }
    ring[oldestPeak] = Float(peakG)
    oldestPeak = (oldestPeak + 1) % Self.most
  }

  /// Notes what the node said about its fix; the same again adds nothing.
  public mutating func note(_ location: LocationMessage, at now: Instant) {
    var code: UInt8 = 0
    if case .lost(let loss) = location {
      code = UInt8((LocationMessage.Loss.Reason.allCases.firstIndex(of: loss.reason) ?? 0) + 1)
    }
    guard turns.last?.code != code else { return }
    if turns.count == Self.most { turns.removeFirst() }
    turns.append(Turn(atS: UInt32(min(max(now.seconds, 0), 4e9)), code: code))
  }

  /// How far back the changes of the fix reach [s]; nil: nothing was ever said.
  public func fixSpanS(at now: Instant) -> Double? { turns.first.map { max(0, now.seconds - Double($0.atS)) } }

  /// How it was in each of `slots` parts of the time from the first that is known to `now`, oldest first: a loss goes
  /// before a fix in the same part.
  public func fixes(slots: Int, at now: Instant) -> [Fix] {
    guard let span = fixSpanS(at: now), let first = turns.first, slots > 0 else { return [] }
    let step = max(span, 1) / Double(slots)
    var next = 0
    var state: UInt8 = first.code
    return (0..<slots).map { slot in
      let start = Double(first.atS) + step * Double(slot)
      while next < turns.count, Double(turns[next].atS) <= start {
        state = turns[next].code
        next += 1
      }
      var worst = state
      while next < turns.count, Double(turns[next].atS) < start + step || slot == slots - 1 {
        state = turns[next].code
        if state != 0 { worst = state }
        next += 1
      }
      return Self.fix(worst)
    }
  }

  private static func fix(_ code: UInt8) -> Fix {
    code == 0 ? .fixed : .lost(LocationMessage.Loss.Reason.allCases[Int(code) - 1])
  }
}
