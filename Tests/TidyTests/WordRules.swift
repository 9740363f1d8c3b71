/// Words and constructs that must not be there. The words are put together from halves, so that this file does not
/// break its own rules.
enum WordRules {
  /// Marks of unfinished work.
  static func unfinishedComplaints(of file: TextFile) -> [Complaint] {
    let marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
    let pattern = try! Regex("\\b(\(marks.joined(separator: "|")))\\b|not( yet)? impl" + "emented|unimpl" + "emented")
    return complaints(of: file, pattern, "unfinished work")
  }

  /// Paths that exist on one machine only.
  static func machinePathComplaints(of file: TextFile) -> [Complaint] {
    let folders = ["wor" + "k", "ro" + "ot", "fa" + "rm", "ho" + "me/[a-z]+", "tm" + "p/wt"]
    let pattern = try! Regex("(^|[^A-Za-z0-9_.>-])/(\(folders.joined(separator: "|")))/|/\\.lib" + "rary")
    return complaints(of: file, pattern, "a path of one machine")
  }

  /// Type names that say nothing about what the type is.
  static func nameComplaints(of file: SwiftFile) -> [Complaint] {
    let pattern =
      #/
      \b(?:struct|class|enum|protocol|actor|typealias)\s+
      (\w*(?:Utils?|Utilit(?:y|ies)|Managers?|Helpers?|Common|Misc))\b
      /#
    return file.code.enumerated().compactMap { index, line in
      line.firstMatch(of: pattern).map { file.complaint(index, "\($0.1) doesn't say what it is") }
    }
  }

  /// Constructs that the design rules out, in what the two programs link.
  static func constructComplaints(of file: SwiftFile) -> [Complaint] {
    let isProgram = file.file.target.map { !["Rig", "Demo"].contains($0) } ?? false
    guard isProgram else { return [] }
    return file.lines(matching: #/mosquitto_loop_start/#, "the network loop runs on a thread of our own")
      + file.lines(matching: #/\bimport Synchronization\b|\bMutex</#, "use Threading.Lock: ThreadSanitizer knows it")
      + file.lines(matching: #/\basync\b|\bawait\b|\bactor\s+\w|\bTask\s*[{.(]/#, "no concurrency but threads")
      + file.lines(matching: #/\btry!|\bas!/#, "would stop the program on bad input")
      + file.lines(matching: #/\bprint\(/#, "output goes through the log or an explicit descriptor").filter { _ in
        Arrows.pure.contains(file.file.target ?? "")
      }
  }

  /// `@unchecked Sendable` and `nonisolated(unsafe)` without a comment that says why.
  static func uncheckedComplaints(of file: SwiftFile) -> [Complaint] {
    ["@unchecked Sendable", "nonisolated(unsafe)"].flatMap { word in
      file.code.enumerated().filter { $0.element.contains(word) }.filter { index, _ in
        !file.comment(above: file.startOfDeclaration(at: index)).contains { $0.contains(word) }
      }.map { file.complaint($0.offset, "the comment above doesn't say why it is \(word)") }
    }
  }

  private static func complaints(
    of file: TextFile, _ pattern: Regex<AnyRegexOutput>, _ what: String
  ) -> [Complaint] {
    file.lines.enumerated().filter { $0.element.contains(pattern) }.map {
      Complaint(path: file.path, line: $0.offset + 1, what: "\(what): \($0.element.prefix(80))")
    }
  }
}

extension SwiftFile {
  /// The line with the keyword of a declaration whose inheritance clause may go over several lines.
  fileprivate func startOfDeclaration(at index: Int) -> Int {
    let keyword = #/\b(class|struct|enum|extension|var|let|protocol)\b/#
    return code[...index].lastIndex { $0.contains(keyword) } ?? index
  }
}
