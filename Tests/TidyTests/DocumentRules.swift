import Foundation

/// What must be written down, and that what is written leads somewhere.
enum DocumentRules {
  /// Members whose meaning their protocol gives.
  static let witnesses: Set<String> = [
    "description", "debugDescription", "errorDescription", "hash", "next", "makeIterator", "allCases", "id",
  ]

  /// Public symbols that no `///` comment explains. One comment may stand above a run of declarations without a blank
  /// line between them. Enumeration cases, operators, initializers that only store their arguments, properties named
  /// after their type (`state: State`) and what implements a protocol's requirement need none.
  ///
  /// - Parameter requirements: names that the project's own protocols require, by protocol.
  static func commentComplaints(of file: SwiftFile, requirements: [String: Set<String>] = [:]) -> [Complaint] {
    let symbols = file.publicSymbols
    let starts = Set(symbols.map(\.line))
    let required = witnesses.union(
      requirements.filter { file.mentionsInInheritance($0.key) }.reduce(into: Set<String>()) { $0.formUnion($1.value) })
    return symbols.filter { symbol in
      !isObvious(symbol, in: file, required) && !isExplained(symbol.line, in: file, starts)
    }.map { file.complaint($0.line, "public \($0.kind) \($0.name) has no doc comment") }
  }

  /// What the protocols of these files require, by protocol.
  static func requirements(in files: [SwiftFile]) -> [String: Set<String>] {
    files.reduce(into: [:]) { found, file in
      for symbol in file.publicSymbols {
        guard let name = symbol.requiredBy else { continue }
        found[name, default: []].insert(symbol.name)
      }
    }
  }

  private static func isExplained(_ line: Int, in file: SwiftFile, _ starts: Set<Int>) -> Bool {
    var first = line
    while first > 0, starts.contains(first - 1), file.indentation(first - 1) == file.indentation(line) { first -= 1 }
    return file.comment(above: first).contains { $0.hasPrefix("///") }
      || file.comment(above: line).contains { $0.hasPrefix("///") }
  }

  private static func isObvious(_ symbol: SwiftFile.PublicSymbol, in file: SwiftFile, _ required: Set<String>) -> Bool {
    if symbol.requiredBy == nil, required.contains(symbol.name) { return true }
    switch symbol.kind {
    case "init": return isMemberwise(symbol.line, in: file)
    case "func": return !(symbol.name.first?.isLetter ?? false)
    case "var", "let": return isNamedAfterItsType(symbol.name, file.code[symbol.line])
    default: return false
    }
  }

  private static func isNamedAfterItsType(_ name: String, _ line: String) -> Bool {
    guard let match = line.firstMatch(of: #/: (?:\w+\.)*(\w+)\??\s*(?:$|=|\{)/#) else { return false }
    return match.1.lowercased() == name.lowercased()
  }

  /// Whether the body has nothing but `self.name = name`.
  private static func isMemberwise(_ line: Int, in file: SwiftFile) -> Bool {
    guard let body = file.functions.first(where: { $0.start == line }) else { return false }
    let text = file.code[line..<(line + body.length)].joined(separator: "\n")
    guard let open = text.firstIndex(of: "{") else { return false }
    let statements = text[text.index(after: open)...].split { $0 == "\n" || $0 == ";" || $0 == "}" }
    return statements.map { $0.trimming([" "]) }.filter { !$0.isEmpty }.allSatisfy {
      $0.wholeMatch(of: #/(?:self\.)?(\w+) = \1/#) != nil
    }
  }

  /// Relative links of a Markdown file that lead nowhere, to a file or to a heading.
  static func linkComplaints(of file: TextFile, exists: (String) -> Bool, headings: (String) -> [String])
    -> [Complaint]
  {
    var isCode = false
    return file.lines.enumerated().flatMap { index, line -> [Complaint] in
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode else { return [] }
      return line.matches(of: #/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/#).compactMap { match in
        let target = String(match.1)
        guard !target.contains(#/^[a-z]+:/#) else { return nil }
        let path = target.isEmpty ? file.path : resolve(target, from: file.path)
        if !exists(path) { return Complaint(path: file.path, line: index + 1, what: "no such file: \(target)") }
        guard let anchor = match.2, !headings(path).contains(String(anchor)) else { return nil }
        return Complaint(path: file.path, line: index + 1, what: "no such heading: \(target)#\(anchor)")
      }
    }
  }

  /// `a/b/../c.md` as seen from the folder of `path`.
  static func resolve(_ target: String, from path: String) -> String {
    var parts = path.split(separator: "/").dropLast()
    for part in target.split(separator: "/") where part != "." {
      if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// The anchors that a reader's browser makes of a Markdown file's headings.
  static func anchors(of file: TextFile) -> [String] {
    file.lines.filter { $0.contains(#/^#{1,6} /#) }.map { line in
      line.drop { $0 == "#" }.trimming([" "]).lowercased()
        .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
        .replacing(" ", with: "-")
    }
  }
}

extension TextFile {
  /// `sh` or `bash` when the file is a script of that shell.
  var shell: String? {
    guard let match = lines.first?.wholeMatch(of: #/#! ?(?:/usr/bin/env |/bin/)(sh|bash)(?: .*)?/#) else { return nil }
    return String(match.1)
  }

  var isShellScript: Bool { shell != nil }
}
