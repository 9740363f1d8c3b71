import Testing

@Suite("Words and constructs")
struct WordTests {
  @Test("Nothing is marked as unfinished")
  func unfinished() {
    let complaints = SourceTree.texts.flatMap(WordRules.unfinishedComplaints)
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test("No path of a single machine is mentioned")
  func machinePaths() {
    let complaints = SourceTree.texts.flatMap(WordRules.machinePathComplaints)
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test("Every type name says what the type is")
  func names() {
    let complaints = SourceTree.swift.flatMap(WordRules.nameComplaints)
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test("No construct that the design rules out is used")
  func constructs() {
    let complaints = SourceTree.swiftSources.flatMap(WordRules.constructComplaints)
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test("Each exception from the compiler's thread checks says why it is sound")
  func unchecked() {
    let complaints = SourceTree.swift.flatMap(WordRules.uncheckedComplaints)
    #expect(complaints.isEmpty, "\(complaints.report)")
  }

  @Test(
    "Marks of unfinished work are found", arguments: ["// TO" + "DO: later", "# FIX" + "ME", "not impl" + "emented"])
  func unfinishedFound(line: String) {
    #expect(WordRules.unfinishedComplaints(of: TextFile("a", "\n\(line)")).map(\.line) == [2])
  }

  @Test("Ordinary words are not", arguments: ["mktemp -d judder.XX" + "XXXX", "todos los dias", "a hac" + "ksaw"])
  func unfinishedNotFound(line: String) {
    #expect(WordRules.unfinishedComplaints(of: TextFile("a", line)).isEmpty)
  }

  @Test(
    "Machine paths are found",
    arguments: ["cd /wor" + "k/main", "\"/ro" + "ot/x\"", "/tm" + "p/wt/a", "=/ho" + "me/ann/b"])
  func machinePathFound(line: String) {
    #expect(WordRules.machinePathComplaints(of: TextFile("a", line)).count == 1)
  }

  @Test(
    "Other paths are not", arguments: ["/etc/judder/node.toml", "path/wor" + "k/x", "https://a.example/ro" + "ot/"])
  func otherPaths(line: String) {
    #expect(WordRules.machinePathComplaints(of: TextFile("a", line)).isEmpty)
  }

  @Test(
    "Names that say nothing are found", arguments: ["struct StringUtils", "final class LinkManager", "enum Helper"])
  func nameFound(line: String) {
    #expect(WordRules.nameComplaints(of: SwiftFile("a.swift", line + " {}")).count == 1)
  }

  @Test("Only whole endings count", arguments: ["struct ManagerOfNothingElse", "let manager = 1", "struct Commons"])
  func nameNotFound(line: String) {
    #expect(WordRules.nameComplaints(of: SwiftFile("a.swift", line)).isEmpty)
  }

  @Test(
    "Forbidden constructs are found",
    arguments: [
      "mosquitto_loop_start(m)", "internal import Synchronization", "func f() async {}", "await f()", "actor A {}",
      "let a = try! f()", "let b = c as! D", "Task { f() }",
    ])
  func constructFound(line: String) {
    #expect(WordRules.constructComplaints(of: SwiftFile("Sources/MQTT/A.swift", line)).count >= 1)
    #expect(WordRules.constructComplaints(of: SwiftFile("Sources/Rig/A.swift", line)).isEmpty)
  }

  @Test("An unchecked Sendable needs the reason right above")
  func uncheckedFound() {
    let bare = "/// A thing.\npublic final class A: @unchecked Sendable {}"
    #expect(WordRules.uncheckedComplaints(of: SwiftFile("a.swift", bare)).map(\.line) == [2])
    let reasoned = "/// `@unchecked Sendable`: the lock guards it.\npublic final class A:\n  B, @unchecked Sendable {}"
    #expect(WordRules.uncheckedComplaints(of: SwiftFile("a.swift", reasoned)).isEmpty)
    let global = "nonisolated(unsafe) var count = 0"
    #expect(WordRules.uncheckedComplaints(of: SwiftFile("a.swift", global)).count == 1)
  }
}
