/// How many columns of a terminal a text takes, and how to make it fit.
public enum TextWidth {
  /// Columns; two for East Asian wide characters and emoji, none for marks that combine (Unicode TR 11, in outline).
  public static func of(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + of($1) }
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// The text if it fits into `columns`, else its beginning and a `~`.
  public static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    guard columns > 0 else { return "" }
    var kept = String.UnicodeScalarView()
    var width = 0
    for scalar in text.unicodeScalars {
      width += of(scalar)
      guard width <= columns - 1 else { break }
      kept.append(scalar)
    }
    return String(kept) + "~"
  }

  /// The text cut or filled to exactly `columns`.
  public static func fit(_ text: String, to columns: Int, isRight: Bool = false) -> String {
    let text = cut(text, to: columns)
    let space = String(repeating: " ", count: max(0, columns - of(text)))
    return isRight ? space + text : text + space
  }

  /// The text in lines of at most `columns` (>= 1), broken at spaces; a word that is longer is broken too. At least one
  /// line.
  public static func wrap(_ text: String, to columns: Int) -> [String] {
    let columns = max(columns, 1)
    var lines: [String] = []
    var line = ""
    var width = 0
    for word in text.split(separator: " ") {
      for piece in pieces(word, of: columns) {
        let pieceWidth = of(piece)
        let isNext = !line.isEmpty && width + 1 + pieceWidth <= columns
        if !isNext, !line.isEmpty { lines.append(line) }
        line = isNext ? line + " " + piece : piece
        width = isNext ? width + 1 + pieceWidth : pieceWidth
      }
    }
    return lines + [line]
  }

  private static func pieces(_ word: Substring, of columns: Int) -> [String] {
    guard of(String(word)) > columns else { return [String(word)] }
    var pieces: [String] = []
    var piece = String.UnicodeScalarView()
    var width = 0
    for scalar in word.unicodeScalars {
      let scalarWidth = of(scalar)
      if width + scalarWidth > columns, !piece.isEmpty {
        pieces.append(String(piece))
        piece = String.UnicodeScalarView()
        width = 0
      }
      piece.append(scalar)
      width += scalarWidth
    }
    return pieces + [String(piece)]
  }
}
