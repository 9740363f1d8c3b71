import Daemon
import Foundation
import Rig
import Testing

@Suite struct HelpTextTests {
  @Test func helpOfACommandIsExactlyThis() {
    #expect(
      commandTable.help(for: "replay") == """
        judder-node replay - run a recording through the detectors

        Usage: judder-node replay [OPTION]... FILE [MORE...]

        Options:
          --preset NAME  the detector's values: handheld, fixed
          --rate HZ      samples a second, 0.5 to 100
          -d, --debug    say more
          -j, --json     one line of JSON [for programs]: each
          --help         print this help, or that of a command
          --version      print the version

        """)
  }

  @Test func helpOfTheProgramNamesEverythingWithin80Columns() {
    let help = commandTable.help()
    for option in commandTable.options { #expect(help.contains("--\(option.long)")) }
    for command in commandTable.commands { #expect(help.contains("  \(command.name) ")) }
    for heading in ["Usage:", "Commands:", "Options:", "Environment:", "Files:", "Exit status:", "Examples:"] {
      #expect(help.contains(heading))
    }
    #expect(help.contains("  77  the system refuses access\n"))
    #expect(help.contains("    judder-node check --config node.toml\n"))
    let widest = help.split(separator: "\n").map(\.count).max() ?? 0
    #expect(widest <= 80)
  }

  @Test func longTermsGetALineOfTheirOwn() {
    let help = commandTable.help(for: "check")
    #expect(help.contains("\n  --set KEY=VALUE    set a key of the configuration, for example\n"))
    #expect(!help.split(separator: "\n").contains { $0.count > 80 })
  }

  @Test func manualPageIsValidRoff() throws {
    let place = try Workplace()
    let page = commandTable.manualPage()
    let path = try place.write("judder-node.8", page)
    #expect(page.hasPrefix(".TH \"JUDDER\\-NODE\" 8 "))
    try #require(ChildProcess.find("groff") != nil, "deploy/install-dependencies installs groff-base")
    let groff = try ChildProcess("groff", ["-man", "-Tutf8", "-ww", "-z", path], in: place.folder)
    #expect(groff.wait(seconds: 20) == 0)
    #expect(groff.errorText() == "")
    let render = try ChildProcess("groff", ["-man", "-Tascii", "-P-cbou", path], name: "render", in: place.folder)
    #expect(render.wait(seconds: 20) == 0)
    let text = render.outputText().split { $0.isWhitespace }.joined(separator: " ")
    for expected in [
      "judder-node - publish motion and position over MQTT", "-h, --host HOST", "'quoted' and with a \\ in it",
      "Sets the configuration key broker.host.", "mosquitto_sub(1)", "judder-node check --config node.toml",
    ] {
      #expect(text.contains(expected), "\(expected) in\n\(text)")
    }
  }

  @Test(.enabled(if: ChildProcess.find("mandoc") != nil, "mandoc is not installed"))
  func manualPageHasNoErrorsForMandoc() throws {
    let place = try Workplace()
    let path = try place.write("judder-node.8", commandTable.manualPage())
    let mandoc = try ChildProcess("mandoc", ["-Tlint", "-Werror", path], in: place.folder)
    #expect(mandoc.wait(seconds: 20) == 0)
    #expect(mandoc.outputText() == "")
  }
}
