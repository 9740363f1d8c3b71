public import Telemetry

/// A tap's state as lines of a terminal: bars for x, y, z, the length and the activity, then the detector in words.
///
/// Pure: none of the lines is wider than the terminal, and none holds a control character but for the colours.
public struct TapPicture: Equatable, Sendable {
  /// Columns of the terminal.
  public var width: Int
  /// Colours are allowed.
  public var isColoured: Bool
  /// Bars may be of block characters, else of `#`.
  public var isUnicode: Bool

  /// At least 30 columns, whatever is asked for.
  public init(width: Int = 80, isColoured: Bool = false, isUnicode: Bool = false) {
    self.width = max(width, 30)
    self.isColoured = isColoured
    self.isUnicode = isUnicode
  }

  private var paint: Paint { Paint(isOn: isColoured) }
  /// `|a|  -12.345 g `
  private static let labelWidth = 15
  private static let wordWidth = 7

  /// The picture of this moment.
  public func lines(_ state: TapState, at now: Instant) -> [String] {
    var lines = [paint(.bold, cut(TapText.sensor(state)))]
    if let trouble = TapText.trouble(state, at: now) { lines.append(paint(.yellow, cut(trouble))) }
    lines.append("")
    lines += bars(state)
    lines.append("")
    if let glance = state.glance {
      lines.append(word("shake", TapText.stage(glance), colour(glance.stage)))
      lines.append(word("up", TapText.up(state, glance), nil))
    }
    lines.append(word("last", TapText.last(state, at: now), nil))
    lines.append(word("seen", TapText.counts(state), nil))
    return lines
  }

  private func cut(_ text: String) -> String { TextWidth.cut(text, to: width) }

  private func word(_ name: String, _ text: String, _ colour: Paint.Colour?) -> String {
    TextWidth.fit(name, to: Self.wordWidth) + paint(colour, TextWidth.cut(text, to: width - Self.wordWidth))
  }

  private func colour(_ stage: ShakeDetector.Stage) -> Paint.Colour? {
    switch stage {
    case .warmingUp: .faint
    case .idle: .green
    case .shaking: .red
    case .latched: .yellow
    }
  }

  // MARK: Bars

  private func bars(_ state: TapState) -> [String] {
    guard let sample = state.last, let glance = state.glance else { return [cut("no sample yet")] }
    let end = state.scaleG
    let clipped: Paint.Colour? = sample.isClipped ? .red : nil
    let axes = [("x", sample.g.x), ("y", sample.g.y), ("z", sample.g.z)].map { name, g in
      label(name, g) + paint(clipped, bar.around(zero: g / end))
    }
    // The level is in the middle, so that above it is to the right of it.
    let activity = bar.from(left: glance.activityG / (2 * glance.levelG), mark: 0.5)
    return axes + [
      label("|a|", sample.g.length) + bar.from(left: sample.g.length / end, mark: nil),
      label("move", glance.activityG) + paint(colour(glance.stage), activity),
      paint(.faint, scaleLine(end)),
    ]
  }

  private var bar: Bar { Bar(width: width - Self.labelWidth, isUnicode: isUnicode) }

  private func label(_ name: String, _ g: Double) -> String {
    TextWidth.fit(name, to: 5) + TextWidth.fit(Decimal.text(g, decimals: 3), to: 7, isRight: true) + " g "
  }

  /// The ends and the middle of the axes' scale, below the bars.
  private func scaleLine(_ end: Double) -> String {
    let number = Decimal.text(end, decimals: 0)
    let inner = width - Self.labelWidth - 2
    let middle = inner / 2
    let left = TextWidth.fit("-\(number)", to: middle + 1)
    let right = TextWidth.fit("+\(number) g", to: max(0, inner - middle), isRight: true)
    return TextWidth.cut(String(repeating: " ", count: Self.labelWidth) + left + "0" + right, to: width)
  }
}

/// A bar of characters between two bounds.
struct Bar: Equatable, Sendable {
  /// Columns, the bounds included; at least 5.
  let width: Int
  let isUnicode: Bool

  private var full: Character { isUnicode ? "\u{2588}" : "#" }
  private var line: Character { isUnicode ? "\u{2502}" : "|" }

  /// A bar from the middle to a share of the half, -1...1; what is beyond ends at the bound.
  func around(zero share: Double) -> String {
    let middle = inner / 2
    var cells = [Character](repeating: " ", count: inner)
    let length = Int((bounded(share).magnitude * Double(middle)).rounded())
    if share > 0 {
      for index in 0..<min(length, inner - middle - 1) { cells[middle + 1 + index] = full }
    } else {
      for index in 0..<length { cells[middle - 1 - index] = full }
    }
    cells[middle] = line
    return framed(cells)
  }

  /// A bar from the left to a share of the whole, 0...1, with a line at another share.
  func from(left share: Double, mark: Double?) -> String {
    var cells = [Character](repeating: " ", count: inner)
    let length = Int((max(0, bounded(share)) * Double(inner)).rounded())
    for index in 0..<length { cells[index] = full }
    if let mark { cells[min(inner - 1, Int(mark * Double(inner)))] = line }
    return framed(cells)
  }

  private var inner: Int { max(3, width - 2) }

  private func bounded(_ share: Double) -> Double { share.isFinite ? min(1, max(-1, share)) : 0 }

  private func framed(_ cells: [Character]) -> String { "[" + String(cells) + "]" }
}
