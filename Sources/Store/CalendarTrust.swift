/// Whether the calendar may be believed where it says that something is old: one that runs ahead would take the whole
/// history away.
///
/// It is compared with the monotonic time, and at start with the newest receipt. After a jump ahead it is not believed
/// until it has held for a day. One that goes back takes nothing, and is believed at once.
struct CalendarTrust: Equatable, Sendable {
  /// What is more than this is a jump [s].
  static let jumpS = 86_400.0
  /// A new time has to hold for so long [s].
  static let holdS = 86_400.0
  /// Going back by this from where it jumped to takes a jump back [s].
  static let returnS = 3600.0

  /// When it jumped ahead, by what it showed then [s since 1970]; nil: it is believed.
  private(set) var jumpedS: Double?
  /// As it was said last: the calendar less the monotonic time [s].
  private var offsetS: Double?
  /// When something was received last in an earlier run [s since 1970].
  private let newestS: Double?

  /// - Parameters:
  ///   - newestS: when something was received last in an earlier run [s since 1970]; nil: nothing was.
  ///   - jumpedS: what an earlier run had.
  init(newestS: Double? = nil, jumpedS: Double? = nil) {
    self.newestS = newestS
    self.jumpedS = jumpedS
  }

  /// Takes what the calendar says.
  /// - Parameter atS: monotonic [s].
  mutating func take(_ nowS: Double, atS: Double) {
    let expectedS = offsetS.map { $0 + atS } ?? newestS
    offsetS = nowS - atS
    if let expectedS, nowS - expectedS > Self.jumpS {
      jumpedS = nowS
    } else if let since = jumpedS, nowS < since - Self.returnS || nowS >= since + Self.holdS {
      jumpedS = nil
    }
  }
}
