import Foundation
import Rig
import Telemetry
import Testing

@testable import Store

/// docs/STORE.md is for people who read the database with sqlite3.
@Suite("docs/STORE.md")
struct StoreDocumentTests {
  private let text: String

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    text = try String(contentsOf: root.appending(path: "docs/STORE.md"), encoding: .utf8)
  }

  @Test("It has every table with every column, and none that there is not")
  func tables() throws {
    let connection = try Connection(":memory:", .write, busyS: 0)
    _ = try Schema.migrate(connection, Schema.steps)
    let tables = try connection.statement("SELECT name FROM sqlite_schema WHERE type = 'table'").rows([]) { $0.text(0) }
    #expect(tables.count == 13)
    let sections = text.components(separatedBy: "\n## ")[1].components(separatedBy: "\n### ").dropFirst()
    #expect(Set(sections.compactMap(\.firstCode)) == Set(tables))
    for section in sections {
      let table = try #require(section.firstCode)
      let columns = try connection.statement("PRAGMA table_info(\(table))").rows([]) { $0.text(1) }
      let named = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
        .flatMap { $0.split(separator: "|")[0].split(separator: "`").map(String.init) }
        .filter { $0.contains(where: \.isLetter) }
      #expect(named.sorted() == columns.sorted(), "\(table)")
    }
    let kept = try connection.statement("SELECT key FROM meta").rows([]) { $0.text(0) }
    #expect(kept.allSatisfy { text.contains("`\($0)`: ") })
    let indexes = try connection.statement(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%ifnull%'"
    ).rows([]) { $0.text(0) }
    #expect(indexes.count == 1 && indexes.allSatisfy { text.contains("`\($0)`") })
  }

  @Test("Its questions are answered")
  func questions() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let impact = #"{"v":1,"boot":"00000001","seq":3,"peak_g":4.5}"#
    _ = try store.commit(
      batch([event(1), event(3, stream: .impact, at: WallTime(seconds: now.seconds), text: impact), event(8)]))
    let parts = text.components(separatedBy: "```sql\n").dropFirst()
    let questions = parts.compactMap { $0.components(separatedBy: "```").first }
    #expect(questions.count == 3)
    let answers = try questions.map { question in
      // The last week of the question is that of the events.
      let sql = question.replacingOccurrences(of: "'now'", with: "'2026-12-01'")
      return try store.database.statement(sql).rows([]) { row in
        (0..<3).map { row.text($0) ?? "" }
      }
    }
    #expect(answers[0].map(\.[1]) == ["location", "impact", "location"])
    #expect(answers[1] == [["pump-7", "2026-11-30 04:05:03", "4.5"]])
    #expect(answers[2] == [["pump-7", "00000001", "5"]])
  }
}

extension String {
  /// What stands between the first two backquotes.
  fileprivate var firstCode: String? {
    let parts = split(separator: "`", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? String(parts[1]) : nil
  }
}
