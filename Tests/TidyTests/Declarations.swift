/// A function, initializer, subscript or computed property with a body.
struct FunctionBody {
  let name: String
  /// Index of the line with its first word.
  let start: Int
  /// Lines from that to the closing brace.
  let length: Int
  /// False for a computed property, which is a function only as far as its greatest length goes.
  let isFunction: Bool
}

extension SwiftFile {
  /// All bodies in the file, nested ones too, in the order of their start.
  var functions: [FunctionBody] {
    let pattern =
      #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+(?:\([a-z]+\))?\s+)*?(func|init|deinit|subscript|var)\b([^(<{:=]*)/#
    return code.enumerated().compactMap { index, line in
      guard let match = line.firstMatch(of: pattern) else { return nil }
      let isFunction = match.1 != "var"
      guard let end = endOfBody(from: index, after: match.range.upperBound, isFunction: isFunction) else { return nil }
      let name = match.2.split(separator: " ").first.map(String.init) ?? String(match.1)
      return FunctionBody(name: name, start: index, length: end - index + 1, isFunction: isFunction)
    }
  }

  /// The line on which the body that belongs to a declaration ends; nil when it has none (a protocol's requirement, a
  /// stored property).
  private func endOfBody(from line: Int, after position: String.Index, isFunction: Bool) -> Int? {
    var parentheses = 0
    var braces = 0
    var index = line
    var rest = code[line][position...]
    while true {
      for character in rest {
        switch character {
        case "(", "[": parentheses += 1
        case ")", "]": parentheses -= 1
        case "=" where braces == 0 && parentheses == 0 && !isFunction: return nil
        case "{" where parentheses == 0 || braces > 0: braces += 1
        case "}" where braces > 0:
          braces -= 1
          if braces == 0 { return index }
        case "}" where parentheses == 0: return nil
        default: break
        }
      }
      index += 1
      guard index < code.count else { return nil }
      if braces == 0, parentheses == 0, startsSomethingElse(code[index], isFunction) { return nil }
      rest = code[index][...]
    }
  }

  /// Between a declaration's head and its brace only a result, a `throws` or a `where` may stand.
  private func startsSomethingElse(_ line: String, _ isFunction: Bool) -> Bool {
    guard let first = line.first(where: { $0 != " " }) else { return true }
    if !isFunction { return first != "{" }
    return !(first == "{" || first == "-" || first == ")" || line.contains(#/^\s*(where|throws|rethrows)\b/#))
  }

  /// A public declaration, with the line that says so.
  struct PublicSymbol {
    let kind: String
    let name: String
    let line: Int
    /// The protocol whose requirement it is.
    var requiredBy: String?
  }

  /// Everything that other modules see: what is marked `public` or `open`, and the requirements of public protocols.
  var publicSymbols: [PublicSymbol] {
    let marked =
      #/
      ^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+
      (?:(?:static|final|indirect|mutating|nonmutating|override|convenience|required|prefix|postfix|class|
      nonisolated)\s+)*
      (func|var|let|init|struct|enum|class|protocol|typealias|subscript|actor)\b\s*([^\s(<:{=]*)
      /#
    let requirement = #/^\s*(?:(?:static|mutating)\s+)*(func|var|init|associatedtype)\b\s*([^\s(<:{=]*)/#
    var found: [PublicSymbol] = []
    var surrounding: (name: String, depth: Int)?
    var depth = 0
    for (index, line) in code.enumerated() {
      if let match = line.firstMatch(of: marked) {
        found.append(PublicSymbol(kind: String(match.1), name: String(match.2), line: index))
        if match.1 == "protocol" { surrounding = (String(match.2), depth) }
      } else if let (name, outer) = surrounding, depth == outer + 1, let match = line.firstMatch(of: requirement) {
        found.append(PublicSymbol(kind: String(match.1), name: String(match.2), line: index, requiredBy: name))
      }
      depth += line.count { $0 == "{" } - line.count { $0 == "}" }
      if let (_, outer) = surrounding, depth <= outer, line.contains("}") { surrounding = nil }
    }
    return found
  }

  /// Whether a type or an extension here is declared to conform to a protocol.
  func mentionsInInheritance(_ name: String) -> Bool {
    code.contains { line in
      line.contains(#/\b(?:struct|class|enum|actor|extension)\b[^:]*:/#)
        && line.split { !$0.isLetter }.contains { $0 == name }
    }
  }
}
