public import Telemetry

/// Something that a node would have published, as a person watches it.
public struct TapEvent: Equatable, Sendable {
  /// When it was told.
  public var at: Instant
  /// The message that the node would have sent.
  public var telegram: Telegram

  /// Nil for what is no event: windows, health, status.
  init?(_ telegram: Telegram, at: Instant) {
    guard telegram.body.sentence != nil else { return nil }
    self.at = at
    self.telegram = telegram
  }

  /// It is not a later phase of one that was told before.
  var isFirst: Bool {
    if case .shake(let shake) = telegram.body { shake.phase == .began } else { true }
  }

  /// One line for people.
  public var text: String { telegram.body.sentence ?? "" }
}

extension Telegram.Body {
  /// What happened, in a line; nil where nothing did.
  fileprivate var sentence: String? {
    switch self {
    case .shake(let shake): shake.sentence
    case .impact(let impact):
      "impact \(impact.id), peak \(impact.isClipped ? "at least " : "")\(Decimal.text(impact.peakG, decimals: 2)) g,"
        + " \(Decimal.text(1000 * impact.durationS, decimals: 1)) ms,"
        + " \(Decimal.text(impact.velocityChangeMPS, decimals: 2)) m/s along \(impact.axis.rawValue)"
    case .freeFall(let fall):
      "fall \(fall.id), \(Decimal.text(fall.durationS, decimals: 2)) s, \(Decimal.text(fall.dropM, decimals: 2)) m"
    case .orientation(let turn):
      turn.previous == .unknown
        ? "\(turn.face.rawValue) is up" : "\(turn.face.rawValue) is up, was \(turn.previous.rawValue)"
    default: nil
    }
  }
}

extension ShakeMessage {
  fileprivate var sentence: String {
    let peak = "peak \(Decimal.text(peakG, decimals: 2)) g"
    switch phase {
    case .began: return "shake \(id) began, \(reversals) reversals along \(axis.rawValue), \(peak)"
    case .ended, .cancelled:
      let end = phase == .ended ? "ended" : "cancelled (\(reason?.rawValue ?? "no reason"))"
      let swings = frequencyHz.map { ", \(Decimal.text($0, decimals: 1)) Hz" } ?? ""
      return "shake \(id) \(end), \(Decimal.text(durationS, decimals: 2)) s, \(peak)\(swings)"
    }
  }
}
