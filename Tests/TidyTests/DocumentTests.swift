import Foundation
import Rig
import Testing

@Suite("Documents and scripts")
struct DocumentTests {
  @Test("Every public symbol has a doc comment")
  func comments() {
    let requirements = DocumentRules.requirements(in: SourceTree.swiftSources)
    #expect(!requirements.isEmpty)
    let complaints = SourceTree.swiftSources.flatMap {
      DocumentRules.commentComplaints(of: $0, requirements: requirements)
    }
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test("Every relative link in a document leads somewhere")
  func links() {
    let complaints = SourceTree.texts.filter { $0.path.hasSuffix(".md") }.flatMap { file in
      DocumentRules.linkComplaints(of: file, exists: exists, headings: headings)
    }
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  static let readme = SourceTree.texts.first { $0.path == "README.md" }

  @Test("README's map shows every target", .enabled(if: readme != nil, "there is no README.md"))
  func map() throws {
    let readme = try #require(DocumentTests.readme)
    let folders = Set(
      SourceTree.paths.compactMap { path -> Substring? in
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? parts[1] : nil
      })
    for folder in folders.sorted() {
      #expect(readme.text.contains(folder), "README.md doesn't mention Sources/\(folder)")
    }
  }

  @Test("Every shell script can be parsed by its shell")
  func scripts() throws {
    let scripts = SourceTree.texts.filter(\.isShellScript)
    #expect(scripts.map(\.path).contains("deploy/install-dependencies"))
    for script in scripts {
      let (status, errors) = try parse(SourceTree.root.appendingPathComponent(script.path).path, script.shell ?? "sh")
      #expect(status == 0, "\(errors)")
      #expect(
        FileManager.default.isExecutableFile(atPath: SourceTree.root.appendingPathComponent(script.path).path),
        "\(script.path) is not executable")
    }
  }

  @Test("A script that its shell can't parse is found")
  func brokenScript() throws {
    let workplace = try Workplace("tidy")
    let (status, errors) = try parse(workplace.write("broken", "#!/bin/sh\nif true; then\n"), "sh")
    #expect(status != 0)
    #expect(!errors.isEmpty)
  }

  private func parse(_ path: String, _ shell: String) throws -> (status: Int32?, errors: String) {
    let workplace = try Workplace("tidy")
    let child = try ChildProcess(shell, ["-n", path], in: workplace.folder)
    let status = child.wait(seconds: 10)
    return (status, child.errorText())
  }

  private func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: SourceTree.root.appendingPathComponent(path).path)
  }

  private func headings(_ path: String) -> [String] {
    SourceTree.texts.first { $0.path == path }.map(DocumentRules.anchors) ?? []
  }
}

@Suite("Rules about documents")
struct DocumentRuleTests {
  @Test(
    "A public symbol without a doc comment is found",
    arguments: [
      "public struct A {}", "  public static let a = 1", "// not enough\npublic func f() {}",
      "@discardableResult\npublic func f() -> Int { 1 }", "public init(a: Int) { self.a = a + 1 }",
      "open class A {}", "public var state: [State]", "/// A.\npublic protocol A {\n  func f()\n}",
    ])
  func commentMissing(text: String) {
    #expect(DocumentRules.commentComplaints(of: SwiftFile("a.swift", text)).count == 1)
  }

  @Test(
    "What has one, and what explains itself, is not",
    arguments: [
      "/// A.\n@frozen\npublic struct A {}", "public var description: String { \"\" }",
      "public static func < (a: A, b: A) -> Bool { true }", "public init(a: Int, b: Int) {\n  self.a = a\n  b = b\n}",
      "public var state: State?", "struct A { func f() {} }", "public import Telemetry", "public init() {}",
      "/// A.\npublic protocol A {\n  /// F.\n  func f()\n}\nfunc g() {}",
    ])
  func commentNotMissing(text: String) {
    let complaints = DocumentRules.commentComplaints(of: SwiftFile("a.swift", text))
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test("A comment covers a run of declarations, up to a blank line")
  func run() {
    let text = "/// Where [deg].\npublic var latitude = 0.0\npublic var longitude = 0.0\n\npublic var height = 0.0"
    #expect(DocumentRules.commentComplaints(of: SwiftFile("a.swift", text)).map(\.line) == [5])
  }

  @Test("What implements a requirement needs no comment; the same name elsewhere does")
  func requirement() {
    let sink = SwiftFile("a.swift", "/// S.\npublic protocol Sink {\n  /// F.\n  func flush()\n}")
    let requirements = DocumentRules.requirements(in: [sink])
    let type = "/// A.\npublic struct A: Sendable, Sink {\n  public func flush() {}\n}"
    #expect(DocumentRules.commentComplaints(of: SwiftFile("b.swift", type), requirements: requirements).isEmpty)
    let other = type.replacing(", Sink", with: "")
    #expect(DocumentRules.commentComplaints(of: SwiftFile("b.swift", other), requirements: requirements).count == 1)
  }

  @Test("A link to nowhere is found, and one to a heading that is not there")
  func links() {
    let text = "[a](b.md) [c](../d.md#e) [f](https://x.example/y) [g](#h)\n```\n[i](j.md)\n```\n![k](gone.png)"
    let complaints = DocumentRules.linkComplaints(
      of: TextFile("docs/a.md", text), exists: { ["docs/b.md", "d.md", "docs/a.md"].contains($0) },
      headings: { $0 == "docs/a.md" ? ["h"] : [] })
    #expect(complaints.map(\.line) == [1, 5])
    #expect(complaints.map(\.what) == ["no such heading: ../d.md#e", "no such file: gone.png"])
  }

  @Test("A heading's anchor is what GitHub makes of it")
  func anchors() {
    let file = TextFile("a.md", "# Add a `sensor`\ntext\n## What, why?\n")
    #expect(DocumentRules.anchors(of: file) == ["add-a-sensor", "what-why"])
  }

  @Test("A script is known by its first line")
  func shells() {
    #expect(TextFile("a", "#!/bin/sh\n").shell == "sh")
    #expect(TextFile("a", "#!/usr/bin/env bash\nx").shell == "bash")
    #expect(TextFile("a", "#!/usr/bin/env python3\n").shell == nil)
    #expect(TextFile("a", "text").shell == nil)
  }
}
