import Daemon
import Foundation
import Rig
import Testing

@Suite struct CompletionTests {
  /// What bash offers after these words; the last is the one being typed.
  private func bash(_ words: String...) throws -> [String] {
    let place = try Workplace()
    let script = try place.write("judder-node.bash", try #require(commandTable.completion(for: "bash")))
    try place.write("wide.csv", "")
    let list = (["judder-node"] + words).map { "'\($0)'" }.joined(separator: " ")
    let test = try place.write(
      "test.bash",
      """
      cd '\(place.folder.path)' && source '\(script)' && COMP_WORDS=(\(list)) && COMP_CWORD=\(words.count)
      _judder_node; printf '%s\\n' "${COMPREPLY[@]}"
      """)
    let shell = try ChildProcess("bash", ["--norc", test], in: place.folder)
    #expect(shell.wait(seconds: 20) == 0)
    #expect(shell.errorText() == "")
    return shell.outputText().split(separator: "\n").map(String.init)
  }

  @Test func bashOffersCommandsFirst() throws {
    #expect(try bash("") == ["run", "check", "replay", "completion", "manual", "--help", "--version"])
    #expect(try bash("re") == ["replay"])
  }

  @Test func bashOffersTheOptionsOfTheCommand() throws {
    #expect(
      try bash("replay", "--") == ["--preset", "--rate", "--debug", "--json", "--help", "--version"])
    #expect(try bash("run", "--sp") == ["--spool"])
    #expect(try bash("run", "--pre") == [])
  }

  @Test func bashOffersChoicesAndFiles() throws {
    #expect(try bash("replay", "--preset", "") == ["handheld", "fixed"])
    #expect(try bash("replay", "--preset", "=", "f") == ["fixed"])
    #expect(try bash("run", "--config", "wi") == ["wide.csv"])
    #expect(try bash("replay", "wi") == ["wide.csv"])
    #expect(try bash("run", "--port", "") == [])
    #expect(try bash("completion", "") == ["bash", "zsh", "fish"])
  }

  @Test(arguments: ["bash", "zsh", "fish"].filter { ChildProcess.find($0) != nil })
  func scriptIsValid(shell: String) throws {
    let text = try #require(commandTable.completion(for: shell))
    let place = try Workplace()
    let path = try place.write("script", text)
    let check = try ChildProcess(shell, ["-n", path], in: place.folder)
    #expect(check.wait(seconds: 20) == 0)
    #expect(check.errorText() == "")
  }

  @Test(.enabled(if: ChildProcess.find("fish") != nil, "fish is not installed"))
  func fishOffersTheSame() throws {
    let place = try Workplace()
    let path = try place.write("judder-node.fish", try #require(commandTable.completion(for: "fish")))
    func offers(_ line: String) throws -> [String] {
      let run = try ChildProcess(
        "fish", ["--no-config", "-c", "source \(path); complete -C '\(line)'"], name: "fish\(line.count)",
        in: place.folder, environment: ["HOME": place.folder.path])
      #expect(run.wait(seconds: 20) == 0)
      return run.outputText().split(separator: "\n").map { String($0.split(separator: "\t")[0]) }.sorted()
    }
    #expect(try offers("judder-node ") == ["check", "completion", "manual", "replay", "run"])
    #expect(try offers("judder-node replay --pr") == ["--preset"])
    #expect(try offers("judder-node run --preset ") == [])
    #expect(try offers("judder-node replay --preset ") == ["fixed", "handheld"])
  }

  @Test(.enabled(if: ChildProcess.find("zsh") != nil, "zsh is not installed"))
  func zshLoadsTheScript() throws {
    let place = try Workplace()
    let path = try place.write("_judder-node", try #require(commandTable.completion(for: "zsh")))
    let run = try ChildProcess(
      "zsh", ["-f", "-c", "autoload -U compinit; compinit -u -D; source \(path); print ${_comps[judder-node]}"],
      in: place.folder, environment: ["HOME": place.folder.path])
    #expect(run.wait(seconds: 20) == 0)
    #expect(run.errorText() == "")
    #expect(run.outputText() == "_judder_node\n")
  }

  @Test func unknownShellHasNone() {
    #expect(commandTable.completion(for: "csh") == nil)
  }
}
