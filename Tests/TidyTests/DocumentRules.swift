import Foundation

/// What must be written down, and that what is written leads somewhere.
enum DocumentRules {
  /// Members whose meaning their protocol gives.
  static let witnesses: Set<String> = [
    "description", "debugDescription", "errorDescription", "hash", "next", "makeIterator", "allCases", "id",
  ]

  /// Public symbols without a `///` line of their own. Enumeration cases, operators, witnesses of the standard
  /// library's protocols, initializers that only store their arguments, and properties that are named after their type
  /// (`state: State`) explain themselves.
  static func commentComplaints(of file: SwiftFile) -> [Complaint] {
    file.publicSymbols.filter { symbol in
      !isObvious(symbol, in: file) && !file.comment(above: symbol.line).contains { $0.hasPrefix("///") }
    }.map { file.complaint($0.line, "\($0.kind) \($0.name) is public and has no doc comment") }
  }

  private static func isObvious(_ symbol: SwiftFile.PublicSymbol, in file: SwiftFile) -> Bool {
    switch symbol.kind {
    case "init": isMemberwise(symbol.line, in: file)
    case "func" where !(symbol.name.first?.isLetter ?? false) && symbol.name.first != "_": true
    case "var", "let":
      witnesses.contains(symbol.name) || isNamedAfterItsType(symbol.name, file.code[symbol.line])
    default: witnesses.contains(symbol.name)
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
