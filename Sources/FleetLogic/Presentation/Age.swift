internal import Telemetry

/// Spans of time as people read them at a glance.
public enum Age {
  /// `3s`, `12m`, `4h`, `2d`, cut rather than rounded; `-` when it is unknown.
  public static func text(_ seconds: Double?) -> String {
    guard let seconds, seconds.isFinite else { return "-" }
    let whole = Int(min(max(seconds, 0), 1e12) + 1e-6)
    return switch whole {
    case ..<60: "\(whole)s"
    case ..<3600: "\(whole / 60)m"
    case ..<86400: "\(whole / 3600)h"
    default: "\(whole / 86400)d"
    }
  }

  /// `90 s`, `12 min`, `3 h`, `2 d`, for a sentence: cut rather than rounded, and in a smaller unit while the
  /// number is small.
  static func phrase(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e12) + 1e-6)
    return switch whole {
    case ..<600: "\(whole) s"
    case ..<7200: "\(whole / 60) min"
    case ..<172_800: "\(whole / 3600) h"
    default: "\(whole / 86400) d"
    }
  }
}

/// A number of seconds in a sentence: without a fraction where there is none.
func plain(_ seconds: Double) -> String {
  seconds == seconds.rounded() ? Decimal.text(seconds, decimals: 0) : Decimal.text(seconds, decimals: 1)
}
