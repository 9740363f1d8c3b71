/// A Swift file and the same text with comments and the contents of strings blanked, so that braces and words found
/// there are code.
struct SwiftFile {
  let file: TextFile
  /// Line for line as long as the original.
  let code: [String]

  init(_ file: TextFile) {
    self.file = file
    var blanking = Blanking(Array(file.text))
    code = blanking.run().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  init(_ path: String, _ text: String) {
    self.init(TextFile(path, text))
  }

  var path: String { file.path }

  func complaint(_ index: Int, _ what: String) -> Complaint {
    Complaint(path: path, line: index + 1, what: what)
  }

  /// Complains of each line of code in which `pattern` is found.
  func lines(matching pattern: Regex<Substring>, _ what: String) -> [Complaint] {
    code.enumerated().filter { $0.element.contains(pattern) }.map { complaint($0.offset, what) }
  }

  /// Blanks at the beginning of a line.
  func indentation(_ index: Int) -> Int { file.lines[index].prefix { $0 == " " }.count }

  /// The contiguous comment and attribute lines just above a line.
  func comment(above index: Int) -> [String] {
    var found: [String] = []
    for line in file.lines[..<index].reversed() {
      let text = line.trimmingPrefix { $0 == " " }
      guard text.hasPrefix("//") || text.hasPrefix("@") else { break }
      if text.hasPrefix("//") { found.append(String(text)) }
    }
    return found.reversed()
  }
}

/// Replaces comments and string contents by blanks. A single-line string may hold interpolations with strings in them;
/// regex literals are not told from division, which has not mattered so far.
private struct Blanking {
  private let text: [Character]
  private var position = 0
  private var output = ""

  init(_ text: [Character]) {
    self.text = text
  }

  mutating func run() -> String {
    while position < text.count {
      if starts("//") {
        while position < text.count, text[position] != "\n" { blank() }
      } else if starts("/*") {
        blankComment()
      } else if let hashes = startOfString() {
        blankString(hashes)
      } else {
        output.append(text[position])
        position += 1
      }
    }
    return output
  }

  private func starts(_ prefix: String) -> Bool {
    text[position...].starts(with: prefix)
  }

  private mutating func blank(_ count: Int = 1) {
    for _ in 0..<count where position < text.count {
      output.append(text[position] == "\n" ? "\n" : " ")
      position += 1
    }
  }

  private mutating func blankComment() {
    var depth = 0
    repeat {
      if starts("/*") {
        depth += 1
        blank(2)
      } else if starts("*/") {
        depth -= 1
        blank(2)
      } else {
        blank()
      }
    } while depth > 0 && position < text.count
  }

  /// The number of `#` before a quotation mark that starts here; nil when no string does.
  private func startOfString() -> Int? {
    let hashes = text[position...].prefix { $0 == "#" }.count
    let quote = position + hashes
    return quote < text.count && text[quote] == "\"" ? hashes : nil
  }

  private mutating func blankString(_ hashes: Int) {
    let marks = String(repeating: "#", count: hashes)
    blank(hashes)
    let quotes = starts("\"\"\"") ? "\"\"\"" : "\""
    blank(quotes.count)
    while position < text.count, !starts(quotes + marks) {
      if starts("\\" + marks + "(") {
        blank(2 + hashes)
        blankInterpolation()
      } else if starts("\\" + marks) {
        blank(2 + hashes)
      } else if quotes.count == 1, text[position] == "\n" {
        return
      } else {
        blank()
      }
    }
    blank(quotes.count + hashes)
  }

  private mutating func blankInterpolation() {
    var depth = 1
    while position < text.count, depth > 0 {
      if let hashes = startOfString() {
        blankString(hashes)
      } else {
        if text[position] == "(" { depth += 1 }
        if text[position] == ")" { depth -= 1 }
        blank()
      }
    }
  }
}
