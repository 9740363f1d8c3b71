import Daemon
import Foundation
import NodeLogic
import Telemetry
import Testing

@testable import NodeAgent

@Suite struct CrowdScriptTests {
  private let names = (1...200).compactMap { number in
    NodeName("sim-\(String(repeating: "0", count: 3 - "\(number)".count))\(number)")
  }

  private func script(_ text: String) throws -> CrowdScript { try CrowdScript(text: Array(text.utf8), names: names) }

  private func problems(_ text: String) -> [String] {
    do throws(ConfigurationFailure) {
      _ = try CrowdScript(text: Array(text.utf8), names: names)
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  @Test func theSchemaHasNoDefects() {
    #expect(CrowdScript.schema.defects() == [])
    #expect(CrowdAction.words.allSatisfy { word in CrowdAction.summary.contains(word.word) })
  }

  @Test func stepsAreInTheOrderOfTheirTimes() throws {
    let script = try script(
      """
      [[step]]
      at_s = 7
      nodes = "1-3,200"
      action = "die"
      [[step]]
      at_s = 2.5
      nodes = "sim-01?"
      action = "burst"
      count = 3
      for_s = 4.5
      """)
    #expect(script.steps.map(\.atS) == [2.5, 7])
    #expect(script.steps[0].nodes == Array(9...18))
    #expect(script.steps[0].action == .order(.burst(count: 3, withinS: 4.5, peakG: 2)))
    #expect(script.steps[1].nodes == [0, 1, 2, 199])
    #expect(script.steps[1].action == .die)
  }

  @Test func aStepCanTakeItsTime() throws {
    let steps = try script("[[step]]\nat_s = 1\nnodes = \"1-4\"\naction = \"shake\"\nover_s = 2").steps
    #expect(steps.map(\.atS) == [1, 1.5, 2, 2.5])
    #expect(steps.map(\.nodes) == [[0], [1], [2], [3]])
  }

  @Test(arguments: [
    ("nodes = \"201\"\naction = \"die\"", "script:3:9: step[1].nodes must be within 1 to 200"),
    ("nodes = \"9-3\"\naction = \"die\"", "script:3:9: step[1].nodes must be numbers such as 1-20,45"),
    ("nodes = \"pump-*\"\naction = \"die\"", "selects no node: there are sim-001 to sim-200"),
    ("action = \"dye\"", "script:3:10: step[1].action = \"dye\" is not one of"),
    ("action = \"tip\"", "step[1].face is not set, and tip needs it"),
    ("action = \"die\"\npeak_g = 2", "script:4:10: step[1].peak_g means nothing for die; remove it"),
    ("action = \"lose-fix\"\nreason = \"fog\"", "script:4:10: step[1].reason = \"fog\" is not one of"),
    ("action = \"move\"\neast_m = 3", "step[1].north_m is not set, and move needs it"),
  ])
  func whatIsWrongIsSaidWithItsLine(step: String, complaint: String) {
    let found = problems("[[step]]\nat_s = 1\n\(step)\n")
    #expect(found.count == 1)
    #expect(found.first?.contains(complaint) == true, "\(found)")
  }

  @Test func everyBlockOfTheDocumentIsAScript() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## A fleet to try things on\n").last)
    let block = try #require(section.components(separatedBy: "```toml\n").dropFirst().first)
    let example = try script(#require(block.components(separatedBy: "```").first))
    #expect(example.steps.count > 5)
    for word in CrowdAction.words { #expect(section.contains("`\(word.word)`"), "\(word.word)") }
  }

  @Test func runsHaveNamesOfTheirOwn() {
    var names: Set<BootID> = []
    for node in 0..<200 {
      var boots = BootNames(salt: 4711, node: node)
      for _ in 0..<10 { names.insert(boots.next()) }
    }
    #expect(names.count == 2000)
    var again = BootNames(salt: 4712, node: 0)
    #expect(!names.contains(again.next()))
  }
}
