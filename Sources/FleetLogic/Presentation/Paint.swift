/// Colours of a terminal, or none.
struct Paint {
  var isOn: Bool

  enum Colour: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case faint = "2"
    case bold = "1"
  }

  /// The text in a colour. The text must be safe to show already.
  func callAsFunction(_ colour: Colour?, _ text: String) -> String {
    guard isOn, let colour else { return text }
    return "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m"
  }
}
