/// Colours of a terminal, or none.
public struct Paint: Equatable, Sendable {
  /// Whether colours are allowed at all.
  public var isOn: Bool

  /// With colours, or without any.
  public init(isOn: Bool) {
    self.isOn = isOn
  }

  /// What SGR (ECMA-48) calls each.
  public enum Colour: String, Sendable {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case faint = "2"
    case bold = "1"
    case reverse = "7"
  }

  /// The text in a colour. The text must be safe to show already.
  public func callAsFunction(_ colour: Colour?, _ text: String) -> String {
    guard isOn, let colour else { return text }
    return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
  }
}
