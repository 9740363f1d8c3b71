import Foundation
import Rig
import Telemetry
import Testing

/// What judder-node says when it is only asked something.
@Suite(.serialized) struct CommandLineTests {
  private let place: Workplace

  init() throws { place = try Workplace("e2e-command") }

  private func node(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
    try outcome(of: Programs.node, arguments, in: place, environment: environment)
  }

  @Test func helpAndVersionGoToStandardOutput() throws {
    let version = try node("--version")
    #expect(version.status == 0)
    #expect(version.output == "judder-node \(softwareVersion)\n")
    let help = try node("--help")
    #expect(help.status == 0)
    #expect(help.errors.isEmpty)
    let words = [
      "run", "check", "tap", "fix", "record", "replay", "calibrate", "simulate", "config", "--config", "--set",
    ]
    for word in words + ["--version"] {
      #expect(help.output.contains(word), "\(word)")
    }
    #expect(help.outputLines.allSatisfy { $0.count <= 80 })
    #expect(try node("replay", "--help").output.contains("--preset"))
  }

  @Test(arguments: [("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"]), ("fish", ["fish", "-n"])])
  func completionsAreWhatTheShellsRead(shell: String, check: [String]) throws {
    let completion = try node("completion", shell)
    #expect(completion.status == 0)
    #expect(completion.output.contains("judder-node"))
    #expect(completion.output.contains("replay"))
    guard ChildProcess.find(check[0]) != nil else { return }
    let file = try place.write("completion.\(shell)", completion.output)
    let parsed = try outcome(of: check[0], [check[1], file], in: place)
    #expect(parsed.status == 0, "\(parsed.errors)")
  }

  @Test func theManualIsAManualPage() throws {
    let manual = try node("manual")
    #expect(manual.status == 0)
    #expect(manual.output.contains(".TH "))
    guard ChildProcess.find("man") != nil else { return }
    let file = try place.write("judder-node.1", manual.output)
    let page = try outcome(of: "man", ["--warnings", "-l", file], in: place, environment: ["MANPAGER": "cat"])
    #expect(page.status == 0)
    #expect(page.errors.isEmpty, "\(page.errors)")
  }

  @Test(arguments: [
    ["bogus"], ["run", "--bogus"], ["run", "--config"], ["run", "superfluous"], ["replay"], [],
    ["run", "--set", "broker.port"], ["completion", "csh"],
  ])
  func aWrongCommandLineIsSaidInOneLine(arguments: [String]) throws {
    let wrong = try outcome(of: Programs.node, arguments, in: place)
    #expect(wrong.status == 64, "\(arguments): \(wrong.errors)")
    #expect(wrong.output.isEmpty)
    #expect(wrong.errorLines.count == 1, "\(wrong.errors)")
    #expect(wrong.errors.hasPrefix("judder-node: "))
  }

  @Test func theSampleFileIsWhatTheProgramPrints() throws {
    let printed = try node("config")
    #expect(printed.status == 0)
    let kept = try String(contentsOf: packageRoot.appending(path: "config/node.toml"), encoding: .utf8)
    #expect(printed.output == kept, "write it anew: judder-node config > config/node.toml")
  }

  @Test func theSampleFileChangesNothing() throws {
    let file = packageRoot.appending(path: "config/node.toml").path(percentEncoded: false)
    let sample = try node("check", "--print-config", "--config", file)
    let nothing = try node("check", "--print-config", "--config", place.write("nothing.toml", ""))
    #expect(sample.status == 0 && nothing.status == 0)
    #expect(sample.output == nothing.output)
  }

  @Test func whatIsInForceIsPrintedWithItsOrigin() throws {
    let secret = try place.write("secret", "open sesame\n")
    let file = try place.write(
      "node.toml",
      """
      [node]
      id = "from-the-file"
      [broker]
      host = "from-the-file"
      port = 1884
      password_file = "\(secret)"
      """)
    let printed = try node(
      "check", "--print-config", "--config", file, "--set", "health.interval_s=7",
      environment: ["JUDDER_BROKER_PORT": "1885", "JUDDER_PASSWORD": "open sesame"])
    #expect(printed.status == 0, "\(printed.errors)")
    let line = { (key: String) in printed.outputLines.first { $0.hasPrefix("\(key) =") } ?? "no \(key)" }
    #expect(line("node.id").hasSuffix("# \(file):2:6"), "\(line("node.id"))")
    #expect(line("broker.host").hasSuffix("# \(file):4:8"), "\(line("broker.host"))")
    #expect(line("broker.port").hasPrefix("broker.port = 1885"), "the environment goes before the file")
    #expect(line("broker.port").contains("JUDDER_BROKER_PORT"))
    #expect(line("health.interval_s").hasPrefix("health.interval_s = 7"))
    #expect(line("health.interval_s").contains("flag --set health.interval_s"))
    #expect(line("acceleration.window_s") == "acceleration.window_s = 10  # s, default")
    #expect(!printed.output.contains("sesame") && !printed.errors.contains("sesame"))
  }
}
